"""Linear regression: ordinary least squares with R² and its interval.

Ordinary least squares with an intercept and one or several predictors. Besides the coefficients the result has R² with
its interval, Cohen's word for it [1], and the standard error of the regression: the standard deviation of what the line
does not explain, in units of the response. Some papers print that number as "standard error" beside R²; it is not an
error of R².

[1] Cohen, J. (1988). Statistical power analysis for the behavioral sciences. Second edition, chapter 9: f² = .02, .15
    and .35, which are R² = .02, .13 and .26.
[2] Smithson, M. (2003). Confidence intervals. Chapter 4: R² from the noncentral F, predictors taken as fixed.
[3] MacKinnon, J. G., White, H. (1985). Some heteroskedasticity-consistent covariance matrix estimators. Journal of
    Econometrics 29.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np
import scipy

from hengliang.core.errors import UserError
from hengliang.core.records import Estimate
from hengliang.core.signature import Signature, Value, version
from hengliang.core.terms import Bilingual, Language
from hengliang.statistics.correlation.coefficients import Column, Complete, as_numbers, check_settings, is_constant
from hengliang.statistics.effect_sizes import noncentral_f
from hengliang.statistics.models.design import INTERCEPT
from hengliang.statistics.models.results import Coefficient
from hengliang.statistics.resampling import Floats
from hengliang.statistics.results import (
    Effect,
    check_choice,
    check_magnitude,
    checksum,
    listed,
    p_remark,
    write_bounded,
    write_df,
    write_statistic,
)

Errors = Literal["classical", "hc3"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Regression:
    """What a linear regression found.

    `residual_error` is the standard error of the regression (the residual standard error). The interval of `r_squared`
    is one of the share of variance in the population, which `adjusted_r_squared` estimates with less bias.
    """

    response: str
    predictors: tuple[str, ...]
    coefficients: tuple[Coefficient, ...]
    r_squared: Effect
    adjusted_r_squared: float
    label: Bilingual
    f: float
    df: tuple[float, float]
    p: float
    residual_error: float
    n: int
    n_missing: int = 0
    alpha: float = 0.05
    conventions: Mapping[str, Value] = field(default_factory=dict)
    data: str = ""

    @property
    def is_significant(self) -> bool:
        """Whether p of the whole regression is not above alpha."""
        return self.p <= self.alpha

    def coefficient(self, name: str) -> Coefficient:
        """Return the coefficient of this name."""
        for coefficient in self.coefficients:
            if coefficient.name == name:
                return coefficient
        known = ", ".join(coefficient.name for coefficient in self.coefficients)
        raise UserError(f"The regression has no coefficient '{name}'.", valid=f"Coefficients: {known}.")

    def statistic_text(self, language: Language = "en") -> str:
        """Return `R² = .30, substantial, 95 % CI […], F(1, 58) = 24.86, p < .001, residual standard error = 0.910`."""
        share, _, interval = str(self.r_squared).partition(", ")
        parts = [share, self.label[language], *([interval] if interval else [])]
        parts += [f"F({write_df(self.df)}) = {write_statistic(self.f)}", p_remark(self.p)]
        named = {"en": "residual standard error", "zh": "残差标准误"}[language]
        parts += [f"{named} = {write_statistic(self.residual_error, 3)}", f"N = {self.n}"]
        return ", ".join(parts)

    def sentence(self) -> Bilingual:
        """Say whether the response follows from the predictors, with R² and Cohen's word for it."""
        names = listed(self.predictors)
        english, chinese = (
            (f"{self.response} follows in part from {names.en}", f"{self.response}可部分由{names.zh}预测")
            if self.is_significant
            else (
                f"{self.response} was not found to follow from {names.en}",
                f"未发现{self.response}可由{names.zh}预测",
            )
        )
        return Bilingual(
            f"{english} (linear regression: {self.statistic_text('en')}).",
            f"{chinese}（线性回归：{self.statistic_text('zh')}）。",
        )

    def summary(self) -> str:
        """Return everything as lines of text."""
        lines = ["linear regression · 线性回归", f"  {self.response} on {', '.join(self.predictors)}"]
        lines += [f"  {self.statistic_text()}", f"  R²: {self.r_squared.method}"]
        lines.append(f"  adjusted R² = {write_bounded(self.adjusted_r_squared)}")
        lines += [f"  {coefficient.name}: {coefficient.describe()}" for coefficient in self.coefficients]
        missing = f", {self.n_missing} missing left out" if self.n_missing else ""
        lines.append(f"  {self.n} observations{missing}")
        lines += [f"  convention {name}: {value}" for name, value in self.conventions.items()]
        return "\n".join([*lines, "  " + self.sentence().en, "  " + self.sentence().zh])

    def signature(self) -> Signature:
        """Return the regression, its conventions and the checksum of the data."""
        parts: dict[str, Value | Signature] = {"hengliang": version(), "test": "linear-regression"}
        parts |= {"response": self.response, "predictors": " + ".join(self.predictors), **dict(self.conventions)}
        return Signature.of(**parts, data=self.data)

    def estimates(self, analysis: str, by: Mapping[str, str] | None = None) -> Iterator[Estimate]:
        """Give R², its adjusted form, F, the residual standard error and every coefficient."""
        levels = dict(by or {})
        method = "linear regression; " + ", ".join(f"{name} {value}" for name, value in self.conventions.items())
        blank = Estimate(analysis, levels, "", None, n=self.n, n_missing=self.n_missing, method=method)
        blank = replace(blank, signature=str(self.signature()))
        share = self.r_squared
        yield replace(blank, statistic="R²", value=share.value, low=share.low, high=share.high)
        yield replace(blank, statistic="adjusted R²", value=self.adjusted_r_squared)
        yield replace(blank, statistic="F", value=_finite(self.f), df=self.df, p=self.p)
        yield replace(blank, statistic="residual standard error", value=self.residual_error)
        for c in self.coefficients:
            yield replace(
                blank,
                by={**levels, "term": c.name},
                statistic="coefficient",
                value=c.estimate,
                low=c.low,
                high=c.high,
                df=() if c.df is None else (c.df,),
                p=c.p,
            )

    def __str__(self) -> str:
        return self.summary()


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def linear_regression(
    response: Column,
    predictors: Mapping[str, Column] | Column,
    *,
    name: str = "y",
    errors: Errors = "classical",
    alpha: float = 0.05,
    level: float = 0.95,
) -> Regression:
    """Regress `response` (called `name`) on one or more predictors, given by name, or on one, then called x.

    `errors` are classical standard errors or those that allow for unequal variances [3]; F and R² are the same.
    """
    check_settings("two-sided", alpha, level)
    check_choice("errors", errors, get_args(Errors))
    named: Mapping[str, Any] = predictors if isinstance(predictors, Mapping) else {"x": predictors}
    data = _complete(response, named, name)
    y, columns = data.columns[0], data.columns[1:]
    table = np.column_stack([np.ones(data.n), *columns])
    _check_independent(table, (INTERCEPT, *named))
    fit = _least_squares(table, y)
    k = len(columns)
    f, p = _f_test(fit.r_squared, k, fit.df)
    coefficients = _coefficients((INTERCEPT, *named), table, fit, errors, level)
    return Regression(
        response=name,
        predictors=tuple(named),
        coefficients=coefficients,
        r_squared=_share(fit.r_squared, f, (k, fit.df), data.n, level),
        adjusted_r_squared=1 - (1 - fit.r_squared) * (data.n - 1) / fit.df,
        label=_label(fit.r_squared),
        f=f,
        df=(float(k), float(fit.df)),
        p=p,
        residual_error=fit.deviation,
        n=data.n,
        n_missing=data.n_missing,
        alpha=alpha,
        conventions={
            "errors": "classical" if errors == "classical" else "HC3",
            "R² interval": "noncentral F, fixed predictors",
            "level": level,
            "Cohen's grid": ".02/.13/.26",
        },
        data=checksum(y, *columns),
    )


