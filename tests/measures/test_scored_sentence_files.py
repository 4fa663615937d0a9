"""Is a file of sentences scored whole, in order, and to the same bytes however often the work is killed?"""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from hengliang import UserError
from hengliang.core import Processes, locked_folder
from hengliang.core.engine import note_of
from hengliang.language_models import LanguageModel
from hengliang.measures.scored_sentence_files import ScoredSentences, read_scored, score_sentences
from tests.language_models import small_models
from tests.language_models.small_models import SmallBigrams
from tests.measures.scored_lines import LINES, trained

BAD = [b"\n", b"\xff\xfe\n", "字".encode() * 10_001 + b"\n", b"a\0b\n"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> LanguageModel:
    return trained(tmp_path_factory.mktemp("plain") / "model")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Five times the good and the bad lines: 55 rows, of which 20 have no score."""
    path = tmp_path / "text.txt"
    path.write_bytes(b"".join([*(f"{line}\n".encode() for line in LINES), *BAD]) * 5)
    return path


def parts(out: Path) -> list[Path]:
    return sorted(out.with_name(f"{out.name}.hengliang-parts").glob("*.parquet"))


def test_every_row_is_there_and_the_note_says_what_was_done(model: LanguageModel, file: Path, tmp_path: Path) -> None:
    found = score_sentences(model, file, tmp_path / "scores.parquet", ["slor", "mean-lp"], batch=4)
    rows = pl.read_parquet(tmp_path / "scores.parquet")
    assert rows.columns == [
        *("number", "id", "slor", "mean_lp", "words", "words_seen", "unknown", "cut_by", "folded", "problem"),
    ]
    # Of the seven good lines two have no spaces; nothing is folded by a model whose text has no digits or letters.
    assert (found.segmenter, found.given, found.cut, found.folded) == ("rjieba", 25, 10, 0)
    assert rows["number"].to_list() == list(range(1, 56))
    assert rows["slor"].null_count() == rows["problem"].drop_nulls().len() == 20
    assert (found.rows, found.unscored, found.unknown, found.grown) == (55, 20, rows["unknown"].sum(), 0)
    assert found.means == {"slor": pytest.approx(rows["slor"].mean()), "mean_lp": pytest.approx(rows["mean_lp"].mean())}
    assert len(found.problems) == 10
    assert found.problems[:4] == (
        "line 8: the line is empty",
        "line 9: not utf-8: byte 1 does not decode",
        "line 10: a line of 10,001 characters is too long for a sentence; --longest raises the limit",
        "line 11: a NUL character is in the text",
    )
    assert found.source_bytes == file.stat().st_size
    note = json.loads(note_of(tmp_path / "scores.parquet").read_text(encoding="utf-8"))
    assert ScoredSentences(**{**note, "problems": tuple(note["problems"])}) == found
    assert "measures:slor,mean-lp" in found.signature


def test_all_forms_hold_the_same_rows(model: LanguageModel, file: Path, tmp_path: Path) -> None:
    for suffix in ("parquet", "tsv", "csv", "jsonl"):
        score_sentences(model, file, tmp_path / f"scores.{suffix}", explain=2)
    rows = pl.read_parquet(tmp_path / "scores.parquet")
    schema: Any = rows.drop("pulled_down_by").schema
    for suffix, separator in (("tsv", "\t"), ("csv", ",")):
        read = pl.read_csv(tmp_path / f"scores.{suffix}", separator=separator, schema_overrides=schema)
        assert_frame_equal(read.drop("pulled_down_by"), rows.drop("pulled_down_by"))
        with (tmp_path / f"scores.{suffix}").open(newline="", encoding="utf-8") as stream:
            assert len(list(csv.reader(stream, delimiter=separator))) == 56
    assert_frame_equal(pl.read_ndjson(tmp_path / "scores.jsonl", schema=rows.schema), rows)
    first = rows["pulled_down_by"][0].to_list()
    written = pl.read_csv(tmp_path / "scores.tsv", separator="\t")["pulled_down_by"][0]
    assert written == "; ".join(f"{word['word']} ({word['contribution']:.2f})" for word in first)


def test_ids_and_order_of_a_table_are_kept(model: LanguageModel, tmp_path: Path) -> None:
    table = tmp_path / "a.csv"
    table.write_text('key,句子,n\nq7,"他 买 了\n一 本 书 。",1\na1,,2\nq2,好,3\n', encoding="utf-8")
    score_sentences(model, table, tmp_path / "a.tsv", column="句子", id_column="key")
    found = pl.read_csv(tmp_path / "a.tsv", separator="\t")
    assert found.select("number", "id", "words", "problem").rows() == [
        (1, "q7", 7, None),
        (2, "a1", None, "the field '句子' is empty"),
        (3, "q2", 1, None),
    ]
    objects = tmp_path / "a.jsonl"
    objects.write_text('{"key": 5, "text": "他 买 了 一 本 书 。"}\n{"text": "好"}\n', encoding="utf-8")
    score_sentences(model, objects, tmp_path / "b.tsv", id_column="key")
    again = pl.read_csv(tmp_path / "b.tsv", separator="\t")
    assert again["id"].to_list() == [5, 2]
    assert again["slor"][0] == found["slor"][0]


def test_processes_give_the_same_bytes(model: LanguageModel, file: Path, tmp_path: Path) -> None:
    here = score_sentences(model, file, tmp_path / "here.parquet", batch=5)
    there = score_sentences(model, file, tmp_path / "there.parquet", batch=5, engine=Processes(workers=2))
    assert (tmp_path / "here.parquet").read_bytes() == (tmp_path / "there.parquet").read_bytes()
    assert here.checksum == there.checksum


@pytest.mark.parametrize("batch", [1, 7, 1000])
def test_rows_do_not_depend_on_the_batch(model: LanguageModel, file: Path, tmp_path: Path, batch: int) -> None:
    score_sentences(model, file, tmp_path / "one.tsv", batch=20)
    score_sentences(model, file, tmp_path / "other.tsv", batch=batch)
    assert (tmp_path / "one.tsv").read_bytes() == (tmp_path / "other.tsv").read_bytes()


# --- resuming -------------------------------------------------------------------------------------------------------


@pytest.mark.untraced
@pytest.mark.parametrize(("suffix", "engine"), [("parquet", "processes:2"), ("jsonl", "local")])
def test_killed_at_any_moment_and_given_again_it_ends_with_the_same_bytes(
    suffix: str, engine: str, file: Path, tmp_path: Path
) -> None:
    whole, out = tmp_path / f"whole.{suffix}", tmp_path / f"killed.{suffix}"
    score_sentences(SmallBigrams(), file, whole, ["mean-lp"], batch=5)
    start = "import sys; from hengliang.cli.main import main; main(sys.argv[1:])"
    named = ["--model", "small bigrams", "--file", small_models.__file__, "--measure", "mean-lp"]
    given = ["score", str(file), *named, "--out", str(out), "--batch", "5", "--quiet", "--engine", engine]
    process = subprocess.Popen([sys.executable, "-c", start, *given], env={**os.environ, "SMALL_MODEL_SECONDS": "0.3"})
    deadline = time.monotonic() + 60
    while len(parts(out)) < 3 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert not out.exists()
    assert 3 <= len(parts(out)) < 11
    kept = {part: part.stat().st_ino for part in parts(out)}
    watcher = Kept(kept)
    score_sentences(SmallBigrams(), file, out, ["mean-lp"], batch=5, watcher=watcher)
    assert watcher.seen
    assert out.read_bytes() == whole.read_bytes()
    assert not out.with_name(f"{out.name}.hengliang-parts").exists()


class Kept:
    """Sees at the end of the scoring that the parts of former tries have not been written again."""

    def __init__(self, expected: dict[Path, int]) -> None:
        self.expected = expected
        self.seen = False

    def watch(self, what: str, total: int | None) -> Kept:
        assert total == 55
        return self

    def say(self, message: str) -> None:
        raise AssertionError(message)

    def advance(self, steps: int = 1) -> None:
        assert steps > 0

    def __enter__(self) -> Kept:
        return self

    def __exit__(self, *failure: object) -> None:
        assert self.expected == {part: part.stat().st_ino for part in self.expected}
        self.seen = True


def test_a_finished_work_is_not_done_again(model: LanguageModel, file: Path, tmp_path: Path) -> None:
    out = tmp_path / "scores.tsv"
    found = score_sentences(model, file, out)
    written = out.stat().st_mtime_ns
    assert score_sentences(model, file, out) == found
    assert out.stat().st_mtime_ns == written
    score_sentences(model, file, out, length="original")
    assert out.stat().st_mtime_ns > written


@pytest.mark.parametrize("changed", ["result", "note", "text"])
def test_a_finished_work_that_has_changed_is_done_again(
    changed: str, model: LanguageModel, file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "scores.tsv"
    score_sentences(model, file, out)
    right = out.read_bytes()
    if changed == "result":
        out.write_bytes(right[:-5])
    elif changed == "note":
        note_of(out).write_text("{")
        assert read_scored(out) is None
    else:
        file.write_bytes(file.read_bytes() + "好\n".encode())
    found = score_sentences(model, file, out)
    assert found.rows == 55 + (changed == "text")
    assert out.read_bytes()[: len(right)] == right


def test_a_file_that_grows_is_scored_as_it_was_and_goes_on_from_there(tmp_path: Path, model: LanguageModel) -> None:
    file = tmp_path / "log.txt"
    file.write_bytes("他 来 了 。\n".encode() * 20 + "他 买 了".encode())
    grown = "一 本 书 。\n".encode()

    class Writing:
        """Somebody writes to the file while it is scored."""

        def watch(self, what: str, total: int | None) -> Writing:
            with file.open("ab") as stream:
                stream.write(grown)
            return self

        def say(self, message: str) -> None: ...
        def advance(self, steps: int = 1) -> None: ...
        def __enter__(self) -> Writing:
            return self

        def __exit__(self, *failure: object) -> None: ...

    found = score_sentences(model, file, tmp_path / "a.tsv", batch=5, watcher=Writing())
    assert (found.rows, found.unscored, found.grown) == (21, 1, len(grown))
    assert found.problems == ("line 21: the line was still being written",)
    again = score_sentences(model, file, tmp_path / "a.tsv", batch=5)
    assert (again.rows, again.unscored, again.grown) == (21, 0, 0)


# --- mistakes -------------------------------------------------------------------------------------------------------


def test_what_cannot_be_written_is_refused_before_any_work(model: LanguageModel, file: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"as '.xls'.*\.tsv, \.csv, \.jsonl, \.parquet"):
        score_sentences(model, file, tmp_path / "scores.xls")
    (tmp_path / "folder.tsv").mkdir()
    with pytest.raises(UserError, match="is a folder"):
        score_sentences(model, file, tmp_path / "folder.tsv")
    (tmp_path / "text.tsv").symlink_to(file)
    with pytest.raises(UserError, match="its own scores"):
        score_sentences(model, file, tmp_path / "text.tsv")
    (tmp_path / "empty.txt").write_bytes(b"")
    with pytest.raises(UserError, match="holds no sentences"):
        score_sentences(model, tmp_path / "empty.txt", tmp_path / "empty.tsv")
    assert not list(tmp_path.glob("*parts"))


def test_a_second_process_is_kept_out(model: LanguageModel, file: Path, tmp_path: Path) -> None:
    out = tmp_path / "scores.tsv"
    folder = tmp_path / "scores.tsv.hengliang-parts"
    with locked_folder(folder), pytest.raises(UserError, match="Another process is running"):
        score_sentences(model, file, out)
