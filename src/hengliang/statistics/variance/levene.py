"""Homogeneity of variance: Levene's test and the Brown–Forsythe test.

Levene's test [1] is an analysis of variance of the distances from each group's centre: its mean, its median (Brown and
Forsythe [2], the safer choice for skewed values) or its trimmed mean. With the trimmed mean all values are kept and
only the centre is trimmed, as Brown and Forsythe have it and R's `car` computes it; SciPy's `trimmed` drops the outer
values themselves.

[1] Levene, H. (1960). Robust tests for equality of variances. In Contributions to probability and statistics.
[2] Brown, M. B., Forsythe, A. B. (1974). Robust tests for the equality of variances. JASA 69.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from hengliang.core.errors import UserError
from hengliang.core.signature import Value
from hengliang.core.terms import Bilingual
from hengliang.statistics.conventions import Convention
from hengliang.statistics.effect_sizes import eta_squared
from hengliang.statistics.ranks.samples import Groups, take_groups
from hengliang.statistics.results import TestResult, check_alpha, check_choice, checksum, listed

Center = Literal["median", "mean", "trimmed"]
CONVENTIONS: tuple[Convention, ...] = (
    Convention({"center": "median"}, ("R (car)", "SciPy")),
    Convention({"center": "mean"}, ("SPSS",)),
    Convention({"center": "trimmed"}),
)
"""The centres in use, with those who take them by default."""


def levene_test(
    *groups: ArrayLike,
    center: Center = "median",
    trim: float = 0.1,
    names: Sequence[str] | None = None,
    alpha: float = 0.05,
    level: float = 0.95,
) -> TestResult:
    """Test whether the groups spread equally far; `trim` is the share cut off on each side for the trimmed mean."""
    check_choice("center", center, get_args(Center))
    check_alpha(alpha)
    if not 0 <= trim < 0.5:
        raise UserError(f"trim = {trim} is no share to cut off on each side.", valid="0 ≤ trim < 0.5.")
    taken = take_groups(groups, names, smallest=2)
    distances = [_distances(values, center, trim) for values in taken.values]
    statistic, df_between, df_within = _analysis_of_variance(distances)
    labels = listed(taken.names)
    conventions: dict[str, Value] = {"center": center} | ({"trim": trim} if center == "trimmed" else {})
    return TestResult(
        test="levene",
        title=Bilingual(
            f"Levene's test (distances from the {_CENTERS[center].en})", f"Levene 检验（{_CENTERS[center].zh}）"
        ),
        symbol="F",
        statistic=statistic,
        p=float(scipy.stats.f.sf(statistic, df_between, df_within)),
        alternative="undirected",
        n=len(taken.pooled),
        n_missing=taken.n_missing,
        significant=Bilingual(f"The spread of {labels.en} differs", f"{labels.zh}的离散程度有显著差异"),
        otherwise=Bilingual(
            f"A difference in spread between {labels.en} was not shown", f"未能证明{labels.zh}的离散程度存在差异"
        ),
        df=(df_between, df_within),
        effects=(eta_squared(statistic, df_between, df_within, level=level),),
        conventions=conventions,
        details={
            f"standard deviation {name}": float(values.std(ddof=1))
            for name, values in zip(taken.names, taken.values, strict=True)
        },
        notes=_notes(taken),
        alpha=alpha,
        data=checksum(*taken.values),
    )


_CENTERS = {
    "median": Bilingual("median", "以中位数为中心"),
    "mean": Bilingual("mean", "以均值为中心"),
    "trimmed": Bilingual("trimmed mean", "以截尾均值为中心"),
}


def _distances(values: NDArray[np.float64], center: str, trim: float) -> NDArray[np.float64]:
    if center == "median":
        at = float(np.median(values))
    else:
        at = float(values.mean() if center == "mean" else scipy.stats.trim_mean(values, trim))
    distances: NDArray[np.float64] = np.abs(values - at)
    return distances


def _analysis_of_variance(distances: list[NDArray[np.float64]]) -> tuple[float, int, int]:
    pooled = np.concatenate(distances)
    within = float(sum(((each - each.mean()) ** 2).sum() for each in distances))
    between = float(sum(len(each) * (each.mean() - pooled.mean()) ** 2 for each in distances))
    # Distances that are equal but for rounding leave some 1e-30.
    if within <= 1e-24 * float((pooled**2).sum()):
        raise UserError(
            "Within each group all values lie equally far from its centre: their spread cannot be compared.",
            valid="At least three values of which not all are equally far from the middle.",
        )
    df_between, df_within = len(distances) - 1, len(pooled) - len(distances)
    return between / df_between / (within / df_within), df_between, df_within


def _notes(taken: Groups) -> tuple[Bilingual, ...]:
    """Warn where most values of a group are one and the same."""
    notes = []
    for name, values in zip(taken.names, taken.values, strict=True):
        levels, counts = np.unique(values, return_counts=True)
        most = int(counts.max())
        if 2 * most <= len(values):
            continue
        value = f"{levels[counts.argmax()]:g}"
        notes.append(
            Bilingual(
                f"{most} of {len(values)} values of {name} are {value}: distances from the centre are far from normal, "
                "and p depends on the centre that is chosen.",
                f"{name}的 {len(values)} 个值中有 {most} 个等于 {value}：到中心的距离远非正态，p 值取决于所选的中心。",
            )
        )
    return tuple(notes)
