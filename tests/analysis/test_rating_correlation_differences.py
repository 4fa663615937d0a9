"""Are differences of correlations paired, clustered, tested and corrected, and told the right way round?"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import Estimate, Tables, UserError
from hengliang.analysis.rating_correlation_differences import check_pairs, rating_correlation_differences
from hengliang.core import estimate_records
from hengliang.report import estimate_table
from hengliang.statistics import adjust, dependent_correlations
from tests import ORACLES
from tests.analysis.rated_scores import invented, rated, turned

ORACLE: dict[str, Any] = json.loads((ORACLES / "rating_correlation.json").read_text(encoding="utf-8"))
PAIR = [("A", "B")]
OPTIONS: dict[str, Any] = {"parts": "SLOR", "draws": 300, "permutations": 499}


def numbers(tables: Tables, pairs: Any = PAIR, **options: Any) -> dict[str, Estimate]:
    found = rating_correlation_differences(pairs, **{**OPTIONS, **options}).estimate(tables)
    return {row.statistic: row for row in estimate_records(found)}


def test_values_and_williams_are_those_of_r() -> None:
    tables = rated(ORACLE["rating"], {"A": ORACLE["first"], "B": ORACLE["second"]})
    found = numbers(tables)
    # cor of R; Williams' t by formula 7 of Steiger (1980) in tests/oracles/rating_correlation.R.
    assert found["first"].value == pytest.approx(ORACLE["of_first"]["pearson"], abs=1e-9)
    assert found["second"].value == pytest.approx(ORACLE["of_second"]["pearson"], abs=1e-9)
    assert found["difference"].value == pytest.approx(
        ORACLE["of_second"]["pearson"] - ORACLE["of_first"]["pearson"], abs=1e-9
    )
    williams = found["Williams' t"]
    assert (williams.value, williams.p) == pytest.approx((ORACLE["williams"]["t"], ORACLE["williams"]["p"]), abs=1e-9)
    assert williams.df == (37.0,)


def test_interval_and_p_are_those_of_the_tests_for_dependent_correlations() -> None:
    ratings, first, second = invented(60)
    sources = [f"q{number // 3:02d}" for number in range(60)]
    for coefficient in ("pearson", "spearman"):
        found = numbers(
            rated(list(ratings), {"A": list(first), "B": list(second)}, sources=sources), coefficient=coefficient
        )
        options: dict[str, Any] = {"coefficient": coefficient, "items": sources, "seed": 1}
        bootstrap = dependent_correlations(
            ratings, second, first, method="bootstrap", interval="bootstrap", draws=300, **options
        )
        swapped = dependent_correlations(ratings, second, first, method="permutation", draws=499, **options)
        effect = bootstrap.effects[0]
        row = found["difference"]
        assert (row.value, row.low, row.high) == pytest.approx((effect.value, effect.low, effect.high))
        assert row.p == swapped.p
        # Sources with three sentences: no test that takes sentences as independent.
        assert "Williams' t" not in found
        assert "20 levels of source_sentence" in row.method


def test_the_family_is_corrected_together() -> None:
    ratings, first, second = (list(column) for column in invented(60))
    parts = {"LogProb": first, "SLOR": second}
    turned_round = {"LogProb": second, "SLOR": first}
    found = rating_correlation_differences(PAIR, parts=("LogProb", "SLOR"), draws=50, permutations=499).estimate(
        rated(ratings, {"A": parts, "B": turned_round}, mode=["m1"] * 30 + ["m2"] * 30)
    )
    rows = list(estimate_records(found))
    p = [row.p for row in rows if row.statistic == "difference"]
    assert len(p) == 4
    assert [row.value for row in rows if row.statistic == "corrected p"] == list(adjust(p, "holm"))
    assert all("Holm correction, family of 4" in row.method for row in rows if row.statistic == "corrected p")


def test_sentences_say_raises_lowers_or_nothing_found() -> None:
    ratings, first, second = invented(150)
    noise = np.random.default_rng(8).normal(size=150)
    analysis = rating_correlation_differences(
        [("A", "B"), ("B", "A"), ("A", "C")], parts="SLOR", draws=300, permutations=999
    )
    tables = rated(list(ratings), {"A": list(first), "B": list(second), "C": list(first + 0.3 * noise)})
    told = analysis.conclude(tables).sentences
    assert told[0].en.startswith("BNC, MOP2: B against A raises r by .")
    assert told[0].zh.startswith("BNC、MOP2：B 与 A 相比，使 r 提高 .")
    assert told[1].en.startswith("BNC, MOP2: A against B lowers r by .")
    assert told[2].en.startswith("BNC, MOP2: C against A shows no evidence of a difference: ")
    assert "未见差异的证据" in told[2].zh
    assert told[3].en == (
        "2 of 3 tested differences are significant at 0.05 after correction (p*: Holm correction), 2 without it."
    )


def test_what_is_lost_to_the_correction_is_not_told_as_nothing() -> None:
    ratings, first, second = (list(column) for column in invented(16))
    # Four equal comparisons: each p is below .05, and four times as large after the correction.
    parts = ("LogProb", "Mean LP", "Norm LP (Div)", "SLOR")
    analysis = rating_correlation_differences(PAIR, parts=parts, draws=300, permutations=999)
    scores = {"A": dict.fromkeys(parts, first), "B": dict.fromkeys(parts, second)}
    conclusion = analysis.conclude(rated(ratings, scores))
    rows = list(estimate_records(conclusion.estimates))
    alone = next(row for row in rows if row.statistic == "difference")
    corrected = next(row for row in rows if row.statistic == "corrected p")
    assert alone.p is not None and corrected.value is not None and alone.p <= 0.05 < corrected.value
    assert conclusion.sentences[0].en.startswith("BNC, MOP2: B against A differs only before correction: .")
    assert "no evidence" not in conclusion.sentences[0].en
    assert "仅在校正前有差异：." in conclusion.sentences[0].zh and "（SLOR，p" in conclusion.sentences[0].zh
    assert conclusion.sentences[1].en == (
        "0 of 4 tested differences are significant at 0.05 after correction (p*: Holm correction), 4 without it."
    )
    assert conclusion.sentences[1].zh.endswith("（p*：Holm 校正），不校正时有 4 个。")


def test_a_lowering_is_told_with_its_size_and_the_bounds_turned() -> None:
    ratings, first, second = invented(150)
    analysis = rating_correlation_differences([("B", "A")], parts="SLOR", draws=300, permutations=999)
    tables = rated(list(ratings), {"A": list(first), "B": list(second)})
    conclusion = analysis.conclude(tables)
    row = next(row for row in estimate_records(conclusion.estimates) if row.statistic == "difference")
    assert row.value is not None and row.low is not None and row.high is not None and row.high < 0
    size, low, high = (f"{-number:.3f}".lstrip("0") for number in (row.value, row.high, row.low))
    assert f"lowers r by {size} [{low}, {high}]" in conclusion.sentences[0].en


def test_only_sentences_that_both_scored_are_compared() -> None:
    ratings, first, second = (list(column) for column in invented(30))
    gaps = [None if number < 4 else value for number, value in enumerate(first)]
    found = numbers(rated(ratings, {"A": gaps, "B": second}))
    assert (found["difference"].n, found["difference"].n_missing) == (26, 4)
    assert found["second"].value == pytest.approx(np.corrcoef(second[4:], ratings[4:])[0, 1])


def test_what_cannot_be_tested_says_why() -> None:
    ratings, first, second = (list(column) for column in invented(20))
    doubled = [2 * value for value in first]
    analysis = rating_correlation_differences(PAIR, **OPTIONS)
    same = analysis.conclude(rated(ratings, {"A": first, "B": doubled}))
    found = {row.statistic: row for row in estimate_records(same.estimates)}
    # Both correlations exist and are equal; there is nothing to test.
    assert found["first"].value == pytest.approx(found["second"].value)
    assert found["difference"].value == pytest.approx(0, abs=1e-12)
    assert (found["difference"].p, found["corrected p"].value) == (None, None)
    assert "same but for scale" in found["difference"].method
    assert "has no test of SLOR (the two scores are the same but for scale" in same.sentences[0].en
    assert "两种分数除尺度外完全相同" in same.sentences[0].zh
    flat = numbers(rated(ratings, {"A": [1.0] * 20, "B": second}))
    assert flat["difference"].value is None and "all 20 scores of A are 1" in flat["difference"].method
    few = numbers(rated(ratings[:3], {"A": first[:3], "B": second[:3]}))
    assert few["difference"].value is not None and "too few sentences for a test (3)" in few["difference"].method
    one = numbers(rated(ratings, {"A": first, "B": second}, sources=["q"] * 20))
    assert "all sentences have one source" in one["difference"].method
    seeds = numbers(
        rated(ratings, {"a": first, "b": doubled, "B": second}, seeds={"a": ("A", 1), "b": ("A", 2)}), parts="SLOR"
    )
    assert "A has 2 seeds; compare seed by seed" in seeds["difference"].method


def test_pairs_are_checked() -> None:
    tables = rated([1, 2, 3, 4], {"A": [1, 2, 3, 4], "B": [2, 1, 3, 4]})
    with pytest.raises(UserError, match="No pair of systems is named"):
        numbers(tables, [])
    with pytest.raises(UserError, match="No system is called 'C'"):
        numbers(tables, [("A", "C")])
    with pytest.raises(UserError, match="cannot be compared with itself"):
        numbers(tables, [("A", "A")])
    with pytest.raises(UserError, match="The coefficient 'kendall' does not exist"):
        numbers(tables, coefficient="kendall")
    check_pairs([("A", "B")], ["A", "B"])


def test_it_keeps_the_promises_of_an_analysis() -> None:
    assert [finding for finding in rating_correlation_differences().conformance() if not finding.kept] == []
    ratings, first, second = (list(column) for column in invented(20))
    tables = rated(ratings, {"A": first, "B": second})
    analysis = rating_correlation_differences(PAIR, **OPTIONS)
    assert analysis.estimate(turned(tables)).equals(analysis.estimate(tables))
    table = estimate_table(analysis.estimate(tables), analysis.layout())
    assert [table.heading(column) for column in table.columns][2:9] == [
        *("First", "Second", "Measure", "r of the first", "r of the second", "Difference", "p, Holm correction"),
    ]


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 1000), st.sampled_from(["pearson", "spearman"]))
def test_a_swapped_pair_flips_the_sign(seed: int, coefficient: str) -> None:
    ratings, first, second = (list(column) for column in invented(16, seed))
    sources = [f"q{number // 2}" for number in range(16)]
    tables = rated(ratings, {"A": first, "B": second}, sources=sources)
    one = numbers(tables, coefficient=coefficient)["difference"]
    other = numbers(tables, [("B", "A")], coefficient=coefficient)["difference"]
    assert other.value == pytest.approx(-one.value)  # type: ignore[operator]
    assert (other.low, other.high) == pytest.approx((-one.high, -one.low))  # type: ignore[operator]
    assert other.p == one.p


def test_one_measure_has_a_figure_and_many_in_groups_have_none() -> None:
    assert rating_correlation_differences(PAIR, parts="SLOR").layout().figure == "intervals"
    assert rating_correlation_differences(PAIR).layout().figure == "none"
