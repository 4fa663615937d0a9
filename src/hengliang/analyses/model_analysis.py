"""Mixed-effects models (linear, logistic, ordinal) of a measure, with systems, items and raters as factors.

`mixed("match ~ system + (1 | item)", family="binomial")` fits a model to the judgements of one measure
(`hengliang.analyses.observations`). First comes the rewriting of a formula for responses that several systems gave,
then the analysis; the models themselves are in `hengliang.statistics.models`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import polars as pl

from hengliang.analyses.observations import OWN, observations, parts_of
from hengliang.core.base_classes import Analysis, Conclusion, Layout, StatisticLabel
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.signature import Value
from hengliang.core.terms import Bilingual
from hengliang.statistics.models.formula import FACTOR_FUNCTIONS, Atom, Expression, Formula, parse
from hengliang.statistics.models.results import ModelFit
from hengliang.statistics.results import check_choice, listed

# --- multiple membership: one response of several systems -------------------------------------------------------------
# Rewrites a formula that speaks of systems when one response may belong to several of them.
#
# A rating of a response that A and B gave is half a rating of A and half one of B: multiple membership [1]. The term
# `system` is replaced by the shares of the systems, treatment coding with fractions: the coefficient of `share_B` is
# the difference between responses that B alone gave and those that the reference alone gave.
#
# [1] Browne, W. J., Goldstein, H., Rasbash, J. (2001). Multiple membership multiple classification (MMMC) models.
#     Statistical Modelling 1.

SYSTEM_NAMES = ("system", "model")
"""What a formula may call the system."""

_PLACE = re.compile(r"v(\d+)")


def names_system(formula: Formula) -> bool:
    """Say whether the formula uses the system."""
    return any(name in formula.columns for name in SYSTEM_NAMES)


def with_shares(formula: Formula, systems: Sequence[str], reference: str) -> Formula:
    """Return the formula with the shares of the systems, but for the reference, in place of `system`.

    Without an intercept (`0 + system`) the reference has a share, too.

    As a term of its own, fixed or varying by a group, `system` can be replaced; an interaction or a grouping by system
    cannot, and is refused.
    """
    shares = {system: Atom(f"share_{system}").source for system in (reference, *systems)}
    parts = [_rewritten(formula, formula.fixed, shares)]
    for part in formula.random:
        if any(_is_system(atom) for atom in part.group):
            _refuse(formula, part.text)
        bar = "|" if part.correlated else "||"
        group = ":".join(atom.source for atom in part.group)
        parts.append(f"({_rewritten(formula, part.terms, shares)} {bar} {group})")
    return parse(f"{formula.response.source} ~ {' + '.join(parts)}")


def _is_system(atom: Atom) -> bool:
    return atom.column in SYSTEM_NAMES and atom.function in ("", *FACTOR_FUNCTIONS)


def _rewritten(formula: Formula, expression: Expression, shares: Mapping[str, str]) -> str:
    # Shares sum to 1: beside an intercept the first of them, the reference, says nothing.
    used = list(shares.values())[int(expression.algebra.startswith("1")) :]
    places = {f"v{position}" for position, atom in enumerate(expression.atoms) if _is_system(atom)}
    written = []
    for sign, term in _terms(expression.algebra):
        if term in places:
            written += [f"{sign} {share}" for share in used]
            continue
        source = _PLACE.sub(lambda found: expression.atoms[int(found[1])].source, term)
        if {f"v{position}" for position in _PLACE.findall(term)} & places:
            _refuse(formula, source)
        written.append(f"{sign} {source}")
    return " ".join(written).removeprefix("+ ")


def _terms(algebra: str) -> Iterator[tuple[str, str]]:
    """Cut `1 + v0 - (v1*v2)` into signs and terms; brackets stay whole."""
    sign, start, depth = "+", 0, 0
    for position, character in enumerate(algebra):
        depth += (character == "(") - (character == ")")
        if depth == 0 and character in "+-":
            yield sign, algebra[start:position].strip()
            sign, start = character, position + 1
    yield sign, algebra[start:].strip()


def _refuse(formula: Formula, term: str) -> None:
    raise UserError(
        f"'{term}' in '{formula.text}' needs one system for each rating, but some responses were given by several.",
        valid="`system` as a term of its own, fixed or before the bar of a random term: … + system + (1 + system | g).",
        remedy="Leave the interaction or grouping out, or compare two systems at a time with compare_systems.",
    )


# --- the analysis -----------------------------------------------------------------------------------------------------


ModelFamily = Literal["gaussian", "binomial", "ordinal"]
VALUE = "value"
"""What a formula may call the response instead of naming the measure."""

TITLES: Mapping[str, Bilingual] = {
    "gaussian": Bilingual("Linear mixed model", "线性混合模型"),
    "binomial": Bilingual("Logistic mixed model", "逻辑斯谛混合模型"),
    "ordinal": Bilingual("Ordinal mixed model", "有序混合模型"),
}
STATISTICS: Mapping[str, StatisticLabel] = {
    "coefficient": StatisticLabel(Bilingual("Fixed effect", "固定效应")),
    "threshold": StatisticLabel(Bilingual("Threshold", "阈值")),
    "standard deviation": StatisticLabel(Bilingual("Random effect, SD", "随机效应标准差")),
    "log-likelihood": StatisticLabel(Bilingual("Log-likelihood", "对数似然"), "number", 4),
}
FACTORS: Mapping[str, Bilingual] = {"model": Bilingual("Model", "模型"), "term": Bilingual("Term", "项")}

_INDICATORS = ("gave_", "share_")


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """What is fitted: a formula, a table with its columns, and what to say about how they were made."""

    formula: Formula
    frame: pl.DataFrame
    conventions: Mapping[str, Value]
    warnings: tuple[Bilingual, ...] = ()


@register("mixed model")
class MixedModel(Analysis):
    """A mixed model of one measure, with a formula as in lme4.

    The response is the name of the measure, or any name (usually `value`) when `measure` says which. Columns are those
    of `observations`: item, set, material, condition, system (also called `model`), seed, respondent, rater, part, the
    attributes of the items and the traits of the systems. A measure with several parts needs one named, several, or
    `part` in the formula. `reference` is the system with which the others are compared, else the first by name.

    A rating of a response that several systems gave is one observation: `system` then stands for the shares of the
    systems (`hengliang.analyses.model_analysis`), and the conventions say so.
    """

    explanation = Bilingual(
        "A fixed effect is a difference that holds throughout, in units of the measure (linear) or on the scale of the "
        "link (logistic, ordinal); a random effect is how much items, raters or seeds differ among themselves. "
        "Intervals and p-values as the method of each number says.",
        "固定效应是普遍成立的差异，单位为测量本身（线性）或链接函数的尺度（逻辑斯谛、有序）；"
        "随机效应是条目、评分者或随机种子之间的差异大小。区间与 p 值的由来见各数值的方法。",
    )

    def __init__(
        self,
        formula: str = "",
        family: ModelFamily = "gaussian",
        measure: str = "",
        part: str | Sequence[str] = (),
        link: Literal["logit", "probit"] = "logit",
        threshold: Literal["flexible", "symmetric", "equidistant"] = "flexible",
        p_values: str = "",
        reference: str = "",
        level: float = 0.95,
        alpha: float = 0.05,
        name: str = "",
    ) -> None:
        self.formula = formula
        self.family: ModelFamily = family
        self.measure = measure
        self.part = (part,) if isinstance(part, str) and part else tuple(part)
        self.link: Literal["logit", "probit"] = link
        self.threshold: Literal["flexible", "symmetric", "equidistant"] = threshold
        self.p_values = p_values
        self.reference = reference
        self.level = level
        self.alpha = alpha
        kind = "" if family == "gaussian" else f"{family} "
        self.name = name or f"{kind}mixed model {formula}".strip()

    @property
    def title(self) -> Bilingual:  # type: ignore[override]
        """The kind of model and what it explains."""
        kind = TITLES.get(self.family, TITLES["gaussian"])
        return Bilingual(f"{kind.en}: {self.formula}", f"{kind.zh}：{self.formula}") if self.formula else kind

    def prepare(self, tables: Tables) -> Prepared:
        """Return the formula and the table that are fitted."""
        self._check()
        formula = parse(self.formula)
        response = formula.response.column
        if response in OWN and response != VALUE:
            raise UserError(
                f"The response of '{self.formula}' is '{response}', which is no judgement.",
                valid="The name of a measure, or `value` with measure=….",
            )
        measure = self._measure(tables, response)
        named = [name for name in formula.columns if name != response]
        asked = [name for name in named if not name.startswith(_INDICATORS)]
        frame = observations(tables, measure, columns=asked, parts=self._parts(tables, measure, named))
        for name in named:
            if name not in frame.columns:
                raise unknown_name("column", name, frame.columns)
        frame = frame.rename({VALUE: response})
        return _without_lost_systems(self._with_systems(formula, frame))

    def _check(self) -> None:
        if not self.formula:
            raise UserError(
                "A mixed model wants a formula.", remedy='Give one: mixed("match ~ system + (1 | item)", …)'
            )
        check_choice("family", self.family, get_args(ModelFamily))
        ordinal = self.family == "ordinal"
        if not ordinal and (self.link, self.threshold) != ("logit", "flexible"):
            raise UserError(
                "link and threshold belong to ordinal models.", remedy='Add family="ordinal", or leave them away.'
            )
        if ordinal and self.p_values not in {"", "wald"}:
            raise UserError(f"An ordinal model has no p-values '{self.p_values}'.", valid="p_values: wald.")

    def _measure(self, tables: Tables, response: str) -> str:
        if self.measure:
            return self.measure
        known = tables.judgements["measure"].unique().sort().to_list()
        if response in known:
            return response
        if response == VALUE and len(known) == 1:
            return str(known[0])
        raise unknown_name("measure", response, known, remedy="Say which measure the response is: measure=NAME")

    def _parts(self, tables: Tables, measure: str, named: Sequence[str]) -> tuple[str, ...]:
        parts = parts_of(tables, measure)
        if self.part or "part" in named or len(parts) == 1:
            return self.part
        raise UserError(
            f"'{measure}' has {len(parts)} parts: {', '.join(parts)}.",
            valid="One part, several, or all with `part` in the formula.",
            remedy=f"Name one: part={parts[0]!r}",
        )

    def _with_systems(self, formula: Formula, frame: pl.DataFrame) -> Prepared:
        """Put the reference first among the systems, or shares in their place where responses are shared."""
        if not names_system(formula):
            return Prepared(formula, frame, {})
        shared = int((frame["n_systems"] > 1).sum()) if "n_systems" in frame.columns else 0
        names = sorted(frame["system"].drop_nulls().unique().to_list())
        if shared:
            names = [name.removeprefix("share_") for name in frame.columns if name.startswith("share_")]
        if self.reference and self.reference not in names:
            raise unknown_name("system", self.reference, names)
        first = self.reference or names[0]
        if not shared:
            order = pl.Enum([first, *(name for name in names if name != first)])
            return Prepared(formula, frame.with_columns(pl.col(*SYSTEM_NAMES).cast(order)), {})
        if "seed" in formula.columns:
            raise UserError(
                "The seed of a rating is not known where several systems gave the response.",
                remedy="Leave `seed` out of the formula.",
            )
        once = f"unique, {shared} of them of a response that several systems gave"
        membership = "multiple membership, share of each system among those that gave the response"
        conventions = {"ratings": once, "systems": membership, "reference": first}
        return Prepared(with_shares(formula, names, first), frame, conventions)

    def fit(self, tables: Tables) -> ModelFit:
        """Return the fitted model."""
        prepared = self.prepare(tables)
        fitted = self._fitted(prepared.formula, prepared.frame)
        return replace(
            fitted,
            conventions={**fitted.conventions, **prepared.conventions},
            warnings=(*prepared.warnings, *fitted.warnings),
        )

    def _fitted(self, formula: Formula, frame: pl.DataFrame) -> ModelFit:
        if self.family == "ordinal":
            from hengliang.statistics.models.ordinal import fit_ordinal

            return fit_ordinal(
                formula.text, frame, link=self.link, threshold=self.threshold, level=self.level, alpha=self.alpha
            ).model
        from hengliang.statistics.models.mixed import fit_mixed

        p_values = self.p_values or None
        return fit_mixed(
            formula, frame, family=self.family, p_values=p_values, level=self.level, alpha=self.alpha
        ).model

    def conclude(self, tables: Tables) -> Conclusion:
        """Return coefficients, thresholds, standard deviations and log-likelihood, and what they say in words."""
        fitted = self.fit(tables)
        signature = str(self.signature().and_(fit=fitted.signature()))
        rows = fitted.estimates(self.name, {"model": self.formula})
        estimates = estimates_frame([replace(row, signature=signature) for row in rows])
        return Conclusion(estimates, (_sentence(fitted),))

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the estimates of the model."""
        return self.conclude(tables).estimates

    def layout(self) -> Layout:
        """Return the terms as rows, by what they are."""
        return Layout(("statistic", "term"), "model", STATISTICS, FACTORS, figure="none")


