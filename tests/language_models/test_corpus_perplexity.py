"""Is the perplexity of a file or corpus that of all its texts together, in batches or not?"""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.core import Processes, places
from hengliang.language_models import Texts, read_texts
from hengliang.language_models.perplexity import file_perplexity, part_perplexity, perplexity
from hengliang.language_models.scores import Scores
from hengliang.language_models.training_texts import read_corpus
from tests.killed import killed
from tests.language_models import small_models
from tests.language_models.small_models import CharacterPairs, SmallBigrams

# "好" stands alone: without a space it is raw text, and its batch still has words.
LINES = ("他 买 了 书 。", "好", "她来了", "她 买 了 米 。")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("\n".join(LINES), encoding="utf-8")
    return path


@pytest.mark.parametrize("batch", [1, 3, 100])
def test_a_file_in_batches_is_the_file_at_once(batch: int, file: Path) -> None:
    texts = read_texts(LINES).with_words()
    once = perplexity(SmallBigrams().score(texts), texts)
    found = file_perplexity(SmallBigrams(), file, batch=batch)
    assert found.perplexity.logprob == pytest.approx(once.logprob)
    assert (found.perplexity.words, found.perplexity.ends, found.perplexity.unknown) == (once.words, 4, 2)
    assert found.perplexity.per("word") == pytest.approx(once.per("word"))
    assert found.problems == ()


def test_per_character_by_hand(file: Path) -> None:
    # Pairs of 5, 1, 3 and 5 characters are 3 + 1 + 2 + 3 = 9 units of one nat, over 14 characters and no ends.
    found = file_perplexity(CharacterPairs(), file).perplexity
    assert (found.units, found.characters, found.ends) == (9, 14, 0)
    assert found.per("character") == pytest.approx(math.exp(9 / 14))
    assert found.per("unit") == pytest.approx(math.e)


def test_other_processes_give_the_same_sums(file: Path) -> None:
    here = file_perplexity(SmallBigrams(), file, batch=1)
    there = file_perplexity(SmallBigrams(), file, batch=1, engine=Processes(workers=2))
    assert there == here


def test_lines_without_a_score_are_counted_and_told(file: Path) -> None:
    file.write_bytes("他来了\n".encode() + b"\xff\n" + "x 好\n".encode())
    found = file_perplexity(CharacterPairs(), file)
    assert (found.perplexity.texts, found.perplexity.unscored) == (1, 2)
    assert found.problems == ("line 2: not utf-8: byte 1 of the line does not decode.", "line 3: there is an x in it")


def test_the_signature_knows_model_and_data(file: Path) -> None:
    first = file_perplexity(SmallBigrams(), file).signature
    file.write_text("好", encoding="utf-8")
    assert file_perplexity(SmallBigrams(), file).signature != first
    assert "words:rjieba" in str(first)


def test_a_part_of_a_corpus(tmp_path: Path) -> None:
    file = tmp_path / "corpus.txt"
    file.write_text("\n".join(f"他 买 了 {number} 。" for number in range(100, 150)), encoding="utf-8")
    corpus = read_corpus(str(file))
    found = part_perplexity(SmallBigrams(), corpus, "test", batch=2)
    texts = corpus.parts["test"]
    assert found.perplexity.texts == len(texts) > 0
    assert found.perplexity.words == 5 * len(texts)
    assert "part:test" in str(found.signature)
    with pytest.raises(UserError, match="Parts: dev, test, train"):
        part_perplexity(SmallBigrams(), corpus, "tset")


# --- resuming -------------------------------------------------------------------------------------------------------


def scored_texts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note the texts that are put to the bigrams from now on."""
    asked: list[str] = []
    score = SmallBigrams.score

    def noted(model: SmallBigrams, texts: Texts) -> Scores:
        asked.extend(texts.contents.to_list())
        return score(model, texts)

    monkeypatch.setattr(SmallBigrams, "score", noted)
    return asked


MANY = [f"他 买 了 {number} 。" for number in range(12)]


@pytest.mark.untraced
@pytest.mark.parametrize("engine", ["local", "processes:2"])
def test_a_killed_command_goes_on_to_the_same_perplexity(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "text.txt").write_bytes("\n".join([*MANY, ""]).encode() + b"\xff\n")
    options = ["--model", "small bigrams", "--file", small_models.__file__, "--batch", "2", "--engine", engine, "-q"]
    command = ["lm", "perplexity", str(tmp_path / "text.txt"), *options]
    done = killed(command, places.cache() / "perplexities", 2, SMALL_MODEL_SECONDS="0.3")
    asked = scored_texts(monkeypatch)
    again = file_perplexity(SmallBigrams(), tmp_path / "text.txt", batch=2)
    assert len(asked) == len(MANY) - 2 * len(done)
    assert asked == [text.replace(" ", "") for text in MANY[2 * len(done) :]]
    monkeypatch.setenv("HENGLIANG_CACHE", str(tmp_path / "empty"))
    assert file_perplexity(SmallBigrams(), tmp_path / "text.txt", batch=2) == again
    assert again.problems == ("line 13: not utf-8: byte 1 of the line does not decode.",)


def test_a_part_that_was_stopped_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "corpus.txt").write_text(
        "\n".join(f"他 买 了 {number} 。" for number in range(100, 150)), encoding="utf-8"
    )
    corpus = read_corpus(str(tmp_path / "corpus.txt"))
    whole = part_perplexity(SmallBigrams(), corpus, "train", batch=5)
    files = sorted((places.cache() / "perplexities").rglob("*.parquet"))
    files[0].unlink()
    files[-1].write_bytes(files[-1].read_bytes()[:-1])
    asked = scored_texts(monkeypatch)
    assert part_perplexity(SmallBigrams(), corpus, "train", batch=5) == whole
    assert len(asked) in {5 + 5, 5 + len(corpus.parts["train"]) % 5}
