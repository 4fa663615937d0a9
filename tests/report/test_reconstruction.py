"""Does the report of reconstructions show every table in both languages?"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from hengliang.analysis.reconstruction.battery import Battery, Settings, analyse_reconstructions
from hengliang.analysis.reconstruction.experts import expert_scores
from hengliang.report import ReportContent, write_report
from hengliang.report.reconstruction import reconstruction_content
from tests.analysis.reconstruction.made_answers import made, scores_of, spread_answers, swap_answers

QUICK = Settings(draws=50, permutations=99)


@cache
def battery() -> Battery:
    data = made(spread_answers("4"), spread_answers("5"))
    long = scores_of(data).unpivot(index="pair", variable_name="score", value_name="value")
    return analyse_reconstructions(data, expert_scores(long, "scores.csv"), QUICK)


def test_the_page_has_the_numbers_of_the_paper(tmp_path: Path) -> None:
    out = write_report(reconstruction_content(battery()), tmp_path / "report.html")
    page = out.read_text(encoding="utf-8")
    for shown in (
        "4.841",
        "1.768",
        "6.532",
        "Swaps by describer and size",
        "交换占 n 的比例",
        "Hypothesis 1",
        "假设 4",
    ):
        assert shown in page


@pytest.mark.parametrize("language", ["en", "zh"])
def test_markdown(tmp_path: Path, language: str) -> None:
    out = write_report(reconstruction_content(battery()), tmp_path / "report.md", language)  # type: ignore[arg-type]
    text = out.read_text(encoding="utf-8")
    assert {"en": "Spread of the answers", "zh": "回答的离散度"}[language] in text and "scores.csv" in text


def test_content_travels_as_json() -> None:
    content = reconstruction_content(battery())
    assert ReportContent.from_json(content.to_json()).to_json() == content.to_json()
    assert [entry.name for entry in content.systems] == ["Human", "QDG-IA", "QDG-GREEDY"]
    assert sum(entry.n_responses for entry in content.systems) == 192
    assert content.materials[0].n_items == 66 and not content.simulated


def test_little_data_make_a_report_too(tmp_path: Path) -> None:
    held = analyse_reconstructions(made(swap_answers("3")), settings=QUICK)
    page = write_report(reconstruction_content(held), tmp_path / "report.html").read_text(encoding="utf-8")
    assert "There are no expert scores for these pairs." in page
