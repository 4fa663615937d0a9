"""Does `hengliang filter` keep the best sentences and say what it left out?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hengliang.cli.main import outcome
from tests.measures.scored_lines import LINES, trained

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("models") / "lessons"
    trained(path)
    return str(path)


@pytest.fixture(autouse=True)
def text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("\n".join([*LINES, "", LINES[5]]) + "\n", encoding="utf-8")
    return "text.txt"


def test_the_best_share_is_kept(text: str, folder: str, capsys: Capture) -> None:
    given = ["filter", text, "--model", folder, "--out", "clean.txt", "--rejected", "rest.tsv", "--quiet"]
    assert outcome([*given, "--keep", "0.5"]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith(
        "4 of 9 sentences kept (50.0% of those with a score); 1 without a score.\nThe lowest slor"
    )
    assert "1 sentence has no score:\n  line 8: the line is empty" in shown.err
    kept = Path("clean.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in LINES if line in kept] == kept
    rest = Path("rest.tsv").read_text(encoding="utf-8").splitlines()
    assert len(rest) == 1 + 5
    # The scores are there for another border.
    written = Path("clean.txt.scores.parquet").stat().st_mtime_ns
    assert outcome([*given, "--keep", "3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["filtered"]
    assert (found["kept"], found["rows"], found["unscored"]) == (3, 9, 1)
    assert Path("clean.txt.scores.parquet").stat().st_mtime_ns == written
    assert set(Path("clean.txt").read_text(encoding="utf-8").splitlines()) < set(kept)


def test_scores_of_an_earlier_command(text: str, folder: str, capsys: Capture) -> None:
    assert outcome(["score", text, "--model", folder, "--out", "scores.csv", "--quiet"]) == 0
    given = ["filter", text, "--scores", "scores.csv", "--out", "clean.txt"]
    capsys.readouterr()
    assert outcome([*given, "--above", "-99"]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("8 of 9 sentences kept (100.0%")
    assert shown.err == ""
    Path("scores.csv.about.json").unlink()
    assert outcome([*given, "--keep", "1"]) == 0
    assert "only the number of rows is checked" in capsys.readouterr().err


def test_ties_are_told(text: str, folder: str, capsys: Capture) -> None:
    Path(text).write_text("好\n好\n好\n", encoding="utf-8")
    assert outcome(["filter", text, "--model", folder, "--out", "clean.txt", "--keep", "1", "--quiet"]) == 0
    assert "2 more sentences have this score and came later in the file: left out." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--keep", "0.5"], "Say where the scores come from."),
        (["--keep", "0.5", "--model", "m", "--scores", "s.tsv"], "Say where the scores come from."),
        (["--model", "m"], "Say which sentences to keep."),
        (["--keep", "2", "--scores", "s.tsv", "--measure", "glor"], "No measure is called 'glor'"),
        (["--keep", "2", "--scores", "none.tsv"], "Cannot read none.tsv"),
        (["--keep", "2", "--model", "no-such-model"], "No language model is called 'no-such-model'"),
        (["--keep", "2", "--model", "m", "--rejected", "text.txt"], "cannot be written as '.txt'"),
    ],
)
def test_mistakes_are_told_before_any_work(text: str, capsys: Capture, more: list[str], message: str) -> None:
    assert outcome(["filter", text, "--out", "clean.txt", *more]) == 2
    assert message in capsys.readouterr().err
    assert not Path("clean.txt").exists()


def test_scores_of_a_file_that_was_added_to_are_refused(text: str, folder: str, capsys: Capture) -> None:
    assert outcome(["score", text, "--model", folder, "--out", "scores.tsv", "--quiet"]) == 0
    with Path(text).open("a", encoding="utf-8") as stream:
        stream.write("好\n")
    assert outcome(["filter", text, "--scores", "scores.tsv", "--out", "clean.txt", "--above", "-99"]) != 0
    # 好 has three bytes, and there is a line end.
    assert "text.txt has changed since: it has become 4 bytes longer" in capsys.readouterr().err
    assert not Path("clean.txt").exists()


def test_a_file_of_which_nothing_was_scored_ends_with_exit_code_1(folder: str, capsys: Capture) -> None:
    Path("g.txt").write_bytes("他 走 了\n".encode("gb18030"))
    given = ["filter", "g.txt", "--model", folder, "--out", "clean.txt", "--keep", "0.5", "--encoding", "utf-8"]
    assert outcome([*given, "--quiet"]) == 1
    assert "0 of 1 sentences kept; 1 without a score." in capsys.readouterr().out
    assert outcome([*given, "--quiet", "--json"]) == 1


def test_rows_of_a_table_without_header_or_quoting_are_kept_as_they_are(folder: str) -> None:
    rows = ['k1\t"他 来 了\n', "k2\t他 走 了\n", "k3\t来 了 他\n", 'k4\t他 来 了"\n']
    Path("a.tsv").write_text("".join(rows), encoding="utf-8")
    given = ["filter", "a.tsv", "--model", folder, "--no-header", "--column", "2", "--out", "b.tsv", "--above", "-99"]
    assert outcome([*given, "--quiet"]) == 0
    assert Path("b.tsv").read_text(encoding="utf-8") == "".join(rows)
