"""Results of fitted mixed models: coefficients, variance components, likelihood, warnings, Wald tests.

All mixed models give a `ModelFit`. It describes itself as a block of text, as sentences in English and Chinese, as one
line with all conventions, and as estimates. Two nested fits are compared in `hengliang.statistics.models.comparison`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import scipy

from hengliang.core.errors import UserError
from hengliang.core.records import Estimate
from hengliang.core.signature import Signature, Value, version
from hengliang.core.terms import Bilingual
from hengliang.statistics.models.design import Floats
from hengliang.statistics.results import p_remark, write_df, write_statistic

# --- the fit ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One fixed effect (or threshold) with its standard error and interval.

    `statistic` is z, or t with `df` degrees of freedom; p is two-sided. Numbers that could not be computed are NaN.
    """

    name: str
    estimate: float
    error: float
    statistic: float
    p: float
    low: float
    high: float
    df: float | None = None

    def describe(self) -> str:
        """Return `b = 0.52, SE = 0.11, z = 4.73, p < .001, CI […]`; a threshold is not tested against zero."""
        parts = [f"b = {write_statistic(self.estimate, 3)}", f"SE = {write_statistic(self.error, 3)}"]
        if not math.isnan(self.p):
            symbol = "z" if self.df is None else f"t({write_df((self.df,))})"
            parts += [f"{symbol} = {write_statistic(self.statistic)}", p_remark(self.p)]
        elif math.isnan(self.statistic):
            parts.append("p not defined")
        return ", ".join([*parts, f"CI [{write_statistic(self.low, 3)}, {write_statistic(self.high, 3)}]"])


@dataclass(frozen=True, slots=True)
class VarianceComponent:
    """How much one random effect varies between the levels of a group, and how it goes with the effects before it."""

    group: str
    name: str
    variance: float
    levels: int
    correlations: tuple[float, ...] = ()

    @property
    def deviation(self) -> float:
        """The standard deviation."""
        return math.sqrt(self.variance)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFit:
    """A fitted mixed model.

    `thresholds` belong to ordinal models only. `parameters` counts everything that was estimated, for AIC, BIC and
    likelihood-ratio tests. `warnings` say what is wrong with the fit and what to do; `converged` is the optimiser's
    word. `conventions` holds every choice that can change a number (link, approximation, p-values, coding).
    """

    family: str
    title: Bilingual
    formula: str
    coefficients: tuple[Coefficient, ...]
    components: tuple[VarianceComponent, ...]
    log_likelihood: float
    parameters: int
    n: int
    groups: Mapping[str, int]
    thresholds: tuple[Coefficient, ...] = ()
    n_missing: int = 0
    level: float = 0.95
    alpha: float = 0.05
    converged: bool = True
    comparable: bool = True
    """Whether the log-likelihood may be compared with that of a model with other fixed effects (false under REML)."""
    warnings: tuple[Bilingual, ...] = ()
    conventions: Mapping[str, Value] = field(default_factory=dict)
    data: str = ""

    @property
    def aic(self) -> float:
        """Akaike's criterion."""
        return 2 * self.parameters - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        """The Bayesian criterion, with the number of observations."""
        return math.log(self.n) * self.parameters - 2 * self.log_likelihood

    def coefficient(self, name: str) -> Coefficient:
        """Return the coefficient or threshold of this name."""
        for coefficient in (*self.coefficients, *self.thresholds):
            if coefficient.name == name:
                return coefficient
        known = ", ".join(c.name for c in (*self.coefficients, *self.thresholds))
        raise UserError(f"The model has no coefficient '{name}'.", valid=f"Coefficients: {known}.")

    def summary(self) -> str:
        """Return everything as lines of text."""
        lines = [f"{self.title.en} · {self.title.zh}", f"  {self.formula}"]
        groups = ", ".join(f"{name} {count}" for name, count in self.groups.items())
        lines.append(f"  {self.n} observations" + (f" ({self.n_missing} missing left out)" if self.n_missing else ""))
        lines.append(f"  groups: {groups or 'none'}")
        lines.append(
            f"  log-likelihood {self.log_likelihood:.4f}, AIC {self.aic:.2f}, BIC {self.bic:.2f}, "
            f"{self.parameters} parameters"
        )
        for heading, coefficients in (("fixed effects", self.coefficients), ("thresholds", self.thresholds)):
            lines += [f"  {heading}:"] if coefficients else []
            lines += [f"    {coefficient.name}: {coefficient.describe()}" for coefficient in coefficients]
        lines += ["  random effects:"] if self.components else []
        for component in self.components:
            correlated = ", ".join(f"{value:.3f}" for value in component.correlations)
            lines.append(
                f"    {component.group} {component.name}: variance {component.variance:.5g}, "
                f"SD {component.deviation:.5g}" + (f", correlations {correlated}" if correlated else "")
            )
        lines += [f"  convention {name}: {value}" for name, value in self.conventions.items()]
        lines += [f"  warning: {warning.en}" for warning in self.warnings]
        return "\n".join(lines)

    def sentence(self) -> Bilingual:
        """Say each fixed effect besides the intercept as a results section would."""
        effects = [c for c in self.coefficients if c.name != "(Intercept)"]
        english = "; ".join(f"{c.name}: {c.describe()}" for c in effects) or "no fixed effect besides the intercept"
        chinese = "；".join(f"{c.name}：{c.describe()}" for c in effects) or "除截距外没有固定效应"
        warned_en = "".join(f" Warning: {warning.en}" for warning in self.warnings)
        warned_zh = "".join(f"警告：{warning.zh}" for warning in self.warnings)
        return Bilingual(
            f"{self.title.en} of {self.formula} (N = {self.n}): {english}.{warned_en}",
            f"{self.title.zh}，{self.formula}（N = {self.n}）：{chinese}。{warned_zh}",
        )

    def signature(self) -> Signature:
        """Return the model, its conventions and the checksum of the data."""
        parts: dict[str, Value | Signature] = {"hengliang": version(), "family": self.family, "formula": self.formula}
        return Signature.of(**parts, **dict(self.conventions), data=self.data)

    def estimates(self, analysis: str, by: Mapping[str, str] | None = None) -> Iterator[Estimate]:
        """Give coefficients, thresholds, standard deviations and the log-likelihood."""
        levels = dict(by or {})
        signature = str(self.signature())
        method = f"{self.title.en}; " + ", ".join(f"{name} {value}" for name, value in self.conventions.items())
        blank = Estimate(
            analysis, levels, "", None, n=self.n, n_missing=self.n_missing, method=method, signature=signature
        )
        for kind, coefficients in (("coefficient", self.coefficients), ("threshold", self.thresholds)):
            for c in coefficients:
                yield replace(
                    blank,
                    by={**levels, "term": c.name},
                    statistic=kind,
                    value=_known(c.estimate),
                    low=_known(c.low),
                    high=_known(c.high),
                    df=() if c.df is None else (c.df,),
                    p=_known(c.p),
                )
        for component in self.components:
            labels = {**levels, "term": f"{component.group}: {component.name}"}
            yield replace(blank, by=labels, statistic="standard deviation", value=_known(component.deviation))
        labels = {**levels, "term": "model"}
        yield replace(blank, by=labels, statistic="log-likelihood", value=self.log_likelihood)

    def __str__(self) -> str:
        return self.summary()


