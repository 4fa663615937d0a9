import math

import pytest

from hengliang import UserError
from hengliang.statistics.ranks.kruskal_wallis import dunn_tests, kruskal_wallis_test
from tests.statistics.ranks.oracle import oracle


@pytest.mark.parametrize("adjustment", ["holm", "bonferroni"])
def test_z_and_p_by_the_formula_in_r(adjustment: str) -> None:
    held = oracle()["several"]
    results = dunn_tests(*held["groups"], adjustment=adjustment)  # type: ignore[arg-type]
    assert [result.statistic for result in results] == pytest.approx(held["dunn_z"], rel=1e-9)
    assert [result.details["p unadjusted"] for result in results] == pytest.approx(held["dunn_p"], rel=1e-9)
    assert [result.p for result in results] == pytest.approx(held[f"dunn_{adjustment}"], rel=1e-9)
    assert {result.conventions["family size"] for result in results} == {6}


def test_two_groups_are_kruskal_and_wallis() -> None:
    x, y = [1, 3, 3, 5, 7], [2, 4, 6, 6, 7, 7]
    (only,) = dunn_tests(x, y, adjustment="none")
    whole = kruskal_wallis_test(x, y)
    assert only.statistic**2 == pytest.approx(whole.statistic)
    assert only.p == pytest.approx(whole.p)


def test_sign_and_sentence_follow_the_higher_group() -> None:
    results = dunn_tests([1, 2, 3, 2], [6, 7, 6, 7], [3, 4, 4, 5], names=("GE", "BERT", "RULE"))
    first = results[0]
    assert first.statistic < 0
    assert first.effect("r").value < 0
    assert first.sentence().en.startswith("BERT tends to be higher than GE (Dunn's test, two-sided: z(N = 8) = ")
    assert len({str(result.signature()) for result in results}) == 3


def test_extreme_groups_keep_r_within_one() -> None:
    # With many other observations in between, z of two groups of one each exceeds √2.
    results = dunn_tests([0], [100], list(range(1, 60)))
    assert abs(results[0].statistic) > 2**0.5
    assert abs(results[0].effect("r").value) <= 1


def test_what_cannot_be_compared() -> None:
    with pytest.raises(UserError):
        dunn_tests([1, 1], [1, 1])
    with pytest.raises(UserError, match="method"):
        dunn_tests([1, 2], [3, 4], adjustment="tukey")  # type: ignore[arg-type]


def test_missing_values_are_counted_for_their_pair() -> None:
    first, second, third = dunn_tests([1, 2, math.nan, 4], [3, 5, 6], [2, math.nan, math.nan, 9])
    assert [(test.n, test.n_missing) for test in (first, second, third)] == [(6, 1), (5, 3), (5, 2)]