def _label(r_squared: float) -> Bilingual:
    from hengliang.statistics.effect_sizes import cohen_r_squared_label

    return cohen_r_squared_label(r_squared)


def _complete(response: Column, named: Mapping[str, Any], name: str) -> Complete:
    if not named:
        raise UserError("There is no predictor.", valid="One predictor or more.")
    if name in named:
        raise UserError(f"'{name}' is both response and predictor.", remedy="Take it out of the predictors.")
    numbers = [as_numbers(response, name), *(as_numbers(column, key) for key, column in named.items())]
    for key, column in zip(named, numbers[1:], strict=True):
        if len(column) != len(numbers[0]):
            raise UserError(
                f"'{name}' has {len(numbers[0])} values, the predictor '{key}' has {len(column)}.",
                valid="As many values on every side, in the same order; a missing one is None or NaN.",
            )
    present = np.flatnonzero(~np.isnan(np.vstack(numbers)).any(axis=0))
    if len(present) < len(numbers) + 1:
        raise UserError(
            f"{len(present)} complete observations are too few for {len(named)} predictors and an intercept.",
            valid=f"{len(numbers) + 1} or more observations without a missing value.",
        )
    kept = tuple(column[present] for column in numbers)
    for column, key in zip(kept, (name, *named), strict=True):
        check_magnitude(column, f"'{key}'")
    if is_constant(kept[0]):
        raise UserError(
            f"All values of '{name}' are {kept[0][0]:g}: there is nothing to explain.",
            valid="A response with two or more different values.",
        )
    return Complete(kept, (), len(numbers[0]) - len(present))