class Fitted:
    """What linear, binomial and ordinal fits share: the numbers in `model`, and all that these can say."""

    __slots__ = ()
    model: ModelFit

    def coefficient(self, name: str) -> Coefficient:
        """Return the coefficient or threshold of this name."""
        return self.model.coefficient(name)

    def summary(self) -> str:
        """Return everything as lines of text."""
        return self.model.summary()

    def sentence(self) -> Bilingual:
        """Say each fixed effect as a results section would."""
        return self.model.sentence()

    def signature(self) -> Signature:
        """Return the model, its conventions and the checksum of the data."""
        return self.model.signature()

    def estimates(self, analysis: str, by: Mapping[str, str] | None = None) -> Iterator[Estimate]:
        """Give coefficients, thresholds, standard deviations and the log-likelihood."""
        return self.model.estimates(analysis, by)

    def __str__(self) -> str:
        return self.summary()


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


# --- Wald tests and intervals of coefficients -------------------------------------------------------------------------


def coefficients_of(
    names: tuple[str, ...],
    estimates: Floats,
    covariance: Floats,
    freedoms: Floats | None,
    level: float,
    with_p: bool = True,
) -> tuple[Coefficient, ...]:
    """Return each coefficient with a two-sided test: t where `freedoms` are given, else z.

    Without p (`with_p` false) the interval is the normal one and p is NaN.
    """
    table = []
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    for index, (name, estimate, error) in enumerate(zip(names, estimates.tolist(), errors.tolist(), strict=True)):
        df = None if freedoms is None else float(freedoms[index])
        shape = scipy.stats.norm if df is None else scipy.stats.t(df)
        known = error > 0 and math.isfinite(error)
        statistic = estimate / error if known else math.nan
        p = 2 * float(shape.sf(abs(statistic))) if known and with_p else math.nan
        half = float(shape.ppf((1 + level) / 2)) * error if known else math.nan
        table.append(
            Coefficient(
                name, estimate, error if known else math.nan, statistic, p, estimate - half, estimate + half, df
            )
        )
    return tuple(table)


def stars(p: float) -> str:
    """Mark p as tables do: `***` for p ≤ .001, `**` for p ≤ .01, `*` for p ≤ .05.

    >>> stars(0.0004), stars(0.05), stars(0.2)
    ('***', '*', '')
    """
    return "*" * sum(p <= border for border in (0.001, 0.01, 0.05))
