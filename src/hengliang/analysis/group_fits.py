"""What does a mixed model say in one group of a run, in numbers and in words?

A group gives a `GroupFit`: the fitted model with the effects that have a finite estimate, or the reason why there is
none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from hengliang.analysis.group_formulas import (
    Cell,
    Factors,
    factors_of,
    left_out_remark,
    missing_reference,
    separations,
    sum_columns,
    usable_random,
    written,
)
from hengliang.analysis.model_analysis import VALUE, MixedModel
from hengliang.analysis.observations import observations
from hengliang.analysis.refusals import bilingual_reason
from hengliang.analysis.subsets import (
    Group,
    OpenTies,
    count_open_ties,
    counting_parts,
    find_column,
    levels_in_order,
    with_open_ties,
    with_values,
)
from hengliang.core.errors import UserError
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual
from hengliang.statistics.models.design import level_text, levels_of
from hengliang.statistics.models.formula import Formula
from hengliang.statistics.models.results import Coefficient, ModelFit, stars

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
        told = [self._effect(effect) for effect in effects] or [Bilingual("no such effect", "无此效应")]
        missing = f", {self.fit.n_missing} missing left out" if self.fit.n_missing else ""
        missing_zh = f"，缺失 {self.fit.n_missing}" if self.fit.n_missing else ""
        return Bilingual(
            f"{label.en} (N = {self.fit.n}{missing}): {'; '.join(one.en for one in told)}.",
            f"{label.zh}（N = {self.fit.n}{missing_zh}）：{'；'.join(one.zh for one in told)}。",
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
        found = GroupFit(group, rows.height, frame.height - rows.height, factors, cells=cells, ties=ties)
        try:
            return replace(found, fit=self._fitted(tables, rows, parts))
        except UserError as error:
            return replace(found, reason=error.problem)

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
    held: dict[Bilingual, list[Bilingual]] = {}
    for one in found:
        for warning in dict.fromkeys(one.fit.warnings if one.fit else ()):
            held.setdefault(warning, []).append(one.group.label)
    for warning, labels in held.items():
        if len(found) == 1:
            yield Bilingual(f"Warning: {warning.en}", f"警告：{warning.zh}")
            continue
        everywhere = len(labels) == len(found)
        where_en = "all groups" if everywhere else "; ".join(label.en for label in labels)
        where_zh = "所有组" if everywhere else "；".join(label.zh for label in labels)
        yield Bilingual(f"Warning for {where_en}: {warning.en}", f"警告（{where_zh}）：{warning.zh}")