def _check_independent(table: Floats, names: Sequence[str]) -> None:
    """Name the first column that the columns before it determine, and which of them do."""
    scaled = table / np.maximum(np.linalg.norm(table, axis=0), 1e-300)
    for index in range(1, table.shape[1]):
        column = scaled[:, index]
        weights, *_ = np.linalg.lstsq(scaled[:, :index], column, rcond=None)
        if np.linalg.norm(column - scaled[:, :index] @ weights) > 1e-9:
            continue
        behind = [name for name, weight in zip(names, weights, strict=False) if abs(weight) > 1e-9]
        if set(behind) <= {INTERCEPT}:
            problem = f"The predictor '{names[index]}' is the same for all observations."
        else:
            others = ", ".join(name for name in behind if name != INTERCEPT)
            problem = f"The predictor '{names[index]}' follows exactly from {others}."
        raise UserError(
            problem, valid="Predictors of which none determines another.", remedy=f"Leave '{names[index]}' out."
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    estimates: Floats
    residuals: Floats
    bread: Floats
    r_squared: float
    deviation: float
    df: int


def _least_squares(table: Floats, y: Floats) -> _Fit:
    q, r = np.linalg.qr(table)
    estimates = np.linalg.solve(r, q.T @ y)
    residuals = y - table @ estimates
    inverse = np.linalg.inv(r)
    total, left = float(np.square(y - y.mean()).sum()), float(np.square(residuals).sum())
    # What remains of an exact line is rounding, and would make an F of 10³⁰.
    left = 0.0 if left < 1e-24 * total else left
    df = len(y) - table.shape[1]
    share = min(1.0, max(0.0, 1 - left / total))
    return _Fit(estimates, residuals, inverse @ inverse.T, share, math.sqrt(left / df), df)


def _f_test(r_squared: float, k: int, df: int) -> tuple[float, float]:
    if r_squared >= 1:
        return math.inf, 0.0
    f = r_squared / k / ((1 - r_squared) / df)
    return f, float(scipy.stats.f.sf(f, k, df))


def _share(r_squared: float, f: float, df: tuple[int, int], n: int, level: float) -> Effect:
    if math.isinf(f):
        return Effect("R²", "R²", r_squared, None, None, level, "no interval: the line fits exactly")
    low, high = (bound / (bound + n) for bound in noncentral_f(f, df[0], df[1], level))
    return Effect("R²", "R²", r_squared, low, high, level, "interval from the noncentral F, predictors taken as fixed")


def _coefficients(names: Sequence[str], table: Floats, fit: _Fit, errors: str, level: float) -> tuple[Coefficient, ...]:
    if errors == "hc3":
        leverage = np.einsum("ij,jk,ik->i", table, fit.bread, table)
        shrunk = np.maximum(1 - leverage, 1e-12)
        meat = table.T @ (table * np.square(fit.residuals / shrunk)[:, None])
        covariance = fit.bread @ meat @ fit.bread
    else:
        covariance = fit.bread * fit.deviation**2
    spread = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    reach = float(scipy.stats.t.ppf((1 + level) / 2, fit.df))
    coefficients = []
    for name, estimate, error in zip(names, fit.estimates.tolist(), spread.tolist(), strict=True):
        t = estimate / error if error > 0 else math.copysign(math.inf, estimate)
        p = float(2 * scipy.stats.t.sf(abs(t), fit.df))
        low, high = estimate - reach * error, estimate + reach * error
        coefficients.append(Coefficient(name, estimate, error, t, p, low, high, float(fit.df)))
    return tuple(coefficients)
