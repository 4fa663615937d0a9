"""In which folder, with which files, do the tests of `hengliang taggers` work?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hengliang.cli.main import outcome
from hengliang.tagging import write_set
from tests.small_tagged_corpus import small_set, write_corpus, write_plugin

TOYS = ("--plugin", "toys.py", "--quiet")

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder to work in, with stories.txt, toys.py, and the test sets set.tsv, bare.tsv and two.tsv.

    set.tsv holds its sentences, bare.tsv only their places, two.tsv no more than two sentences a word.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    write_plugin(tmp_path)
    corpus = write_corpus(tmp_path)
    write_set("set.tsv", small_set(corpus), text=True)
    write_set("bare.tsv", small_set(corpus))
    write_set("two.tsv", small_set(corpus, most=2), text=True)
    return tmp_path


def told(capture: Capture, *arguments: str, code: int = 0) -> str:
    """Run `hengliang taggers` and return what it prints to standard output; its exit code is checked."""
    found = outcome(["taggers", *arguments])
    shown = capture.readouterr()
    assert found == code, shown.err
    assert "Traceback" not in shown.err
    return shown.out


def refused(capture: Capture, *arguments: str) -> str:
    """Run `hengliang taggers`, which must refuse what is asked, and return its message."""
    found = outcome(["taggers", *arguments])
    shown = capture.readouterr()
    assert found == 2, shown.out + shown.err
    assert "Traceback" not in shown.err and "fault of our own" not in shown.err
    assert shown.out == ""
    return shown.err


def answered(capture: Capture, *arguments: str) -> Any:
    """Run `hengliang taggers … --json` and return the object that it prints."""
    value = json.loads(told(capture, *arguments, "--json"))
    assert value["schema_version"] == 1
    return value
