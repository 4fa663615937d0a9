"""Is a file of any size scored whole, in order, and to the same bytes however often the work is killed?"""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from hengliang import UserError
from hengliang.core import Processes, ScoredUnit, SilentSteps, locked_folder
from hengliang.core.engine import LOCAL
from hengliang.language_models import Texts
from hengliang.language_models.scores import Scores, scores_of
from hengliang.language_models.streaming import SCORE_SCHEMA, ScoredFile, score_file
from tests.language_models import small_models
from tests.language_models.small_models import Bytes, CharacterPairs, SmallBigrams

# Raw and segmented lines, a blank one, a broken one, one that the pairs of characters refuse, one with an unknown word.
LINES = [
    "他 买 了 书 。".encode(),
    b"",
    b"\xff\xfe",
    "她来了".encode(),
    "她 买 了 x 。".encode(),
    "说 “ hello world ” 。".encode(),
    b'a " b',
] * 3


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_bytes(b"\n".join(LINES))
    return path


def parts(out: Path) -> list[Path]:
    return sorted(out.with_name(f"{out.name}.hengliang-parts").glob("*.parquet"))


def test_every_unit_is_a_row_and_every_line_without_a_score_has_a_problem(file: Path, tmp_path: Path) -> None:
    found = score_file(CharacterPairs(), file, tmp_path / "scores.parquet", batch=2)
    rows = pl.read_parquet(tmp_path / "scores.parquet")
    assert dict(rows.schema) == SCORE_SCHEMA
    assert rows["line"].is_sorted()
    first = rows.filter(pl.col("line") == 1)
    assert first.select("unit", "start", "end", "logprob").rows() == [
        ("他买", 0, 6, -1.0),
        ("了书", 6, 12, -1.0),
        ("。", 12, 15, -1.0),
    ]
    problems = dict(rows.select("line", "problem").drop_nulls().iter_rows())
    assert problems[3] == "not utf-8: byte 1 of the line does not decode."
    assert problems[5] == "there is an x in it"
    assert sorted(problems) == [3, 5, 10, 12, 17, 19]
    assert rows.filter(pl.col("problem").is_not_null())["logprob"].null_count() == 6
    # Six of seven lines are not blank; of those two have no score. 3 + 2 + 8 + 2 units are left, three times over:
    # 说“hello world”。 has 15 characters and a"b has 3.
    assert (found.lines, found.unscored, found.units, found.unknown) == (18, 6, 3 * (3 + 2 + 8 + 2), 0)
    assert found.problems[0] == "line 3: not utf-8: byte 1 of the line does not decode."


def test_ends_unknown_words_and_spaces_are_kept(file: Path, tmp_path: Path) -> None:
    score_file(SmallBigrams(), file, tmp_path / "scores.parquet")
    rows = pl.read_parquet(tmp_path / "scores.parquet")
    fifth = rows.filter(pl.col("line") == 5)
    assert fifth["unit"].to_list() == ["她", "买", "了", "x", "。", "</s>"]
    assert fifth["unknown"].to_list() == [False, False, False, True, False, False]
    # P(买 | 她) = (1 + 1) / (1 + 10), counted in the three sentences of the model.
    assert fifth["logprob"][1] == pytest.approx(math.log(2 / 11))
    assert fifth.row(5, named=True)["start"] == fifth.row(5, named=True)["end"] == 13
    assert " world" in rows.filter(pl.col("line") == 6)["unit"].to_list()


def test_all_forms_hold_the_same_rows(file: Path, tmp_path: Path) -> None:
    for suffix in ("parquet", "tsv", "jsonl"):
        score_file(SmallBigrams(), file, tmp_path / f"scores.{suffix}", batch=4)
    rows = pl.read_parquet(tmp_path / "scores.parquet")
    # A reader that knows nothing but the separator gets quotation marks right.
    assert_frame_equal(pl.read_csv(tmp_path / "scores.tsv", separator="\t", schema=SCORE_SCHEMA), rows)
    assert_frame_equal(pl.read_ndjson(tmp_path / "scores.jsonl", schema=SCORE_SCHEMA), rows)


