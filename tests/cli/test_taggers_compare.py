"""Are two taggers compared sentence by sentence, and are the tests those that follow by hand?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.tagger_folder import TOYS, Capture, answered, here, refused, told

__all__ = ["here"]

pytestmark = pytest.mark.usefixtures("here")

TWO = ("compare", "--set", "set.tsv", "-t", "worse", "-t", "toy", *TOYS)


def test_the_differences_are_those_that_follow_by_hand(capsys: Capture) -> None:
    found = answered(capsys, *TWO)
    assert {row["analysis"] for row in found["estimates"]} == {"tagging differences"}
    assert {(row["by"]["system"], row["by"]["reference"]) for row in found["estimates"]} == {("worse", "toy")}
    values = {(row["by"]["pair"], row["statistic"]): row["value"] for row in found["estimates"]}
    # toy gets five of ten n:v right (决定), the worse one none.
    assert values["n:v", "D published difference"] == -50
    assert (values["n:v", "only system"], values["n:v", "only reference"]) == (0, 5)
    # McNemar's exact test of five against none: 2 · (1/2)^5.
    assert values["n:v", "McNemar p"] == pytest.approx(2 / 32)
    # 就此 four against none, 2 · (1/2)^4; Holm's step counts the five items, n:v having the smallest p.
    assert values["p+r:d", "McNemar p"] == pytest.approx(2 / 16)
    assert values["n:v", "adjusted McNemar p"] == pytest.approx(5 * 2 / 32)
    # 大家 is recorded of the one and wrong of the other: neither is right.
    assert values["r:n", "D difference"] is None
    assert values["r:n", "only reference"] == 0
    # Over the four items with a score for both: 55.6, 57.1, 100 and 100 less nothing.
    assert values["all items", "D difference"] == pytest.approx(-(500 / 9 + 400 / 7 + 200) / 4)


def test_what_is_printed(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = told(capsys, *TWO)
    assert shown.startswith("worse − toy\n") and "…" not in shown
    assert "worse − toy: Z as published differs by -61.43" in shown
    assert shown.endswith("runs/tagger-comparison/report.html\n")
    assert "仅" in told(capsys, *TWO, "--language", "zh")


def test_one_tagger_or_the_same_twice_is_nothing_to_compare(capsys: Capture) -> None:
    for names in ((), ("-t", "toy"), ("-t", "toy", "-t", "toy")):
        message = refused(capsys, "compare", "--set", "set.tsv", *names, *TOYS)
        assert "There is nothing to compare. Two taggers or more" in message
    assert "only where they stand" in refused(capsys, "compare", "--set", "bare.tsv", "-t", "toy", "-t", "worse", *TOYS)
    assert "No test set" in refused(capsys, "compare", "--set", "nix", "-t", "toy", "-t", "worse", *TOYS)
    assert not Path("runs").exists()
