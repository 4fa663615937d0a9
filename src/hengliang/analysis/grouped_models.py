"""Does an effect hold in each group by itself: the same mixed model, fitted once for every class, model or size?

`models_by("prediction ~ structured + (1 | frame)", by=("class", "data"), family="binomial")` fits a model in every
combination of levels, each as `hengliang.analysis.model_analysis` does, and reports the effects side by side. A group
in which the model cannot be fitted keeps its row, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Literal, get_args

import polars as pl

from hengliang.analysis.group_fits import GroupFit, GroupModel, gathered_warnings
from hengliang.analysis.group_formulas import known_terms, level_in, term_of
from hengliang.analysis.model_analysis import FACTORS, TITLES, ModelFamily
from hengliang.analysis.subsets import (
    Derived,
    OpenTies,
    Where,
    as_names,
    column_titles,
    grouped,
    level_titles,
    levels_in_order,
    named_levels,
    restricted,
    ties_sentence,
    with_derived,
    with_trials,
)
from hengliang.core.base_classes import Analysis, Conclusion, Layout, StatisticLabel
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual, both
from hengliang.statistics.models.design import INTERCEPT, level_text
from hengliang.statistics.models.formula import Formula, parse
from hengliang.statistics.models.results import Coefficient
from hengliang.statistics.multiple_testing import CORRECTIONS, Correction, FamilyResult, family
from hengliang.statistics.results import check_choice

EFFECT, ADJUSTED = "coefficient", "adjusted p"
PREDICTION = "prediction"
_NONE: Mapping[str, str] = MappingProxyType({})


@register("models by group")
class ModelsBy(Analysis):
    """The same mixed model in each group of observations.

    `by` are attributes of items, traits of systems, `system`, `seed` or `part`; `where` and `without` say which levels
    are looked at, `derived` gives columns that follow from others, and `trial` is the place of a seed among those of
    its system (`hengliang.analysis.subsets`). `terms` are those that are reported: a coefficient
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
        self.derived = {new: {old: dict(held) for old, held in sources.items()} for new, sources in derived.items()}
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
        _, parts = model.observed(tables)  # a column that does not exist is no matter of a single group
        held = grouped(tables, measure, self.by, parts)
        return [model.fit(group) for group in held.groups], held.remarks

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
        known_terms(formula)  # a missing library is told at once, not as the reason of every group
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
        found, remarks = self.fits(tables)
        order = self._term_order(self._extended(tables), found)
        chosen = [(one, [c for name in order for c in self._reported(one) if c.name == name]) for one in found]
        rows = [row for one, held in chosen for row in self._rows(one, held, order)]
        told = [self._headline(found), *(one.sentence(held) for one, held in chosen)]
        ties, judged = (sum(one.ties[place] for one in found) for place in (0, 1))
        told += [ties_sentence(ties, judged, self.ties)] if ties else []
        told += [*gathered_warnings(found), *remarks]
        if self.correction != "none":
            # An effect that could not be estimated was planned all the same and counts.
            corrected = family([(_label(row), row.p) for row in rows], method=self.correction, alpha=self.alpha)
            rows += self._adjusted(rows, corrected)
            told.append(corrected.sentence())
        return Conclusion(estimates_frame(rows), tuple(told))

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the effects of each group."""
        return self.conclude(tables).estimates

    def _reported(self, one: GroupFit) -> list[Coefficient]:
        held = one.fit.coefficients if one.fit else ()
        if not self.terms:
            return [c for c in held if c.name != INTERCEPT]
        return [c for c in held if c.name in self.terms or term_of(c.name) in self.terms]

    def _term_order(self, tables: Tables, found: Sequence[GroupFit]) -> list[str]:
        """Return all reported effects: by term, and within a term by the order in which levels appear in the run."""
        names = list(dict.fromkeys(c.name for one in found for c in self._reported(one)))
        terms = list(dict.fromkeys(map(term_of, names)))
        ranks: dict[str, int] = {}
        for atom in parse(self.formula).fixed.atoms:
            for place, level in enumerate(_levels_of_column(tables, atom.column)):
                ranks[f"{atom.text}[{level}]"] = place
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
        given = {
            row.by["term"]: row for row in one.fit.estimates(self.name, one.group.levels) if row.statistic == EFFECT
        }
        for coefficient in held:
            cells = one.separated(coefficient.name)
            if cells:
                why = f"no finite estimate, separation: {'; '.join(map(str, cells))}"
                yield self._blank(one, coefficient.name, why, signature)
            else:
                yield replace(given[coefficient.name], signature=signature)

    def _blank(self, one: GroupFit, term: str, method: str, signature: str) -> Estimate:
        place = {**one.group.levels, "term": term}
        return Estimate(
            self.name, place, EFFECT, None, n=one.n, n_missing=one.n_missing, method=method, signature=signature
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
        titles = [one.fit.title for one in found if one.fit] or [TITLES[self.family]]
        kind = max(titles, key=titles.count)
        fitted = sum(one.fit is not None for one in found)
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
