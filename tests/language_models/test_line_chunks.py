"""Are the lines of a file given out in order, some at a time, with the broken ones in their places?"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.language_models import Texts, read_texts
from hengliang.language_models.scores import Scores, scores_of
from hengliang.language_models.streaming import (
    BATCH,
    PRETRAINED,
    SEARCHED,
    Chunk,
    line_count,
    lines_at_once,
    read_chunks,
    scores_of_texts,
    texts_of_chunk,
)
from hengliang.language_models.structured.model import StructuredModel
from tests.language_models.small_models import CharacterPairs, SmallBigrams


def test_slow_models_get_few_lines_at_a_time(tmp_path: Path) -> None:
    assert lines_at_once(SmallBigrams()) == BATCH
    assert lines_at_once(CharacterPairs()) == PRETRAINED  # a model of subwords is a large one
    assert lines_at_once(StructuredModel(tmp_path)) == SEARCHED  # it is not opened for that
    assert lines_at_once(CharacterPairs(), most=7) == 7


def test_broken_lines_keep_their_numbers_and_blank_lines_are_left_out(tmp_path: Path) -> None:
    file = tmp_path / "text.txt"
    file.write_bytes("他来了\n\n".encode() + b"\xff\n\xfe\n" + "她来了\n".encode() + b"\xff")
    chunks = list(read_chunks(file, batch=2))
    assert [chunk.numbers for chunk in chunks] == [(1, 3), (4, 5), (6,)]
    assert [chunk.texts for chunk in chunks] == [("他来了", ""), ("", "她来了"), ("",)]
    problem = "not utf-8: byte 1 of the line does not decode."
    assert [chunk.problems for chunk in chunks] == [("", problem), (problem, ""), (problem,)]


def test_the_first_broken_line_can_end_the_reading(tmp_path: Path) -> None:
    file = tmp_path / "text.txt"
    file.write_bytes("他来了\n".encode() + b"\xff\n")
    chunks = read_chunks(file, batch=1, broken="raise")
    assert next(chunks).texts == ("他来了",)
    with pytest.raises(UserError, match="line 2 is not utf-8"):
        next(chunks)


@pytest.mark.parametrize("content", [b"", b"\n \n", b"\xff\n\xfe\n"])
def test_a_file_without_text_is_refused(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "text.txt"
    file.write_bytes(content)
    with pytest.raises(UserError, match="holds no text"):
        list(read_chunks(file))


def test_what_cannot_be_read_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Cannot read"):
        read_chunks(tmp_path / "none.txt")
    (tmp_path / "text.txt").write_text("好")
    with pytest.raises(UserError, match="A batch of 0 lines"):
        read_chunks(tmp_path / "text.txt", batch=0)


@given(lines=st.lists(st.binary(max_size=6).filter(lambda raw: b"\n" not in raw), min_size=1), batch=st.integers(1, 4))
def test_chunks_hold_every_line_that_is_not_blank(
    lines: list[bytes], batch: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("chunks") / "text.txt"
    file.write_bytes(b"\n".join([*lines, "好".encode()]))
    chunks = list(read_chunks(file, batch=batch))
    read = [row for chunk in chunks for row in zip(chunk.numbers, chunk.texts, chunk.problems, strict=True)]
    numbers = [number for number, _, _ in read]
    assert numbers == sorted(set(numbers))
    assert all(len(chunk) == batch for chunk in chunks[:-1])
    for number, text, problem in read:
        raw = [*lines, "好".encode()][number - 1]
        assert bool(problem) == (raw.decode(errors="replace") != raw.decode(errors="ignore"))
        assert problem or text
    # What is left out is blank.
    for number in set(range(1, len(lines) + 2)) - set(numbers):
        assert not lines[number - 1].decode().removeprefix("\ufeff").strip()


def test_the_key_of_a_chunk_covers_everything_in_it() -> None:
    chunk = Chunk((1, 2), ("他", "她"), ("", ""))
    others = [
        Chunk((1, 3), ("他", "她"), ("", "")),
        Chunk((1, 2), ("他", "他"), ("", "")),
        Chunk((1, 2), ("他", "她"), ("", "broken")),
        Chunk((1,), ("他她",), ("",)),
    ]
    assert chunk.key == Chunk((1, 2), ("他", "她"), ("", "")).key
    assert len({chunk.key, *(other.key for other in others)}) == 5


@pytest.mark.parametrize(("content", "count"), [(b"", 0), (b"a", 1), (b"a\n", 1), (b"a\nb", 2), (b"\n\n", 2)])
def test_lines_are_counted(content: bytes, count: int, tmp_path: Path) -> None:
    file = tmp_path / "text.txt"
    file.write_bytes(content)
    assert line_count(file) == count


def test_what_can_be_read_only_once_is_not_counted() -> None:
    assert line_count(Path("/dev/null")) is None


def test_one_unreadable_line_does_not_spoil_its_batch() -> None:
    # The second word of the second line is a combining acute, which would melt into the e before it.
    chunk = Chunk((1, 2, 3), ("他 来 了", "e \u0301", "她来了"), ("", "", ""))
    texts, problems = texts_of_chunk(chunk)
    assert texts.contents.to_list() == ["他来了", "", "她来了"]
    assert [bool(problem) for problem in problems] == [False, True, False]
    assert "starts with a mark" in problems[1]


class Forgetful(CharacterPairs):
    name = "forgetful"

    def score(self, texts: Texts) -> Scores:
        return scores_of([])


def test_an_answer_that_leaves_out_texts_is_refused() -> None:
    with pytest.raises(UserError, match="scores of 0 texts for 1"):
        scores_of_texts(Forgetful(), read_texts(["好"]))


def test_spaces_part_words_unless_the_language_is_written_with_them() -> None:
    chunk = Chunk((1,), ("He didn't go.",), ("",))
    chinese, _ = texts_of_chunk(chunk, "rjieba")
    assert chinese.words.to_list() == ["He", "didn't", "go."]
    english, _ = texts_of_chunk(chunk, "english")
    assert english.with_words("english").words.to_list() == ["He", "did", "n't", "go", "."]