def _sentence(fitted: ModelFit) -> Bilingual:
    sentence, conventions = fitted.sentence(), fitted.conventions
    if "systems" not in conventions:
        return sentence
    reference = conventions["reference"]
    return Bilingual(
        f"{sentence.en} Each rating counts once. The effects of systems are by {conventions['systems']}, against "
        f"{reference}.",
        f"{sentence.zh}每个评分只计一次。系统效应按多重隶属估计，权重为给出同一回答的各系统所占份额，参照系统为{reference}。",
    )


def _without_lost_systems(prepared: Prepared) -> Prepared:
    """Warn of systems that the model does not see because a column is empty for all of their rows."""
    if "system" not in prepared.frame.columns:
        return prepared
    used = prepared.frame.drop_nulls([name for name in prepared.formula.columns if name in prepared.frame.columns])
    judged = prepared.frame.drop_nulls(prepared.formula.response.column)
    lost = sorted(set(judged["system"].drop_nulls().to_list()) - set(used["system"].to_list()))
    if not lost:
        return prepared
    names = listed(map(str, lost))
    warning = Bilingual(
        f"{names.en} {'is' if len(lost) == 1 else 'are'} not in the model: a column of the formula is empty there.",
        f"模型不含{names.zh}：公式所用的某一列在此为空。",
    )
    return replace(prepared, warnings=(*prepared.warnings, warning))


# What users write among the analyses of a study.
mixed = MixedModel
