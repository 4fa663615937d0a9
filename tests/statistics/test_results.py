"""Does the result of a test say everything: numbers, sentence, conventions, estimates?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from hengliang import Bilingual, Signature, UserError
from hengliang.statistics.results import (
    Effect,
    Sample,
    TestResult,
    Variant,
    check_alpha,
    check_choice,
    check_sidedness,
    checksum,
    is_missing,
)

RESULT = TestResult(
    test="chi-squared",
    title=Bilingual("chi-squared test", "卡方检验"),
    symbol="χ²",
    statistic=51.3914,
    p=7.6e-13,
    alternative="undirected",
    n=1200,
    significant=Bilingual("Matched choices were rated higher", "与语料一致的选择得分更高"),
    otherwise=Bilingual("No difference was found", "未发现差异"),
    df=(1.0,),
    n_missing=3,
    effects=(Effect("phi", "φ", 0.20695, 0.15, 0.26, method="Fisher z"), Effect("odds", "OR", 2.67, bounded=False)),
    conventions={"correction": "none"},
    details={"grand median": 5.0},
    notes=(Bilingual("Copies were counted.", "计入了重复项。"),),
    data="abc",
)


def test_the_sentence_is_that_of_a_results_section() -> None:
    sentence = RESULT.sentence()
    assert sentence.en == (
        "Matched choices were rated higher (chi-squared test, no direction: χ²(1, N = 1200) = 51.39, p < .001, "
        "φ = .21, 95 % CI [.15, .26])."
    )
    assert sentence.zh.startswith("与语料一致的选择得分更高（卡方检验，无方向：χ²(1, N = 1200) = 51.39")


def test_p_above_alpha_gives_the_other_sentence() -> None:
    assert replace(RESULT, p=0.2).sentence().en.startswith("No difference was found (")
    assert replace(RESULT, p=0.04).is_significant
    assert not replace(RESULT, p=0.04, alpha=0.01).is_significant


def test_an_undefined_p_is_not_significant_and_said() -> None:
    result = replace(RESULT, p=None, statistic=float("nan"))
    assert not result.is_significant
    assert "N = 1200, p not defined" in result.statistic_text()
    assert next(row.value for row in result.estimates("a")) is None


def test_a_variant_is_told_in_both_languages() -> None:
    result = replace(RESULT, variants=(Variant({"correction": "yates"}, ("R",), 50.3, 0.06),))
    assert "Other conventions decide otherwise at α = 0.05: correction = yates (R): p = .060." in result.sentence().en
    assert "其他惯例会得出不同结论：correction = yates (R): p = .060" in result.sentence().zh
    assert "sensitivity: correction = yates (R) gives p = .060" in result.summary()


def test_the_summary_names_conventions_details_notes_and_missing_values() -> None:
    summary = RESULT.summary()
    for part in ("convention correction: none", "grand median: 5", "note: Copies were counted.", "3 missing left out"):
        assert part in summary
    assert str(RESULT) == summary


def test_the_signature_changes_with_every_convention_and_with_the_data() -> None:
    lines = {
        str(RESULT.signature()),
        str(replace(RESULT, conventions={"correction": "yates"}).signature()),
        str(replace(RESULT, data="abd").signature()),
        str(replace(RESULT, alternative="less").signature()),
    }
    assert len(lines) == 4
    assert ("correction", "none") in Signature.parse(str(RESULT.signature())).pairs


def test_estimates_hold_the_statistic_the_effects_and_the_variants() -> None:
    result = replace(RESULT, variants=(Variant({"correction": "yates"}, (), 50.3, 0.06),))
    rows = list(result.estimates("median", {"split": "match"}))
    assert [row.statistic for row in rows] == ["chi-squared", "phi", "odds", "chi-squared"]
    assert (rows[0].p, rows[0].df, rows[0].n, rows[0].n_missing) == (7.6e-13, (1.0,), 1200, 3)
    assert (rows[1].low, rows[1].high, rows[1].method) == (0.15, 0.26, "Fisher z")
    assert rows[3].by == {"split": "match", "convention": "correction = yates"}
    assert rows[3].p == 0.06


def test_an_effect_without_an_interval_shows_none() -> None:
    assert str(RESULT.effect("odds")) == "OR = 2.67"
    with pytest.raises(KeyError):
        RESULT.effect("d")


def test_a_sample_leaves_out_what_is_missing_and_counts_it() -> None:
    sample = Sample.of(np.array([1, None, float("nan"), 3], dtype=object))
    assert sample.values.tolist() == [1.0, 3.0]
    assert sample.n_missing == 2


@pytest.mark.parametrize("values", [["seven"], [float("inf"), 1.0]])
def test_a_sample_refuses_text_and_infinity(values: list[object]) -> None:
    with pytest.raises(UserError, match="ratings holds"):
        Sample.of(np.asarray(values, dtype=object), "ratings")


def test_the_checksum_tells_data_apart() -> None:
    assert checksum([1, 2], [3]) != checksum([1], [2, 3])
    assert checksum([1, 2]) == checksum(np.array([1.0, 2.0]))


def test_conventions_that_do_not_exist_are_refused() -> None:
    with pytest.raises(UserError, match=r"alternative 'both' does not exist.*two-sided, greater, less"):
        check_sidedness("both")
    with pytest.raises(UserError, match="zeros 'drop' does not exist"):
        check_choice("zeros", "drop", ("wilcox", "pratt"))
    with pytest.raises(UserError, match="alpha = 5"):
        check_alpha(5)


@pytest.mark.parametrize("missing", [None, float("nan"), np.float32("nan"), np.datetime64("NaT"), pd.NA, pd.NaT])
def test_what_stands_for_nothing(missing: object) -> None:
    assert is_missing(missing)


@pytest.mark.parametrize("value", [0, 0.0, "", "NA", False, np.float32(3), float("inf")])
def test_what_is_a_value(value: object) -> None:
    assert not is_missing(value)


def test_a_pandas_column_with_gaps_is_a_sample() -> None:
    sample = Sample.of(pd.Series([1, None, 3], dtype="Int64"))
    assert (sample.values.tolist(), sample.n_missing) == ([1, 3], 1)


def test_what_an_array_masks_is_missing() -> None:
    sample = Sample.of(np.ma.masked_equal([1, 2, 99, 4], 99))
    assert (sample.values.tolist(), sample.n_missing) == ([1, 2, 4], 1)
