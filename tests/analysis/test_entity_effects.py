"""Are sentences parted by their entities, and is the growth of a difference drawn from the same clusters?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from hengliang import Estimate, Tables, UserError
from hengliang.analysis.entity_effects import entity_effects, with_entity_groups
from hengliang.core import estimate_records
from hengliang.report import estimate_table
from tests.analysis.rated_scores import invented, rated, turned

PAIR = [("SP", "RNE")]
COUNTS: list[Mapping[str, int] | None] = [
    None if number == 79 else {"PERSON": number % 4, "DATE": 2 * (number % 4 == 3)} for number in range(80)
]
GROUP = np.array([number % 4 for number in range(79)])


def tables(step: float = 1.0, n: int = 80) -> Tables:
    """Return sentences with 0, 1, 2 and 3 or more entities in turn; RNE follows the rating the closer the more."""
    ratings, first, _ = invented(n)
    second = first + step * (np.arange(n) % 4) * ratings
    sources = [f"q{number // 8}" for number in range(n)]
    counts = (COUNTS * (n // 80))[:n]
    return rated(list(ratings), {"SP": list(first), "RNE": list(second)}, sources=sources, counts={"ner": counts})


def rows(show: str, held: Tables, **options: Any) -> list[Estimate]:
    settings = {"draws": 200, "permutations": 199, **options}
    return list(estimate_records(entity_effects(PAIR, show=show, **settings).estimate(held)))  # type: ignore[arg-type]


def expected(group: int) -> tuple[float, float]:
    """Return Pearson's r of both systems among the sentences of a group, by NumPy."""
    ratings, first, _ = (column[:79][group == GROUP] for column in invented(80))
    return np.corrcoef(first, ratings)[0, 1], np.corrcoef(first + group * ratings, ratings)[0, 1]


def test_groups_are_counts_with_the_rest_together() -> None:
    items = with_entity_groups(tables()).items
    assert items["entities"].cast(str).to_list()[:4] == ["0", "1", "2", "3+"]
    assert items["entities"].to_list()[79] is None
    few = with_entity_groups(tables(), most=1).items
    assert few["entities"].cast(str).to_list()[:4] == ["0", "1+", "1+", "1+"]


def test_correlations_are_those_within_groups() -> None:
    found = {(row.by["entities"], row.by["system"]): row for row in rows("correlations", tables())}
    for group, level in enumerate(("0", "1", "2", "3+")):
        values = expected(group)
        assert (found[level, "SP"].value, found[level, "RNE"].value) == pytest.approx(values)
    assert found["3+", "SP"].n == 19
    # The sentence that could not be read stands apart.
    assert found["(none)", "SP"].n == 1 and found["(none)", "SP"].value is None
    assert list(dict.fromkeys(level for level, _ in found)) == ["0", "1", "2", "3+", "(none)"]


def test_differences_are_second_minus_first_within_groups() -> None:
    found = {row.by["entities"]: row for row in rows("differences", tables()) if row.statistic == "difference"}
    for group, level in enumerate(("1", "2", "3+"), start=1):
        first, second = expected(group)
        assert found[level].value == pytest.approx(second - first)
    # Without entities both systems give the same scores, which cannot differ.
    assert found["0"].value == pytest.approx(0, abs=1e-12) and "same but for scale" in found["0"].method


def test_growth_is_the_difference_less_that_without_entities() -> None:
    found = {row.by["entities"]: row for row in rows("growth", tables())}
    assert list(found) == ["1", "2", "3+"]
    for group, level in enumerate(found, start=1):
        first, second = expected(group)
        row = found[level]
        assert row.value == pytest.approx(second - first)  # without entities the difference is 0
        assert row.low is not None and row.high is not None and row.low < row.value < row.high  # type: ignore[operator]
        # The sentence that the counter did not read is of no group, and counted.
        assert (row.n, row.n_missing) == (int(np.sum(group == GROUP)), 1)
    assert found["3+"].low > 0  # type: ignore[operator]


