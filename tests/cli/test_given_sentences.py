"""Are sentences read from arguments, files and standard input alike?"""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.core import TableOptions
from hengliang.corpora.given_sentences import GivenSentence, given_sentences, tell_problems

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(*arguments: str, file: str | None = None, column: str | None = None) -> list[GivenSentence]:
    path = Path(file) if file else None
    return [
        one for batch in given_sentences(arguments, path, None, column, TableOptions(), "Example: …") for one in batch
    ]


def test_arguments_are_sentences() -> None:
    assert read("一<CL>马", "两<CL>书") == [GivenSentence(1, "一<CL>马"), GivenSentence(2, "两<CL>书")]


def test_a_file_keeps_its_broken_lines_apart() -> None:
    Path("text.txt").write_bytes("一<CL>马\t马\n\n".encode() + b"\xff\n" + "两<CL>书\n".encode())
    one, empty, broken, last = read(file="text.txt")
    assert (one.line, one.text) == (1, "一<CL>马\t马")
    assert empty.problem == "the line is empty"
    assert "byte 1 does not decode" in broken.problem
    assert (last.line, last.text, last.problem) == (4, "两<CL>书", "")


def test_tables_may_have_a_column_of_nouns() -> None:
    Path("rows.csv").write_text('sentence,noun\n"一<CL>马, 走",马\n两<CL>书,\n', encoding="utf-8")
    assert [(one.text, one.noun) for one in read(file="rows.csv")] == [("一<CL>马, 走", "马"), ("两<CL>书", "")]
    Path("rows.jsonl").write_text(
        '{"text": "一<CL>马", "noun": "马"}\n{"text": "两<CL>书", "noun": 3}\n', encoding="utf-8"
    )
    assert [(one.text, one.noun) for one in read(file="rows.jsonl")] == [("一<CL>马", "马"), ("两<CL>书", "")]
    Path("plain.tsv").write_text("mine\n一<CL>马\n", encoding="utf-8")
    assert [one.noun for one in read(file="plain.tsv", column="mine")] == [""]


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("一<CL>马\n".encode())))
    assert [one.text for one in read("-")] == ["一<CL>马"]


def test_nothing_and_both_are_refused() -> None:
    with pytest.raises(UserError, match="No sentence was given"):
        read()
    with pytest.raises(UserError, match="both as arguments and in a file"):
        read("一<CL>马", file="text.txt")
    with pytest.raises(UserError, match=r"Cannot read .*missing.txt"):
        read(file="missing.txt")


def test_problems_end_with_exit_code_two(capsys: Capture) -> None:
    assert tell_problems([]) == 0
    assert tell_problems([(3, "bad")] * 12) == 2
    shown = capsys.readouterr().err
    assert "12 lines have no answer" in shown
    assert shown.count("line 3: bad") == 10
    assert "… and 2 more" in shown
