"""Do tables of scores fit into a terminal, with every number that they promise?"""

from __future__ import annotations

import polars as pl
import pytest
from rich.console import Console

from hengliang import Estimate
from hengliang.core import estimates_frame
from hengliang.tagging.cli import print_differences, print_scores, print_sentences

Capture = pytest.CaptureFixture[str]


def scores(system: str, pair: str, **values: float | None) -> list[Estimate]:
    return [Estimate("a", {"system": system, "pair": pair}, name, value) for name, value in values.items()]


def test_an_item_and_a_tagger_share_a_line(capsys: Capture) -> None:
    rows = [
        Estimate("a", {"system": "one", "pair": "all items"}, "D", 50.0, 25.04, 75.0),
        *scores("one", "n:v", D=None, correct=0, wrong=0, record=3, failed=2, reachable=1),
        *scores("two", "n:v", D=12.345, correct=1, wrong=7, record=0, failed=0, reachable=0),
    ]
    print_scores(Console(width=90), estimates_frame(rows), "en")
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["all", "items", "(Z)", "one", "—", "50.0", "[25.0,", "75.0]", "//"] in lines
    assert ["n:v", "one", "—", "—", "0/0/3", "−2"] in lines
    assert ["n:v", "*", "two", "—", "12.3", "1/7/0"] in lines


def test_items_stay_together_in_the_order_in_which_they_are_met(capsys: Capture) -> None:
    rows = [*scores("one", "v:n", D=1), *scores("one", "a:b", D=2), *scores("two", "v:n", D=3)]
    print_scores(Console(width=90), estimates_frame(rows), "zh")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines if ":" in line and "(" not in line][-3:] == [
        ["v:n", "one"],
        ["v:n", "two"],
        ["a:b", "one"],
    ]


def test_a_tagger_s_name_stays_in_one_piece(capsys: Capture) -> None:
    print_scores(Console(width=80), estimates_frame(scores("program:./my-tagger", "n:v", D=12.5)), "en")
    assert "program:./my-tagger" in capsys.readouterr().out


def test_each_two_taggers_have_a_table(capsys: Capture) -> None:
    def row(system: str, statistic: str, value: float | None) -> Estimate:
        return Estimate("a", {"system": system, "reference": "base", "pair": "n:v"}, statistic, value)

    rows = [
        row("one", "D published difference", -12.5),
        row("one", "only system", 3.0),
        row("two", "D difference", 4.0),
    ]
    rows += [row("one", "adjusted McNemar p", 0.0004)]
    print_differences(Console(width=90), estimates_frame(rows), "en")
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if "−" in line and "n:v" not in line] == ["one − base", "two − base"]
    found = [line.split() for line in lines if "n:v" in line]
    assert found == [["n:v", "−12.5", "—", "3", "<", ".001"], ["n:v", "—", "4.0"]]


def test_sentences_of_one_analysis(capsys: Capture) -> None:
    told = pl.DataFrame({"analysis": ["a", "b"], "en": ["First.", "Second."], "zh": ["一。", "二。"]})
    print_sentences(told, "b", "en")
    print_sentences(told, "a", "zh")
    assert capsys.readouterr().out == "Second.\n一。\n"
