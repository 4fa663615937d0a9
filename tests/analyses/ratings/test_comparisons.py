"""Are pairs of levels compared as SciPy compares them, and corrected as one family?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from hengliang import UserError
from hengliang.analyses.ratings.comparisons import (
    BRUNNER_MUNZEL,
    COPIED,
    MANN_WHITNEY,
    RATINGS,
    SIGN,
    SIGNED_RANKS,
    UNIQUE,
    Test,
    clustered_part,
    comparison_parts,
    comparisons_of,
    decided_by_both,
    family_note,
    part_of,
    placed_pairs,
    too_few_clusters,
    unique_ratings,
)
from hengliang.analyses.ratings.parts import ADJUSTED, Part, Questions
from hengliang.statistics import TestResult, p_remark
from tests.analyses.ratings.made_ratings import made_ratings, scores, table_of

FRAME = made_ratings(items=12, raters=6)


def found_by(part: Part) -> dict[tuple[str, ...], TestResult]:
    return {tuple(by.values()): found for by, found in part.results if isinstance(found, TestResult)}


def test_all_pairs_or_all_against_a_reference(tmp_path: Path) -> None:
    ratings = table_of(tmp_path, FRAME, "fluency", "clarity")
    assert len(comparisons_of(ratings, Questions())) == 12
    against = comparisons_of(ratings, Questions(reference="BERT"))
    assert [asked.label for asked in against[:3]] == ["CORPUS − BERT", "RULE − BERT", "LSTM − BERT"]
    with pytest.raises(UserError, match="No level of 'system' is called 'BART'"):
        comparisons_of(ratings, Questions(reference="BART"))


def test_signed_ranks_agree_with_scipy(tmp_path: Path) -> None:
    part = part_of(SIGNED_RANKS, table_of(tmp_path, FRAME), Questions(), corrected=True)
    found = found_by(part)["CORPUS − RULE",]
    # SciPy drops zeros and, with more than 50 differences, takes the normal distribution as we do.
    expected = stats.wilcoxon(scores(FRAME, "CORPUS"), scores(FRAME, "RULE"), method="asymptotic", correction=False)
    assert found.p == pytest.approx(expected.pvalue)
    assert found.n == 72
    assert found.effect("r").value == pytest.approx(abs(stats.norm.isf(expected.pvalue / 2)) / np.sqrt(72))


def test_the_other_tests_agree_with_scipy(tmp_path: Path) -> None:
    ratings = table_of(tmp_path, FRAME)
    first, second = np.array(scores(FRAME, "LSTM")), np.array(scores(FRAME, "BERT"))
    signs = found_by(part_of(SIGN, ratings, Questions(), corrected=False))["LSTM − BERT",]
    up, down = int((first > second).sum()), int((first < second).sum())
    assert signs.p == pytest.approx(stats.binomtest(up, up + down).pvalue)
    munzel = found_by(part_of(BRUNNER_MUNZEL, ratings, Questions(), corrected=False))["LSTM − BERT",]
    assert munzel.p == pytest.approx(stats.brunnermunzel(first, second).pvalue)
    alone = table_of(tmp_path, FRAME, pair=())
    whitney = found_by(part_of(MANN_WHITNEY, alone, Questions(), corrected=True))["LSTM − BERT",]
    expected = stats.mannwhitneyu(first, second, method="asymptotic", use_continuity=False)
    assert whitney.p == pytest.approx(expected.pvalue)


def test_the_comparisons_of_a_measure_are_one_family(tmp_path: Path) -> None:
    ratings = table_of(tmp_path, FRAME, "fluency", "clarity")
    part = part_of(SIGNED_RANKS, ratings, Questions(family="bonferroni"), corrected=True)
    raw = {tuple(by.values()): found.p for by, found in part.results if isinstance(found, TestResult)}
    adjusted = {tuple(row.by.values()): row.value for row in part.estimates if row.statistic == ADJUSTED}
    assert len(adjusted) == 12
    # Six comparisons a measure: Bonferroni multiplies by 6, not by 12.
    assert all(adjusted[key] == pytest.approx(min(1.0, 6 * (p or 0))) for key, p in raw.items())
    assert "family of 6" in part.sentences[0].en and "6 项" in part.sentences[0].zh
    assert "the 6 comparisons of one measure" in family_note(Questions(), ratings).en


@pytest.mark.parametrize("test", [SIGNED_RANKS, SIGN, BRUNNER_MUNZEL])
def test_sentences_decide_by_the_corrected_p_and_name_both(tmp_path: Path, test: Test) -> None:
    ratings = table_of(tmp_path, made_ratings(items=8, raters=7), "fluency", "clarity")
    part = next(part for part in comparison_parts(ratings, Questions()) if part.name == test.name)
    adjusted = {tuple(row.by.values()): row.value for row in part.estimates if row.statistic == ADJUSTED}
    taken_back = 0
    for place, found in found_by(part).items():
        p, told = adjusted[place], found.sentence()
        assert p is not None and found.p is not None
        assert told.en.startswith(found.significant.en if p <= 0.05 else found.otherwise.en)
        assert told.zh.startswith(found.significant.zh if p <= 0.05 else found.otherwise.zh)
        assert f"{p_remark(found.p)}, " in told.en and f"Holm correction, 6 tests: {p_remark(p)})" in told.en
        taken_back += found.p <= 0.05 < p
    # Among twelve comparisons are some that only a single test would find.
    assert taken_back


def test_one_comparison_is_not_corrected_and_its_sentence_has_one_p(tmp_path: Path) -> None:
    (found,) = found_by(
        part_of(SIGNED_RANKS, table_of(tmp_path, FRAME, levels=("CORPUS", "RULE")), Questions(), corrected=True)
    ).values()
    assert found.adjusted_p is None and "correction" not in found.sentence().en


def test_levels_without_a_pair_are_told_why_and_what_to_do(tmp_path: Path) -> None:
    # BERT has items of its own, so that nothing pairs it with the others.
    other = pl.when(pl.col("system") == "BERT").then(pl.lit("x") + pl.col("item")).otherwise("item")
    ratings = table_of(tmp_path, FRAME.with_columns(item=other), levels=("CORPUS", "RULE", "BERT"))
    part = part_of(SIGNED_RANKS, ratings, Questions(), corrected=True)
    assert "CORPUS − BERT: no test (no item × rater has ratings of both; --levels CORPUS,BERT" in part.warnings[0].en
    assert part.warnings[0] in part.sentences and "--levels CORPUS,BERT" in part.warnings[0].zh


def test_the_clustered_tests_of_a_measure_are_a_family_of_their_own(tmp_path: Path) -> None:
    ratings = table_of(tmp_path, made_ratings(items=8, raters=6), levels=("CORPUS", "RULE", "BERT"))
    part = clustered_part(ratings, Questions(family="bonferroni"), None)
    raw = {tuple(by.values()): found.p for by, found in part.results if isinstance(found, TestResult)}
    adjusted = {tuple(row.by.values()): row.value for row in part.estimates if row.statistic == ADJUSTED}
    # Three comparisons: Bonferroni multiplies by 3.
    assert adjusted == {key: pytest.approx(min(1.0, 3 * (p or 0))) for key, p in raw.items()} and len(raw) == 3
    assert "family of 3" in part.sentences[0].en
    assert "by the clustered test" in family_note(Questions(), ratings).en
    alone = table_of(tmp_path, FRAME, levels=("CORPUS", "RULE"))
    assert family_note(Questions(), alone).en == "One comparison a measure: p is not corrected."


@pytest.mark.parametrize(("raters", "least"), [(3, 0.25), (6, 0.03125)])
def test_p_of_few_clusters_has_a_floor(tmp_path: Path, raters: int, least: float) -> None:
    # k raters change sides in 2ᵏ ways: p is 2/2ᵏ at least, and is reached where every rating of one system is higher.
    level = (
        pl.when(pl.col("system") == "BERT").then(pl.col("fluency").clip(5, 7)).otherwise(pl.col("fluency").clip(1, 3))
    )
    frame = made_ratings(items=12, raters=raters).with_columns(level.alias("fluency"))
    ratings = table_of(tmp_path, frame, levels=("RULE", "BERT"))
    part = clustered_part(ratings, Questions(), None)
    assert found_by(part)["RULE − BERT",].p == least
    few = too_few_clusters(ratings, Questions())
    assert (few is not None) == (least > 0.05)
    assert few is None or (f"cannot fall below .{least * 1000:.0f}" in few.en and few in part.sentences)


def test_the_floor_of_p_is_corrected(tmp_path: Path) -> None:
    ratings = table_of(tmp_path, made_ratings(items=12, raters=6))
    # Six comparisons: .03125 × 6 under Holm; without correction .03125 is small enough, one-sided as well.
    assert "cannot fall below .188" in (too_few_clusters(ratings, Questions()) or family_note(Questions(), ratings)).en
    assert too_few_clusters(ratings, Questions(family="none")) is None
    assert too_few_clusters(ratings, Questions(family="none", alternative="less")) is None


def test_a_direction_is_that_of_the_first_level(tmp_path: Path) -> None:
    ratings = table_of(tmp_path, FRAME, levels=("CORPUS", "RULE"))
    greater = found_by(part_of(SIGNED_RANKS, ratings, Questions(alternative="greater"), corrected=True))
    assert (greater["CORPUS − RULE",].p or 1) < 0.05
    other = table_of(tmp_path, FRAME, levels=("RULE", "CORPUS"))
    less = found_by(part_of(SIGNED_RANKS, other, Questions(alternative="greater"), corrected=True))
    assert (less["RULE − CORPUS",].p or 0) > 0.95


def test_tests_that_only_order_ratings_do_not_see_the_width_of_a_step(tmp_path: Path) -> None:
    coarse = FRAME.with_columns(pl.col("fluency").clip(3, 6))
    stretched = coarse.with_columns(pl.col("fluency").replace_strict([3, 4, 5, 6], [1, 2, 6, 7]))
    for test, pair in ((SIGN, ("item", "rater")), (BRUNNER_MUNZEL, ("item", "rater")), (MANN_WHITNEY, ())):
        held = [
            {key: found.p for key, found in found_by(part_of(test, table, Questions(), corrected=False)).items()}
            for table in (table_of(tmp_path, coarse, pair=pair), table_of(tmp_path, stretched, pair=pair))
        ]
        assert held[0] == pytest.approx(held[1])


def test_two_levels_that_are_always_equal_are_told_and_not_tested(tmp_path: Path) -> None:
    twin = FRAME.filter(pl.col("system") == "RULE").with_columns(pl.lit("TWIN").alias("system"))
    ratings = table_of(tmp_path, pl.concat([FRAME, twin]), levels=("RULE", "TWIN", "BERT"))
    part = part_of(SIGNED_RANKS, ratings, Questions(), corrected=True)
    assert "RULE − TWIN" not in {by["comparison"] for by, _ in part.results}
    told = " ".join(sentence.en for sentence in part.sentences)
    assert "RULE − TWIN: no test (All 72 pairs are equal" in told
    # The planned comparison counts towards the family all the same.
    assert "family of 3" in told


def test_pairs_with_a_missing_half_are_counted(tmp_path: Path) -> None:
    gap = FRAME.filter(~((pl.col("system") == "RULE") & (pl.col("item") == "s01")))
    ratings = table_of(tmp_path, gap)
    found = found_by(part_of(SIGNED_RANKS, ratings, Questions(), corrected=True))["CORPUS − RULE",]
    assert (found.n, found.n_missing) == (66, 6)
    assert placed_pairs(ratings, comparisons_of(ratings, Questions())[0]).height == 72


def test_clusters_weaken_the_evidence(tmp_path: Path) -> None:
    ratings = table_of(tmp_path, FRAME)
    part = clustered_part(ratings, Questions(), None)
    found = found_by(part)["CORPUS − RULE",]
    difference = np.mean(scores(FRAME, "CORPUS")) - np.mean(scores(FRAME, "RULE"))
    assert found.effect("mean difference").value == pytest.approx(difference)
    assert "12 × item and 6 × rater" in str(found.conventions["unit"])


def test_with_responses_only_different_ones_are_compared_and_copies_stand_beside(tmp_path: Path) -> None:
    frame = made_ratings(items=20, raters=4, shared=True)
    ratings = table_of(tmp_path, frame, response="response", levels=("CORPUS", "RULE"))
    part = part_of(SIGNED_RANKS, ratings, Questions(), corrected=True)
    kinds = {by[RATINGS]: found for by, found in part.results if isinstance(found, TestResult)}
    wide = frame.pivot(on="system", index=["item", "rater"], values="response")
    different = wide.filter(pl.col("CORPUS") != pl.col("RULE")).height
    assert 0 < different < 80
    assert (kinds[UNIQUE].n, kinds[COPIED].n) == (different, 80)
    # Shared responses differ by 0, which Wilcoxon drops: the same p, but r is spread over more pairs.
    assert kinds[UNIQUE].p == pytest.approx(kinds[COPIED].p)
    assert abs(kinds[UNIQUE].effect("r").value) > abs(kinds[COPIED].effect("r").value)
    assert {row.by[RATINGS] for row in part.estimates} == {UNIQUE}
    clustered = clustered_part(ratings, Questions(), unique_ratings(ratings))
    assert [found.test for _, found in clustered.results if isinstance(found, TestResult)] == ["system-difference"]


def test_paired_ratings_have_three_tests_and_others_two(tmp_path: Path) -> None:
    names = [part.name for part in comparison_parts(table_of(tmp_path, FRAME), Questions())]
    assert names == ["signed ranks", "sign", "brunner-munzel"]
    names = [part.name for part in comparison_parts(table_of(tmp_path, FRAME, pair=()), Questions())]
    assert names == ["mann-whitney", "brunner-munzel"]


@pytest.mark.parametrize("unknown", [None, float("nan")])
def test_a_test_without_p_is_not_decided_by_that_of_another_unit(tmp_path: Path, unknown: float | None) -> None:
    ratings = table_of(tmp_path, FRAME, levels=("CORPUS", "RULE"))
    part = part_of(SIGNED_RANKS, ratings, Questions(), corrected=True)
    ((by, known),) = part.results
    assert isinstance(known, TestResult) and known.is_significant
    without = replace(part, results=((by, replace(known, p=unknown, adjusted_p=None)),))
    for first, second in ((without, part), (part, without)):
        assert decided_by_both(first, second, ("item", "rater")).results == first.results
    assert not any(held.is_significant for _, held in without.results if isinstance(held, TestResult))
    ((_, both),) = decided_by_both(part, part, ("item", "rater")).results
    assert isinstance(both, TestResult) and both.adjusted_p == known.p