def test_growth_is_told_where_it_is_found_and_where_not() -> None:
    told = entity_effects(PAIR, show="growth", draws=300).conclude(tables(n=240)).sentences
    assert told[2].en.startswith("BNC, MOP2, 3+ entities: the step from SP to RNE moves the correlation further up")
    assert "使相关上升更多" in told[2].zh
    # A second system that differs from the first by noise only.
    ratings, first, _ = invented(80)
    noisy = first + 0.2 * np.random.default_rng(5).normal(size=80)
    held = rated(
        list(ratings), {"SP": list(first), "RNE": list(noisy)}, counts={"ner": [{"DATE": n % 4} for n in range(80)]}
    )
    quiet = entity_effects(PAIR, show="growth", draws=300).conclude(held).sentences
    assert all("no evidence" in sentence.en and "未见" in sentence.zh for sentence in quiet)


def test_few_sources_give_an_interval_and_no_verdict() -> None:
    # Ten sources in every group: the growth of the last is far above 0, and still nothing is called found.
    conclusion = entity_effects(PAIR, show="growth", draws=300).conclude(tables())
    last = list(estimate_records(conclusion.estimates))[-1]
    assert last.low is not None and last.low > 0
    assert "so few source sentences make the interval too narrow (10)" in last.method
    assert conclusion.sentences[-1].en.startswith("BNC, MOP2, 3+ entities: too few source sentences to say")
    assert "源句过少" in conclusion.sentences[-1].zh
    # Three sentences have a correlation, and no interval worth the name.
    ratings, first, second = (list(column) for column in invented(40))
    counts: list[Mapping[str, int] | None] = [{"DATE": 1} if number < 3 else {} for number in range(40)]
    found = rows("growth", rated(ratings, {"SP": first, "RNE": second}, counts={"ner": counts}))
    assert found[0].n == 3 and found[0].value is None and "too few source sentences (3)" in found[0].method


def test_groups_without_enough_sentences_say_so() -> None:
    counts: list[Mapping[str, int] | None] = [{"DATE": 1} if number < 18 else {} for number in range(20)]
    ratings, first, second = (list(column) for column in invented(20))
    held = rated(ratings, {"SP": first, "RNE": second}, counts={"ner": counts})
    found = {row.by["entities"]: row for row in rows("growth", held)}
    assert found["1"].value is None and "too few sentences have a score and a rating (2)" in found["1"].method
    assert found["2"].value is None and found["2"].n == 0


def test_layouts() -> None:
    for show, column in (("growth", "3+"), ("differences", "Difference"), ("correlations", "RNE")):
        analysis = entity_effects(PAIR, show=show, draws=50, permutations=99)  # type: ignore[arg-type]
        table = estimate_table(analysis.estimate(tables()), analysis.layout())
        assert column in [table.heading(one) for one in table.columns]
        assert "entities" in analysis.title.en and "实体" in analysis.title.zh
        assert "narrower spread" in analysis.explanation.en


def test_mistakes_are_named() -> None:
    held = tables()
    for options, message in (
        ({"most": 0}, "leaves one group only"),
        ({"counter": "nobody"}, "No counter of entities is called 'nobody'"),
    ):
        with pytest.raises(UserError, match=message):
            rows("growth", held, **options)
    with pytest.raises(UserError, match="The show 'pie' does not exist"):
        rows("pie", held)
    with pytest.raises(UserError, match="No pair of systems is named"):
        entity_effects(show="growth").estimate(held)
    with pytest.raises(UserError, match="has an attribute or trait 'entities' already"):
        with_entity_groups(with_entity_groups(held))
    with pytest.raises(UserError, match="No system counts entities"):
        rows("growth", rated([1, 2, 3], {"SP": [1, 2, 3], "RNE": [1, 3, 2]}))


def test_it_keeps_the_promises_of_an_analysis() -> None:
    for show in ("growth", "differences", "correlations"):
        analysis = entity_effects(PAIR, show=show, draws=50, permutations=99)
        assert [finding for finding in analysis.conformance() if not finding.kept] == []
        assert analysis.estimate(turned(tables())).equals(analysis.estimate(tables()))
