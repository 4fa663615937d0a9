"""One-sample location tests: Student's t, Wilcoxon's signed ranks, and the sign test.

Each asks whether a sample lies above or below a stated number. Student's test looks at the mean [1]; Wilcoxon's signed
ranks and the sign test need no normal distribution and are run in `hengliang.statistics.ranks`.

[1] Student (1908). The probable error of a mean. Biometrika 6.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual
from hengliang.statistics.conventions import with_sensitivity
from hengliang.statistics.effect_sizes import check_level, cohens_d
from hengliang.statistics.ranks import sign
from hengliang.statistics.ranks import wilcoxon as signed_ranks
from hengliang.statistics.results import (
    Effect,
    Sample,
    Sidedness,
    TestResult,
    check_alpha,
    check_choice,
    check_magnitude,
    check_sidedness,
    checksum,
)
from hengliang.statistics.variance.t_tests import paired_difference

LocationTest = Literal["t", "signed rank", "sign"]
LOCATION_TESTS: Mapping[LocationTest, Bilingual] = {
    "t": Bilingual("one-sample t-test", "单样本 t 检验"),
    "signed rank": Bilingual("Wilcoxon's signed-rank test", "Wilcoxon 符号秩检验"),
    "sign": Bilingual("sign test", "符号检验"),
}
SAMPLE = Bilingual("value of the sample", "样本值")


def location_test(
    test: LocationTest,
    values: ArrayLike,
    mu: float = 0.0,
    subject: Bilingual = SAMPLE,
    *,
    alternative: Sidedness = "two-sided",
    alpha: float = 0.05,
    level: float = 0.95,
) -> TestResult:
    """Run one of the three tests; `subject` is what the sentences speak of."""
    check_choice("test", test, tuple(LOCATION_TESTS))
    if test == "t":
        return one_sample_t_test(values, mu, subject, alternative=alternative, alpha=alpha, level=level)
    module, function = (
        (signed_ranks, signed_ranks.signed_rank_test) if test == "signed rank" else (sign, sign.sign_test)
    )
    sample = _enough(values, 1)
    against = np.full(len(sample.values), float(mu))
    result = with_sensitivity(
        function, module.CONVENTIONS, sample.values, against, alternative=alternative, alpha=alpha, level=level
    )
    favour, against_it = result.details["n positive"], result.details["n negative"]
    deviation = result.details["W+"] - result.details["W-"] if test == "signed rank" else favour - against_it
    whole, verb = Bilingual(f"The {subject.en}", subject.zh), Bilingual("tends to lie", "倾向于")
    significant, otherwise = _findings(whole, deviation, mu, alternative, verb)
    return replace(
        result,
        significant=significant,
        otherwise=otherwise,
        n_missing=sample.n_missing,
        conventions={"mu": float(mu), **result.conventions},
    )


def one_sample_t_test(
    values: ArrayLike,
    mu: float = 0.0,
    subject: Bilingual = SAMPLE,
    *,
    alternative: Sidedness = "two-sided",
    alpha: float = 0.05,
    level: float = 0.95,
) -> TestResult:
    """Test whether the mean of a sample is `mu`; missing values are left out and counted."""
    check_sidedness(alternative)
    check_alpha(alpha)
    check_level(level)
    sample = _enough(values, 2)
    if np.ptp(sample.values) <= 1e-14 * float(np.abs(sample.values).max()):
        raise UserError(
            f"All {len(sample.values)} values are {sample.values[0]:g}: there is no error to hold their mean against.",
            valid="Values that vary.",
        )
    against = np.full(len(sample.values), float(mu))
    difference = paired_difference(sample.values, against)
    low, high = difference.interval(level)
    mean = float(sample.values.mean())
    method = f"{level:g} interval by t with {difference.df:g} degrees of freedom"
    effect = Effect("mean", "M", mean, low + mu, high + mu, level, method, bounded=False)
    whole, verb = Bilingual(f"The mean {subject.en}", f"{subject.zh}的均值"), Bilingual("lies", "显著")
    significant, otherwise = _findings(whole, difference.value, mu, alternative, verb)
    return TestResult(
        test="one-sample-t",
        title=LOCATION_TESTS["t"],
        symbol="t",
        statistic=difference.value / difference.error,
        p=difference.p_value(alternative),
        alternative=alternative,
        n=len(sample.values),
        n_missing=sample.n_missing,
        significant=significant,
        otherwise=otherwise,
        df=(difference.df,),
        effects=(effect, replace(cohens_d(sample.values, against, paired=True, level=level), symbol="d")),
        conventions={"mu": float(mu)},
        details={"mean": mean, "standard deviation": float(sample.values.std(ddof=1))},
        alpha=alpha,
        data=checksum(sample.values),
    )


def _enough(values: ArrayLike, least: int) -> Sample:
    sample = Sample.of(values)
    if len(sample.values) < least:
        count = len(sample.values)
        raise UserError(
            f"There {'is' if count == 1 else 'are'} {count or 'no'} {'observation' if count == 1 else 'observations'}.",
            valid=f"At least {least}, missing values not counted.",
        )
    check_magnitude(sample.values, "the sample")
    return sample


def _findings(
    subject: Bilingual, deviation: float, mu: float, alternative: str, verb: Bilingual
) -> tuple[Bilingual, Bilingual]:
    """Return the sentence for a small p, and the one for any other."""
    above = deviation > 0 if alternative == "two-sided" else alternative == "greater"
    word, character = ("above", "高于") if above else ("below", "低于")
    significant = Bilingual(f"{subject.en} {verb.en} {word} {mu:g}", f"{subject.zh}{verb.zh}{character} {mu:g}")
    if alternative == "two-sided":
        return significant, Bilingual(
            f"{subject.en} was not shown to differ from {mu:g}", f"未能证明{subject.zh}不同于 {mu:g}"
        )
    return significant, Bilingual(
        f"{subject.en} was not shown to lie {word} {mu:g}", f"未能证明{subject.zh}{character} {mu:g}"
    )
