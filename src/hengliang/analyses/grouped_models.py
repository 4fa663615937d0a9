"""Mixed models by group: the same formula fitted in every group, with sum coding and detection of separation.

The chapter goes from the formula of one group (which terms it has there, how factors are coded, which cells never vary)
through the fit of one group to the analysis `models_by`, which fits all groups and reports them side by side.

A random term whose group has one level is left out, for there is nothing between which it could vary. With sum coding a
main effect beside its interaction is the mean effect over the levels of the other factor, as with R's `contr.sum`; the
reference has −1 in every column. A cell of a logistic model in which all answers are the same has no finite log-odds
(separation [1]), and neither have the effects that rest on it.

[1] Albert, A., Anderson, J. A. (1984). On the existence of maximum likelihood estimates in logistic regression models.
    Biometrika 71.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal, get_args

import polars as pl

from hengliang.analyses.model_analysis import FACTORS, TITLES, VALUE, MixedModel, ModelFamily
from hengliang.analyses.observations import observations
from hengliang.analyses.outcomes import bilingual_reason
from hengliang.analyses.subsets import (
    Derived,
    Group,
    OpenTies,
    Where,
    as_names,
    column_titles,
    count_open_ties,
    counting_parts,
    find_column,
    grouped,
    level_titles,
    levels_in_order,
    named_levels,
    restricted,
    ties_sentence,
    with_derived,
    with_open_ties,
    with_trials,
    with_values,
)
from hengliang.core.base_classes import Analysis, Conclusion, Layout, StatisticLabel
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual, both
from hengliang.statistics.models.design import INTERCEPT, is_factor, level_text, levels_of, outer_terms
from hengliang.statistics.models.formula import Atom, Formula, RandomPart, parse
from hengliang.statistics.models.results import Coefficient, ModelFit, stars
from hengliang.statistics.multiple_testing import CORRECTIONS, Correction, FamilyResult, family
from hengliang.statistics.results import check_choice, listed

# --- formulas: usable random terms and sum coding ---------------------------------------------------------------------


_PLACE = re.compile(r"v(\d+)")
_LEVEL = re.compile(r"\[[^\]]*\]")


def written(formula: Formula, summed: Mapping[str, Sequence[str]], random: Sequence[RandomPart]) -> str:
    """Write a formula with these random terms, and columns of numbers in place of the factors that are sum-coded."""

    def source(found: re.Match[str]) -> str:
        atom = formula.fixed.atoms[int(found[1])]
        columns = summed.get(atom.text, ())
        return f"({' + '.join(f'`{column}`' for column in columns)})" if columns else atom.source

    terms = [_PLACE.sub(source, formula.fixed.algebra), *map(_random_source, random)]
    return f"{formula.response.source} ~ {' + '.join(terms)}"


def _random_source(part: RandomPart) -> str:
    bar = "|" if part.correlated else "||"
    return f"({part.terms.text} {bar} {':'.join(atom.source for atom in part.group)})"


def usable_random(formula: Formula, rows: pl.DataFrame) -> tuple[tuple[RandomPart, ...], tuple[str, ...]]:
    """Return the random terms whose group has two levels or more in these rows, and the groups of the others."""
    kept, left = [], []
    for part in formula.random:
        columns = [atom.column for atom in part.group]
        if rows.height and rows.select(columns).n_unique() < 2:
            left.append(part.group_name)
        else:
            kept.append(part)
    return tuple(kept), tuple(dict.fromkeys(left))


def left_out_remark(groups: Sequence[str]) -> Bilingual:
    """Say which random terms were left out because their group has one level."""
    names = listed(groups)
    verb = "has" if len(groups) == 1 else "have"
    return Bilingual(
        f"{names.en} {verb} one level here, so that no random term of {'it' if len(groups) == 1 else 'them'} is in the "
        "model.",
        f"此处{names.zh}只有一个水平，模型不含其随机项。",
    )


def sum_columns(name: str, levels: Sequence[object], reference: str = "") -> dict[str, dict[object, float]]:
    """Return the columns of sum coding, each from level to number; without a `reference` the last level is it."""
    texts = {level_text(level): level for level in levels}
    last = reference or list(texts)[-1]
    if last not in texts:
        raise missing_reference(name, last, list(texts))
    others = [text for text in texts if text != last]
    return {
        f"{name}[{text}]": {level: float(own == text) - float(own == last) for own, level in texts.items()}
        for text in others
    }


def missing_reference(name: str, level: str, known: Sequence[str]) -> UserError:
    """Return the error for a reference that does not occur."""
    return UserError(
        f"The reference '{level}' of '{name}' does not occur here.",
        valid=f"Levels: {', '.join(known)}.",
        remedy=f"Name another: reference={{{name!r}: {known[0]!r}}}" if known else "",
    )


# --- names of coefficients --------------------------------------------------------------------------------------------


def term_of(coefficient: str) -> str:
    """Return the term to which a coefficient belongs.

    >>> term_of("structured[true]:modifier[none]")
    'structured:modifier'
    """
    return _LEVEL.sub("", coefficient)


def known_terms(formula: Formula) -> list[str]:
    """Return the terms that are part of no other; this needs the library that reads formulas."""
    return list(outer_terms(formula.fixed))


def level_in(coefficient: str, factor: str, levels: Sequence[str]) -> str | None:
    """Return the level of a factor that a coefficient is about; None where it is not about this factor."""
    return next((level for level in levels if f":{factor}[{level}]" in f":{coefficient}"), None)


# --- separation: cells in which the answer never varies ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Cell:
    """A combination of levels in which all answers are the same."""

    levels: Mapping[str, str]
    answer: str
    n: int

    def __str__(self) -> str:
        where = ", ".join(f"{factor} = {level}" for factor, level in self.levels.items())
        return f"all {self.n} answers with {where} are {self.answer}"

    @property
    def chinese(self) -> str:
        """The same in Chinese."""
        where = "、".join(f"{factor} = {level}" for factor, level in self.levels.items())
        return f"{where} 的 {self.n} 个回答全部为 {self.answer}"


@dataclass(frozen=True, slots=True, eq=False)
class Factors:
    """The factors of a formula in some rows: their levels as text, the reference first, and which are sum-coded."""

    levels: Mapping[str, tuple[str, ...]]
    summed: frozenset[str]

    def rests_on(self, coefficient: str, cell: Cell) -> bool:
        """Whether an effect is computed from this cell.

        With treatment coding an effect compares the levels that it names with the references, at the references of all
        other factors; with sum coding it is made of all levels.
        """
        if term_of(coefficient) == "(Intercept)":
            return False
        for factor, level in cell.levels.items():
            if factor in self.summed:
                continue
            reference = self.levels[factor][0]
            if level not in {reference, level_in(coefficient, factor, self.levels[factor])}:
                return False
        return any(level_in(coefficient, factor, self.levels[factor]) is not None for factor in cell.levels)


def factors_of(formula: Formula, rows: pl.DataFrame, reference: Mapping[str, str], summed: Sequence[str]) -> Factors:
    """Return the factors of the fixed effects with the levels that occur in `rows`."""
    levels_of_factors = {}
    for atom in formula.fixed.atoms:
        if atom.column in rows.columns and is_factor(atom, rows):
            levels = [level_text(level) for level in levels_of(rows[atom.column])]
            first = [level for level in levels if level == reference.get(atom.column)]
            levels_of_factors[atom.text] = (*first, *(level for level in levels if level not in first))
    return Factors(levels_of_factors, frozenset(summed))


def separations(formula: Formula, rows: pl.DataFrame, response: str) -> Iterator[Cell]:
    """Give the cells of the fixed effects in which `response` has one value; numbers have no cells."""
    places = {f"v{position}": atom for position, atom in enumerate(formula.fixed.atoms)}
    for algebra in outer_terms(formula.fixed).values():
        atoms = [places[position] for position in algebra.split(":")]
        if not all(atom.column in rows.columns and is_factor(atom, rows) for atom in atoms):
            continue
        yield from _constant_cells(atoms, rows, response)


def _constant_cells(atoms: Sequence[Atom], rows: pl.DataFrame, response: str) -> Iterator[Cell]:
    columns = [atom.column for atom in atoms]
    cells = rows.group_by(columns).agg(answers=pl.col(response).n_unique(), answer=pl.col(response).first(), n=pl.len())
    for *levels, _, answer, n in cells.filter(pl.col("answers") == 1).sort(columns).iter_rows():
        level_texts = {atom.text: level_text(level) for atom, level in zip(atoms, levels, strict=True)}
        yield Cell(level_texts, level_text(answer), n)


# --- the fit of one group ---------------------------------------------------------------------------------------------
# Fits the mixed model to one group of a run and puts it into words. A group gives a `GroupFit`: the fitted model with
# the effects that have a finite estimate, or the reason why there is none.

_SHARES = ("gave_", "share_")


@dataclass(frozen=True, slots=True, eq=False)
class GroupFit:
    """What was found in one group: the fitted model, or why there is none; and cells in which no answer varies.

    `ties` are the judgements that no coin has settled and how many judgements there are.
    """

    group: Group
    n: int
    n_missing: int
    factors: Factors
    fit: ModelFit | None = None
    reason: str = ""
    cells: tuple[Cell, ...] = ()
    ties: tuple[int, int] = (0, 0)

    def separated(self, coefficient: str) -> tuple[Cell, ...]:
        """Return the cells because of which this effect has no finite estimate."""
        return tuple(cell for cell in self.cells if self.factors.rests_on(coefficient, cell))

    def p(self, coefficient: Coefficient) -> float | None:
        """Return the p of an effect, if it has one."""
        return None if self.separated(coefficient.name) or math.isnan(coefficient.p) else coefficient.p

    def sentence(self, effects: Sequence[Coefficient]) -> Bilingual:
        """Say these effects with marks of significance, or why there are none."""
        label = self.group.label
        if self.fit is None:
            reason = bilingual_reason(self.reason)
            return Bilingual(f"{label.en}: no model ({reason.en})", f"{label.zh}：未能拟合（{reason.zh}）")
        effect_texts = [self._effect(effect) for effect in effects] or [Bilingual("no such effect", "无此效应")]
        missing = f", {self.fit.n_missing} missing left out" if self.fit.n_missing else ""
        missing_zh = f"，缺失 {self.fit.n_missing}" if self.fit.n_missing else ""
        return Bilingual(
            f"{label.en} (N = {self.fit.n}{missing}): {'; '.join(text.en for text in effect_texts)}.",
            f"{label.zh}（N = {self.fit.n}{missing_zh}）：{'；'.join(text.zh for text in effect_texts)}。",
        )

    def _effect(self, effect: Coefficient) -> Bilingual:
        cells = self.separated(effect.name)
        if cells:
            return Bilingual(
                f"{effect.name}: no finite estimate, separation ({'; '.join(map(str, cells))})",
                f"{effect.name}：完全分离，无有限估计（{'；'.join(cell.chinese for cell in cells)}）",
            )
        p = self.p(effect)
        marked = effect.name + ("" if p is None else stars(p))
        return Bilingual(f"{marked}: {effect.describe()}", f"{marked}：{effect.describe()}")


@dataclass(frozen=True, slots=True, eq=False)
class GroupModel:
    """The model that every group gets: a formula, how its factors are coded, and further settings of `MixedModel`."""

    formula: Formula
    measure: str
    part: tuple[str, ...]
    reference: Mapping[str, str]
    sum_coded: tuple[str, ...]
    settings: Mapping[str, Any]
    ties: OpenTies = "left out"

    def observed(self, tables: Tables) -> tuple[pl.DataFrame, tuple[str, ...]]:
        """Return the observations with all columns of the formula, and the parts of the measure that are used."""
        parts = counting_parts(tables, self.measure, self.part)
        asked = [name for name in self._predictors() if not name.startswith(_SHARES)]
        return observations(tables, self.measure, columns=asked, parts=parts), parts

    def _predictors(self) -> list[str]:
        return [name for name in self.formula.columns if name != self.formula.response.column]

    def fit(self, group: Group) -> GroupFit:
        """Fit the model to one group; what makes that impossible is the reason."""
        tables = with_open_ties(group.tables, self.measure, self.ties)
        nothing = Factors({}, frozenset())
        try:
            parts = counting_parts(group.tables, self.measure, self.part)
            ties = count_open_ties(group.tables, self.measure, parts)
            if ties[0] and ties[0] == ties[1] and self.ties == "left out":
                reason = f"All {ties[1]} observations are ties."
                return GroupFit(group, 0, ties[1], nothing, reason=reason, ties=ties)
            frame, parts = self.observed(tables)
        except UserError as error:
            return GroupFit(group, 0, 0, nothing, reason=error.problem)
        rows = frame.drop_nulls([VALUE, *(name for name in self._predictors() if name in frame.columns)])
        factors = factors_of(self.formula, rows, self.reference, self.sum_coded)
        binary = self.settings["family"] == "binomial" and rows.height > 0
        cells = tuple(separations(self.formula, rows, VALUE)) if binary else ()
        group_fit = GroupFit(group, rows.height, frame.height - rows.height, factors, cells=cells, ties=ties)
        try:
            return replace(group_fit, fit=self._fitted(tables, rows, parts))
        except UserError as error:
            return replace(group_fit, reason=error.problem)

    def _fitted(self, tables: Tables, rows: pl.DataFrame, parts: tuple[str, ...]) -> ModelFit:
        random, left = usable_random(self.formula, rows)
        tables, summed = self._summed(tables, rows)
        for column in self.reference:
            if column not in {*summed, "system", "model"}:
                tables = self._releveled(tables, column, rows)
        text = written(self.formula, summed, random) if summed or left else self.formula.text
        system = self.reference.get("system", self.reference.get("model", ""))
        fitted = MixedModel(text, measure=self.measure, part=parts, reference=system, **self.settings).fit(tables)
        conventions = dict(fitted.conventions)
        if summed:
            conventions["coding"] = f"sum for {', '.join(summed)}, treatment for all others"
        if not left:
            return replace(fitted, conventions=conventions)
        conventions["left out"] = f"random terms of {', '.join(left)} (one level)"
        return replace(fitted, conventions=conventions, warnings=(left_out_remark(left), *fitted.warnings))

    def _summed(self, tables: Tables, rows: pl.DataFrame) -> tuple[Tables, dict[str, list[str]]]:
        """Add the columns of sum coding."""
        summed = {}
        for column in self.sum_coded:
            _refuse_uncodable(tables, column, ())
            levels = levels_of(rows[column])
            if len(levels) < 2:
                raise UserError(f"The factor '{column}' has one level only.", valid="Two levels or more.")
            coded = sum_columns(column, levels, self.reference.get(column, ""))
            tables = with_values(tables, column, coded, pl.Float64())
            summed[column] = list(coded)
        return tables, summed

    def _releveled(self, tables: Tables, column: str, rows: pl.DataFrame) -> Tables:
        """Put the reference first among the levels of a factor."""
        _refuse_uncodable(tables, column, ("seed",))
        first = self.reference[column]
        present = [level_text(level) for level in levels_of(rows[column])]
        if first not in present:
            raise missing_reference(column, first, present)
        texts = {level: level_text(level) for level in levels_in_order(tables, column) if level is not None}
        order = [first, *(text for text in sorted(texts.values()) if text != first)]
        return with_values(tables, column, {column: texts}, pl.Enum(order))


def _refuse_uncodable(tables: Tables, column: str, others: Sequence[str]) -> None:
    if column in others or find_column(tables, column).table == "judgements":
        raise UserError(
            f"'{column}' cannot be coded in another way.", valid="Attributes of items and traits of systems."
        )


def gathered_warnings(found: Sequence[GroupFit]) -> Iterator[Bilingual]:
    """Give each warning once, with the groups that it holds for."""
    groups_by_warning: dict[Bilingual, list[Bilingual]] = {}
    for group_fit in found:
        for warning in dict.fromkeys(group_fit.fit.warnings if group_fit.fit else ()):
            groups_by_warning.setdefault(warning, []).append(group_fit.group.label)
    for warning, labels in groups_by_warning.items():
        if len(found) == 1:
            yield Bilingual(f"Warning: {warning.en}", f"警告：{warning.zh}")
            continue
        everywhere = len(labels) == len(found)
        where_en = "all groups" if everywhere else "; ".join(label.en for label in labels)
        where_zh = "所有组" if everywhere else "；".join(label.zh for label in labels)
        yield Bilingual(f"Warning for {where_en}: {warning.en}", f"警告（{where_zh}）：{warning.zh}")


# --- models by group --------------------------------------------------------------------------------------------------
# The analysis of one formula in many groups, which shows whether an effect holds in each by itself:
# `models_by("prediction ~ structured + (1 | frame)", by=("class", "data"), family="binomial")` fits a model in every
# combination of levels, each as `hengliang.analyses.model_analysis` does. A group in which the model cannot be fitted
# keeps its row, with the reason.

EFFECT, ADJUSTED = "coefficient", "adjusted p"
PREDICTION = "prediction"
_NONE: Mapping[str, str] = MappingProxyType({})


@register("models by group")
class ModelsBy(Analysis):
    """The same mixed model in each group of observations.

    `by` are attributes of items, traits of systems, `system`, `seed` or `part`; `where` and `without` say which levels
    are looked at, `derived` gives columns that follow from others, and `trial` is the place of a seed among those of
    its system (`hengliang.analyses.subsets`). `terms` are those that are reported: a coefficient
    (`modifier[adjective]`) or all of a term (`modifier`); without it all but the intercept. The response is the name
    of a measure, or any name for the measure `measure` (else `prediction`). Controls are left out unless `part` names
    them.

    `reference` is the level of a factor with which the others are compared, else the first in the order of code points.
    Factors in `sum_coded` are coded so that the other effects are means over their levels. `ties` says what becomes of
    ties that no coin has settled: "left out", "failure", or in a linear model "half". All reported effects of all
    groups are one family for `correction`. `columns` is what heads the columns of the table: `statistic`, `term`, or
    one of `by`.
    """

    explanation = Bilingual(
        "One model for each group, fitted to its observations alone. Effects are in units of the measure (linear) or "
        "on the scale of the link (logistic, ordinal). A group without a number says why. That an effect is "
        "significant in one group and not in another does not show that the groups differ.",
        "每一组单独拟合一个模型。效应的单位为测量本身（线性）或链接函数的尺度（逻辑斯谛、有序）。没有数值的组会说明原因。"
        "一组显著而另一组不显著，并不证明两组之间存在差异。",
    )

    def __init__(
        self,
        formula: str = "",
        by: str | Sequence[str] = (),
        where: Where = _NONE,
        without: Where = _NONE,
        derived: Derived = MappingProxyType({}),
        terms: str | Sequence[str] = (),
        family: ModelFamily = "gaussian",
        measure: str = "",
        part: str | Sequence[str] = (),
        reference: Mapping[str, str] = _NONE,
        sum_coded: str | Sequence[str] = (),
        ties: OpenTies = "left out",
        correction: Correction = "none",
        columns: str = "statistic",
        link: Literal["logit", "probit"] = "logit",
        threshold: Literal["flexible", "symmetric", "equidistant"] = "flexible",
        p_values: str = "",
        level: float = 0.95,
        alpha: float = 0.05,
        name: str = "",
    ) -> None:
        self.formula = formula
        self.by = as_names(by)
        self.where = {column: named_levels(levels) for column, levels in where.items()}
        self.without = {column: named_levels(levels) for column, levels in without.items()}
        self.derived = {
            new: {old: dict(mapping) for old, mapping in sources.items()} for new, sources in derived.items()
        }
        self.terms = as_names(terms)
        self.family: ModelFamily = family
        self.measure = measure
        self.part = as_names(part)
        self.reference = {column: str(level) for column, level in reference.items()}
        self.sum_coded = as_names(sum_coded)
        self.ties: OpenTies = ties
        self.correction: Correction = correction
        self.columns = columns
        self.link: Literal["logit", "probit"] = link
        self.threshold: Literal["flexible", "symmetric", "equidistant"] = threshold
        self.p_values = p_values
        self.level = level
        self.alpha = alpha
        groups = " by " + " and ".join(self.by) if self.by else ""
        self.name = name or f"models{groups} {formula}".strip()
        kind = TITLES.get(family, TITLES["gaussian"])
        known = column_titles()
        titles = [known.get(factor, both(factor)) for factor in self.by]
        by_en = " by " + " and ".join(title.en.lower() for title in titles) if titles else ""
        by_zh = f"（按{'、'.join(title.zh for title in titles)}）" if titles else ""
        self.title = Bilingual(
            f"{kind.en}s{by_en}" + (f": {formula}" if formula else ""),
            f"{kind.zh}{by_zh}" + (f"：{formula}" if formula else ""),
        )

    def fits(self, tables: Tables) -> tuple[list[GroupFit], tuple[Bilingual, ...]]:
        """Return what was found in each group, and what is said of observations that are in none."""
        formula = self._checked()
        tables = self._extended(tables)
        measure = self._measure(tables, formula)
        tables = restricted(tables, measure, self.where, self.without)
        names = ("family", "link", "threshold", "p_values", "level", "alpha")
        settings = {name: getattr(self, name) for name in names}
        model = GroupModel(formula, measure, self.part, self.reference, self.sum_coded, settings, self.ties)
        _, parts = model.observed(tables)  # a column that does not exist concerns all groups, not one
        grouping = grouped(tables, measure, self.by, parts)
        return [model.fit(group) for group in grouping.groups], grouping.remarks

    def _extended(self, tables: Tables) -> Tables:
        return with_derived(with_trials(tables), self.derived)

    def _checked(self) -> Formula:
        if not self.formula:
            raise UserError(
                "Models by group want a formula.", remedy='Give one: models_by("prediction ~ structured + (1 | frame)")'
            )
        check_choice("family", self.family, get_args(ModelFamily))
        check_choice("correction", self.correction, tuple(CORRECTIONS))
        halves = ("half",) if self.family == "gaussian" else ()
        check_choice("ties", self.ties, (*halves, "left out", "failure"))
        check_choice("columns", self.columns, ("statistic", "term", *self.by))
        formula = parse(self.formula)
        known_terms(formula)  # a missing library is reported at once, not as the reason of every group
        atoms = [atom.text for atom in formula.fixed.atoms]
        for term in self.terms:
            for piece in term_of(term).split(":"):
                if piece not in {*atoms, INTERCEPT}:
                    raise unknown_name("term of the formula", term, atoms)
        for column in (*self.reference, *self.sum_coded):
            if column not in formula.columns:
                raise unknown_name("column of the formula", column, formula.columns)
        return formula

    def _measure(self, tables: Tables, formula: Formula) -> str:
        known = tables.judgements["measure"].unique().sort().to_list()
        measure = self.measure or (formula.response.column if formula.response.column in known else PREDICTION)
        if measure not in known:
            raise unknown_name("measure", measure, known, remedy="Say which measure the response is: measure=NAME")
        return measure

    def conclude(self, tables: Tables) -> Conclusion:
        """Return the effects of each group, and what they say in words."""
        group_fits, remarks = self.fits(tables)
        order = self._term_order(self._extended(tables), group_fits)
        chosen = [
            (group_fit, [c for name in order for c in self._reported(group_fit) if c.name == name])
            for group_fit in group_fits
        ]
        rows = [row for group_fit, effects in chosen for row in self._rows(group_fit, effects, order)]
        sentences = [self._headline(group_fits), *(group_fit.sentence(effects) for group_fit, effects in chosen)]
        ties, judged = (sum(group_fit.ties[index] for group_fit in group_fits) for index in (0, 1))
        sentences += [ties_sentence(ties, judged, self.ties)] if ties else []
        sentences += [*gathered_warnings(group_fits), *remarks]
        if self.correction != "none":
            # An effect that could not be estimated was planned all the same and counts.
            corrected = family([(_label(row), row.p) for row in rows], method=self.correction, alpha=self.alpha)
            rows += self._adjusted(rows, corrected)
            sentences.append(corrected.sentence())
        return Conclusion(estimates_frame(rows), tuple(sentences))

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the effects of each group."""
        return self.conclude(tables).estimates

    def _reported(self, one: GroupFit) -> list[Coefficient]:
        coefficients = one.fit.coefficients if one.fit else ()
        if not self.terms:
            return [c for c in coefficients if c.name != INTERCEPT]
        return [c for c in coefficients if c.name in self.terms or term_of(c.name) in self.terms]

    def _term_order(self, tables: Tables, found: Sequence[GroupFit]) -> list[str]:
        """Return all reported effects: by term, and within a term by the order in which levels appear in the run."""
        names = list(dict.fromkeys(c.name for group_fit in found for c in self._reported(group_fit)))
        terms = list(dict.fromkeys(map(term_of, names)))
        ranks: dict[str, int] = {}
        for atom in parse(self.formula).fixed.atoms:
            for rank, level in enumerate(_levels_of_column(tables, atom.column)):
                ranks[f"{atom.text}[{level}]"] = rank
        keys = {
            name: (terms.index(term_of(name)), [ranks.get(piece, 0) for piece in name.split(":")]) for name in names
        }
        return sorted(names, key=lambda name: keys[name])

    def _rows(self, one: GroupFit, held: Sequence[Coefficient], order: Sequence[str]) -> Iterator[Estimate]:
        if one.fit is None:
            for term in self._awaited(one, order):
                yield self._blank(one, term, f"no model: {one.reason}", str(self.signature()))
            return
        signature = str(self.signature().and_(fit=one.fit.signature()))
        rows_by_term = {
            row.by["term"]: row for row in one.fit.estimates(self.name, one.group.levels) if row.statistic == EFFECT
        }
        for coefficient in held:
            cells = one.separated(coefficient.name)
            if cells:
                why = f"no finite estimate, separation: {'; '.join(map(str, cells))}"
                yield self._blank(one, coefficient.name, why, signature)
            else:
                yield replace(rows_by_term[coefficient.name], signature=signature)

    def _blank(self, one: GroupFit, term: str, method: str, signature: str) -> Estimate:
        levels = {**one.group.levels, "term": term}
        return Estimate(
            self.name, levels, EFFECT, None, n=one.n, n_missing=one.n_missing, method=method, signature=signature
        )

    def _awaited(self, one: GroupFit, order: Sequence[str]) -> list[str]:
        """Return the effects that a model of this group would have: those of other groups with its levels."""
        wanted = self.terms or known_terms(parse(self.formula))
        names = []
        for term in wanted:
            seen = [name for name in order if name == term or term_of(name) == term]
            possible = [
                name
                for name in seen
                if all(
                    len(levels) < 2 or f"{factor}[" not in name or level_in(name, factor, levels) is not None
                    for factor, levels in one.factors.levels.items()
                )
            ]
            names += possible or seen or [term]
        return list(dict.fromkeys(names))

    def _adjusted(self, rows: Sequence[Estimate], corrected: FamilyResult) -> list[Estimate]:
        signature = str(self.signature().and_(family=corrected.signature()))
        method = f"{CORRECTIONS[corrected.family.method].en}, family of {corrected.size}"
        return [
            Estimate(self.name, row.by, ADJUSTED, member.adjusted, method=method, signature=signature)
            for row, member in zip(rows, corrected.members, strict=True)
            if member.adjusted is not None
        ]

    def _headline(self, found: Sequence[GroupFit]) -> Bilingual:
        titles = [group_fit.fit.title for group_fit in found if group_fit.fit] or [TITLES[self.family]]
        kind = max(titles, key=titles.count)
        fitted = sum(group_fit.fit is not None for group_fit in found)
        where = Bilingual(f", fitted in {fitted} of {len(found)} groups", f"，{len(found)} 组中有 {fitted} 组得到拟合")
        where = where if self.by else Bilingual("", "")
        coded = f"; sum coding of {', '.join(self.sum_coded)}" if self.sum_coded else ""
        coded_zh = f"；{'、'.join(self.sum_coded)} 采用和编码" if self.sum_coded else ""
        return Bilingual(
            f"{kind.en[:1].upper()}{kind.en[1:]} of {self.formula}{where.en}{coded} "
            "(* p ≤ .05, ** p ≤ .01, *** p ≤ .001, not corrected).",
            f"{kind.zh}，{self.formula}{where.zh}{coded_zh}（* p ≤ .05，** p ≤ .01，*** p ≤ .001，未校正）。",
        )

    def layout(self) -> Layout:
        """Return groups and effects as rows; one of them heads the columns where `columns` says so."""
        units = {
            "gaussian": Bilingual("Effect", "效应"),
            "binomial": Bilingual("Effect (log-odds)", "效应（对数优势）"),
            "ordinal": Bilingual("Effect (latent scale)", "效应（潜在尺度）"),
        }
        known = column_titles()
        levels = {
            f"{factor}[{name}]": title
            for factor in ("modifier", "domain", "trees")
            for name, title in level_titles().items()
        }
        return Layout(
            rows=tuple(name for name in (*self.by, "term") if name != self.columns),
            columns=self.columns,
            statistics={
                EFFECT: StatisticLabel(units.get(self.family, units["gaussian"])),
                ADJUSTED: StatisticLabel(Bilingual("Adjusted p", "校正后的 p"), "p"),
            },
            factors={
                **{name: known[name] for name in self.by if name in known},
                "term": FACTORS["term"],
            },
            levels={**level_titles(), **levels, "structured[true]": Bilingual("structured", "有结构监督")},
            figure_statistics=(EFFECT,),
        )


def _levels_of_column(tables: Tables, column: str) -> list[str]:
    try:
        return [level_text(level) for level in levels_in_order(tables, column) if level is not None]
    except UserError:  # shares of systems are columns of the observations only
        return []


def _label(row: Estimate) -> str:
    return " · ".join(row.by.values())


# What users write among the analyses of a study.
models_by = ModelsBy
