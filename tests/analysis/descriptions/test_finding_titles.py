"""Has everything that the findings show a title in both languages?"""

from __future__ import annotations

from hengliang.analysis.descriptions.argument_order import BOTH_PLACES
from hengliang.analysis.descriptions.argument_order import MEASURES as ORDER
from hengliang.analysis.descriptions.beside_describers import BY_COLUMN
from hengliang.analysis.descriptions.finding_titles import FACTORS, LEVELS, STATISTICS
from hengliang.analysis.descriptions.finding_words import SAID
from hengliang.analysis.descriptions.findings import MEASURES
from hengliang.analysis.descriptions.size_trends import ALL, COEFFICIENT, SLOPE, TREND


def test_measures_have_titles() -> None:
    named = {one.measure for held in MEASURES.values() for one in held} | {one.measure for one in ORDER}
    named |= {measure for measure, _ in BY_COLUMN.values()} | {BOTH_PLACES, ALL, TREND, *SAID}
    assert named <= set(LEVELS)
    assert {"share", "mean", SLOPE, COEFFICIENT} == set(STATISTICS)
    assert all(title.en and title.zh for title in (*LEVELS.values(), *FACTORS.values()))


def test_titles_tell_measures_apart() -> None:
    titles = [title.en for title in LEVELS.values()]
    assert len(set(titles)) == len(titles)
    chinese = [title.zh for title in LEVELS.values()]
    assert len(set(chinese)) == len(chinese)