def test_half_a_character_is_written_by_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("他", encoding="utf-8")
    score_file(Bytes(), tmp_path / "text.txt", tmp_path / "scores.parquet")
    # 他 is E4 BB 96 in UTF-8.
    assert pl.read_parquet(tmp_path / "scores.parquet")["unit"].to_list() == ["\\xe4\\xbb", "\\x96"]


class Certain(CharacterPairs):
    """Thinks that every text is impossible."""

    name = "certain"

    def score(self, texts: Texts) -> Scores:
        return scores_of([ScoredUnit(0, len(text.encode()), -math.inf, None)] for text in texts.contents.to_list())


def test_an_impossible_unit_is_not_an_unscored_one(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("好", encoding="utf-8")
    for suffix in ("parquet", "tsv", "jsonl"):
        score_file(Certain(), tmp_path / "text.txt", tmp_path / f"scores.{suffix}")
    assert pl.read_parquet(tmp_path / "scores.parquet")["logprob"].to_list() == [-math.inf]
    assert json.loads((tmp_path / "scores.jsonl").read_text())["logprob"] == "-Infinity"
    assert pl.read_csv(tmp_path / "scores.tsv", separator="\t")["logprob"].to_list() == [-math.inf]


@pytest.mark.parametrize("batch", [1, 3, 1000])
def test_rows_do_not_depend_on_batch_or_engine(batch: int, file: Path, tmp_path: Path) -> None:
    score_file(SmallBigrams(), file, tmp_path / "one.parquet", batch=5)
    engine = Processes(workers=2) if batch == 3 else LOCAL
    score_file(SmallBigrams(), file, tmp_path / "other.parquet", batch=batch, engine=engine)
    assert_frame_equal(pl.read_parquet(tmp_path / "one.parquet"), pl.read_parquet(tmp_path / "other.parquet"))


# --- resuming -------------------------------------------------------------------------------------------------------


def command(file: Path, out: Path, *more: str) -> list[str]:
    arguments = ["lm", "score", str(file), "--model", "small bigrams", "--file", small_models.__file__]
    start = "import sys; from hengliang.cli.main import main; main(sys.argv[1:])"
    return [sys.executable, "-c", start, *arguments, "--out", str(out), "--batch", "1", "--quiet", *more]


@pytest.mark.untraced
@pytest.mark.parametrize(("suffix", "engine"), [("parquet", "local"), ("tsv", "processes:2")])
def test_killed_at_any_moment_and_given_again_it_ends_with_the_same_bytes(
    suffix: str, engine: str, file: Path, tmp_path: Path
) -> None:
    whole, out = tmp_path / f"whole.{suffix}", tmp_path / f"killed.{suffix}"
    score_file(SmallBigrams(), file, whole, batch=1)
    done = 0
    for target in (1, 5, 9):
        process = subprocess.Popen(
            command(file, out, "--engine", engine), env={**os.environ, "SMALL_MODEL_SECONDS": "0.2"}
        )
        deadline = time.monotonic() + 60
        while len(parts(out)) < target and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        assert not out.exists()
        assert len(parts(out)) >= max(target, done)
        done = len(parts(out))
    kept = {part: part.stat().st_mtime_ns for part in parts(out)}
    with_torn = out.with_name(f"{out.name}.hengliang-parts") / ".joined.parquet.abc.tmp"
    with_torn.write_bytes(b"torn")
    found = score_file(SmallBigrams(), file, out, batch=1, watcher=Kept(kept))
    assert out.read_bytes() == whole.read_bytes()
    assert found.lines == 18
    assert not with_torn.parent.exists()


class Kept:
    """Sees at the end of the scoring that the parts of former tries have not been written again."""

    def __init__(self, expected: dict[Path, int]) -> None:
        self.expected = expected

    def watch(self, what: str, total: int | None) -> Kept:
        assert total == len(LINES)
        return self

    def say(self, message: str) -> None:
        raise AssertionError(message)

    def advance(self, steps: int = 1) -> None:
        SilentSteps().advance(steps)

    def __enter__(self) -> Kept:
        return self

    def __exit__(self, *failure: object) -> None:
        assert self.expected == {part: part.stat().st_mtime_ns for part in self.expected}


def interrupted(file: Path, out: Path) -> None:
    """Leave the parts of the lines before the first broken one, as a work that ended there."""
    with pytest.raises(UserError, match="line 3"):
        score_file(SmallBigrams(), file, out, batch=1, broken="raise")


def test_a_damaged_part_is_made_again(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "scores.tsv"
    interrupted(file, out)
    (part,) = parts(out)
    part.write_bytes(part.read_bytes()[:50])
    file.write_bytes(b"\n".join(line for line in LINES if line != b"\xff\xfe"))
    score_file(SmallBigrams(), file, out, batch=1, broken="raise")
    score_file(SmallBigrams(), file, tmp_path / "whole.tsv", batch=1)
    assert out.read_bytes() == (tmp_path / "whole.tsv").read_bytes()


def test_parts_of_another_model_or_text_are_never_used(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "scores.tsv"
    interrupted(file, out)
    file.write_text("她 来 了\n", encoding="utf-8")
    score_file(CharacterPairs(), file, out, batch=1)
    assert [row.split("\t")[:2] for row in out.read_text().splitlines()[1:]] == [["1", "她来"], ["1", "了"]]
    assert parts(out) == []


def test_a_finished_work_is_not_done_again(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "scores.parquet"
    found = score_file(SmallBigrams(), file, out)
    written = out.stat().st_mtime_ns
    leftover = tmp_path / "scores.parquet.hengliang-parts"
    leftover.mkdir()
    assert score_file(SmallBigrams(), file, out) == found
    assert out.stat().st_mtime_ns == written
    assert not leftover.exists()
    note = json.loads((tmp_path / "scores.parquet.about.json").read_text(encoding="utf-8"))
    assert ScoredFile(**{**note, "problems": tuple(note["problems"])}) == found
    assert "class:SmallBigrams" in note["signature"]


@pytest.mark.parametrize("changed", ["result", "note", "text", "model"])
def test_a_finished_work_that_has_changed_is_done_again(changed: str, file: Path, tmp_path: Path) -> None:
    out, note = tmp_path / "scores.tsv", tmp_path / "scores.tsv.about.json"
    score_file(SmallBigrams(), file, out)
    right = out.read_bytes()
    if changed == "result":
        out.write_bytes(right[:-5])
    elif changed == "note":
        note.write_text("{")
    elif changed == "text":
        file.write_bytes(file.read_bytes() + b"\n\n")
    written = out.stat().st_mtime_ns
    score_file(SmallBigrams(seconds=0.001) if changed == "model" else SmallBigrams(), file, out)
    assert out.stat().st_mtime_ns > written
    assert out.read_bytes() == right


def test_a_second_process_is_kept_out(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "scores.tsv"
    with (
        locked_folder(tmp_path / "scores.tsv.hengliang-parts"),
        pytest.raises(UserError, match="Another process is running"),
    ):
        score_file(SmallBigrams(), file, out)


def test_a_pipe_can_be_scored(file: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cp", str(file), str(pipe)]):
        found = score_file(SmallBigrams(), pipe, tmp_path / "scores.tsv")
    assert found.lines == 18


# --- mistakes -------------------------------------------------------------------------------------------------------


def test_what_cannot_be_written_is_refused_before_any_work(file: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"as '.xls'.*\.parquet, \.tsv, \.jsonl"):
        score_file(SmallBigrams(), file, tmp_path / "scores.xls")
    (tmp_path / "folder.tsv").mkdir()
    with pytest.raises(UserError, match="is a folder"):
        score_file(SmallBigrams(), file, tmp_path / "folder.tsv")
    same = tmp_path / "text.tsv"
    same.symlink_to(file)
    with pytest.raises(UserError, match="its own scores"):
        score_file(SmallBigrams(), file, same)
    assert file.read_bytes() == b"\n".join(LINES)


def test_a_text_of_which_nothing_is_scored_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_bytes(b"\xff\n")
    with pytest.raises(UserError, match="holds no text"):
        score_file(SmallBigrams(), tmp_path / "text.txt", tmp_path / "scores.tsv")
    assert [path.name for path in tmp_path.iterdir()] == ["text.txt"]
