"""Intraclass correlation (ICC): six forms with intervals and F tests.

The intraclass correlation is the share of the variance of ratings that lies between the units. The six forms are those
of Shrout and Fleiss [1] and McGraw and Wong [2]: for one rating or for the mean of k (`average`), and under three
designs.

- ICC(1): every unit has raters of its own; one-way.
- ICC(A,1), or ICC(2,1): all raters rated all units and stand for others; their levels must agree (absolute agreement).
- ICC(C,1), or ICC(3,1): all raters rated all units; only their order and spacing must agree (consistency).

[1] Shrout, P., Fleiss, J. (1979). Intraclass correlations: uses in assessing rater reliability. Psychological Bulletin
    86.
[2] McGraw, K., Wong, S. (1996). Forming inferences about some intraclass correlation coefficients. Psychological
    Methods 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import scipy

from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual
from hengliang.statistics.inter_rater.ratings import AgreementResult, AgreementValue, Floats, Ratings, Table
from hengliang.statistics.resampling import Resampling
from hengliang.statistics.results import check_choice

Form = Literal["ICC(1)", "ICC(A,1)", "ICC(C,1)", "ICC(1,k)", "ICC(A,k)", "ICC(C,k)"]
FORMS: tuple[Form, ...] = get_args(Form)
OTHER_NAMES: Mapping[Form, str] = {
    "ICC(1)": "ICC(1,1)",
    "ICC(A,1)": "ICC(2,1)",
    "ICC(C,1)": "ICC(3,1)",
    "ICC(1,k)": "ICC(1,k)",
    "ICC(A,k)": "ICC(2,k)",
    "ICC(C,k)": "ICC(3,k)",
}
"""What Shrout and Fleiss call each form."""

_CONTRARY = Bilingual(
    "the raters contradict each other so far that their mean has no reliability.",
    "评分者相互矛盾，其均值没有信度可言。",
)
_NO_SPREAD = Bilingual("all ratings are the same.", "所有评分都相同。")


@dataclass(frozen=True, slots=True)
class MeanSquares:
    """The mean squares of a table with n units and k raters."""

    units: float
    within: float
    raters: float
    residual: float
    n: int
    k: int

    @classmethod
    def of(cls, table: Floats) -> MeanSquares:
        """Split the squares of a complete table with one row per rater."""
        k, n = table.shape
        centred = table - table.mean()
        by_unit, by_rater = centred.mean(axis=0), centred.mean(axis=1)
        units, raters = k * float(by_unit @ by_unit), n * float(by_rater @ by_rater)
        within = float(((centred - by_unit) ** 2).sum())
        residual = float(((centred - by_unit - by_rater[:, None]) ** 2).sum())
        return cls(units / (n - 1), within / (n * (k - 1)), raters / (k - 1), residual / ((n - 1) * (k - 1)), n, k)


def intraclass_correlation(
    ratings: Table | Ratings,
    *,
    form: Form = "ICC(A,1)",
    raters: Sequence[str] | None = None,
    incomplete: Literal["refuse", "drop"] = "refuse",
    level: float = 0.95,
) -> AgreementResult:
    """Return the intraclass correlations of a table with one row per rater and one column per unit, `form` first.

    The table must be complete; `incomplete="drop"` leaves out the units that some rater did not rate and counts them.
    """
    check_choice("form", form, FORMS)
    check_choice("incomplete", incomplete, ("refuse", "drop"))
    Resampling(level=level).check()
    coded = Ratings.of(ratings, raters=raters)
    coded.need_numbers("The intraclass correlation")
    table, dropped = _complete(coded, incomplete)
    squares = MeanSquares.of(table)
    chosen = (form, *(other for other in FORMS if other != form))
    values = tuple(_value(squares, variant, level) for variant in chosen)
    k, n = table.shape
    return AgreementResult(
        measure="intraclass correlation",
        title=Bilingual(f"intraclass correlation {form}", f"组内相关系数 {form}"),
        subject=Bilingual(f"{k} raters judged {n} units", f"{k} 名评分者评了 {n} 个单位"),
        values=values,
        n=n,
        raters=k,
        n_missing=dropped,
        conventions={
            "form": form,
            "shrout and fleiss": OTHER_NAMES[form],
            "incomplete": incomplete,
            "level": level,
            "interval": "F distribution, McGraw and Wong 1996",
        },
        notes=_dropped_note(dropped),
        data=coded.checksum(),
    )


def _dropped_note(dropped: int) -> tuple[Bilingual, ...]:
    if not dropped:
        return ()
    return (Bilingual(f"{dropped} incomplete units were left out.", f"剔除了 {dropped} 个评分不全的单位。"),)


def _complete(held: Ratings, incomplete: str) -> tuple[Floats, int]:
    table = held.numbers()
    gaps = np.isnan(table)
    if gaps.any() and incomplete == "refuse":
        rater, unit = (int(position[0]) for position in np.nonzero(gaps))
        raise UserError(
            f"The rater '{held.raters[rater]}' did not judge the unit '{held.units[unit]}' "
            f"({int(gaps.any(axis=0).sum())} of {len(held.units)} units have gaps).",
            valid="Intraclass correlations need a complete table.",
            remedy="Leave those units out with incomplete='drop', or take krippendorff_alpha(…, metric='interval').",
        )
    kept = table[:, ~gaps.any(axis=0)]
    if kept.shape[0] < 2 or kept.shape[1] < 2:
        raise UserError(
            f"{kept.shape[0]} raters and {kept.shape[1]} complete units are too few.",
            valid="At least two raters who all judged at least two units.",
        )
    return kept, table.shape[1] - kept.shape[1]


def _ratio(above: float, below: float) -> float:
    return above / below if below > 0 else math.inf if above > 0 else math.nan


def _value(squares: MeanSquares, form: Form, level: float) -> AgreementValue:
    n, k = squares.n, squares.k
    one_way = form.startswith("ICC(1")
    df = (n - 1, n * (k - 1) if one_way else (n - 1) * (k - 1))
    error = squares.within if one_way else squares.residual
    ratio = _ratio(squares.units, error)
    value, low, high = _single(squares, form[4], ratio, df, level)
    if form.endswith("k)"):
        value, low, high = (_stepped_up(bound, k) for bound in (value, low, high))
    undefined = math.isnan(ratio)
    return AgreementValue(
        statistic=form,
        symbol=form,
        value=value,
        n=n,
        low=low,
        high=high,
        level=level,
        test=f"F({df[0]}, {df[1]})",
        test_value=ratio,
        df=() if undefined else df,
        p=None if undefined else float(scipy.stats.f.sf(ratio, *df)),
        method=f"{OTHER_NAMES[form]} of Shrout and Fleiss; p one-sided from F against 0; interval from F",
        reason=_NO_SPREAD if undefined else _CONTRARY if math.isnan(value) else None,
    )


def _single(
    squares: MeanSquares, design: str, ratio: float, df: tuple[int, int], level: float
) -> tuple[float, float, float]:
    """Return the correlation of one rating and its bounds."""
    if math.isnan(ratio):
        return math.nan, math.nan, math.nan
    if design == "A":
        return _absolute(squares, level)
    tail = (1 + level) / 2
    ratios = (ratio, ratio / scipy.stats.f.ppf(tail, *df), ratio * scipy.stats.f.ppf(tail, *df[::-1]))
    value, low, high = (1.0 if math.isinf(each) else float((each - 1) / (each + squares.k - 1)) for each in ratios)
    return value, low, high


def _absolute(squares: MeanSquares, level: float) -> tuple[float, float, float]:
    """Return ICC(A,1) with the interval of McGraw and Wong, whose degrees of freedom follow Satterthwaite."""
    n, k, rows, columns, error = squares.n, squares.k, squares.units, squares.raters, squares.residual
    value = _ratio(rows - error, rows + (k - 1) * error + k * (columns - error) / n)
    if math.isclose(value, 1.0):
        return value, 1.0, 1.0
    odds = k * value / (n * (1 - value))
    a, b = odds, 1 + odds * (n - 1)
    below = (a * columns) ** 2 / (k - 1) + (b * error) ** 2 / ((n - 1) * (k - 1))
    if below <= 0:
        return value, math.nan, math.nan
    df = (a * columns + b * error) ** 2 / below
    upper, lower = (float(scipy.stats.f.ppf((1 + level) / 2, *pair)) for pair in ((n - 1, df), (df, n - 1)))
    rest = k * columns + (k * n - k - n) * error
    low = n * (rows - upper * error) / (upper * rest + n * rows)
    high = n * (lower * rows - error) / (rest + n * lower * rows)
    return value, low, high


def _stepped_up(value: float, k: int) -> float:
    """Return the correlation of the mean of k ratings, after Spearman and Brown."""
    below = 1 + (k - 1) * value
    return k * value / below if below > 0 else -math.inf if below == 0 else math.nan
