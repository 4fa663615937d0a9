"""Does the terminal show the tables as the paper has them, in both languages?"""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.console import Console

from hengliang.analysis.reconstruction.battery import Battery, Settings, analyse_reconstructions
from hengliang.analysis.reconstruction.experts import expert_scores
from hengliang.core import Language
from hengliang.report.reconstruction_brief import reconstruction_brief
from tests.analysis.reconstruction.made_answers import made, scores_of, spread_answers, swap_answers

QUICK = Settings(draws=50, permutations=99)


def shown(battery: Battery, language: Language = "en") -> str:
    console = Console(width=200, record=True, file=None, highlight=False)
    with console.capture() as captured:
        for each in reconstruction_brief(battery, language):
            console.print(each)
    return captured.get()


@pytest.fixture(scope="module")
def both() -> Battery:
    data = made(spread_answers("4"), spread_answers("5"))
    long = scores_of(data).unpivot(index="pair", variable_name="score", value_name="value")
    return analyse_reconstructions(data, expert_scores(long), QUICK)


def test_the_tables_of_the_paper(both: Battery) -> None:
    text = shown(both)
    rows = [line.split() for line in text.splitlines()]
    assert ["sum", "over", "kinds", "0.111", "0.984", "4.841"] in rows
    assert ["sum", "over", "kinds", "0.236", "0.354", "1.768"] in rows
    assert "Tukey: 4–9 p = .456, 4–20 p < .001, 9–20 p < .001" in text and "All experiments" in text
    assert "Hypothesis 4" in text and "mixed model: b = " in text


def test_in_chinese(both: Battery) -> None:
    text = shown(both, "zh")
    for words in ("交换占 n 的比例", "各类之和", "专家评分与交换次数", "假设 1", "合计"):
        assert words in text


def test_table_2_and_no_mark_of_simulation() -> None:
    battery = analyse_reconstructions(made(swap_answers("2")), settings=QUICK)
    text = shown(battery)
    human = next(line for line in text.splitlines() if line.startswith("Human"))
    assert [part for part in human.split() if "[" not in part and "]" not in part][1:] == [
        "8.33",
        "6.25",
        "15.00",
        "9.50",
    ]
    assert "imulated" not in text
    simulated = replace(battery, data=replace(battery.data, simulated=True))
    assert "imulated" in shown(simulated)


def test_unequal_readers_are_said() -> None:
    answers = list(swap_answers("2"))
    battery = analyse_reconstructions(made(iter(answers[:-3])), settings=QUICK)
    assert "With every pair counted once: " in shown(battery)
