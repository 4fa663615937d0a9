"""By what ratio do the odds of success of structured models change otherwise than those of others under a modifier?

One logistic mixed model has structure, modifier and their interaction as fixed effects. Random are items, items under
each modifier, trainings, and trainings under each modifier: the last is the error against which an interaction of
structure and modifier has to stand out if it is to hold for other trainings too. Where kinds of network are taken
together, the kind and its interaction with the modifier are fixed effects as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from hengliang.analyses.grouped_models import factors_of, left_out_remark, separations, usable_random, written
from hengliang.analyses.outcomes import bilingual_reason
from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual, both
from hengliang.statistics.models.formula import Formula, parse
from hengliang.statistics.models.mixed import MixedFit, OddsRatio, contrast, fit_mixed, odds_ratio
from hengliang.statistics.results import listed

RESPONSE = "value"
RANDOM = "(1 | {item}) + (1 | {item}:modifier) + (1 | model:seed) + (1 | model:seed:modifier)"
TOGETHER = "longest together"
NOTHING = 1e-3
"""A standard deviation, in log-odds, below which a random term is said to be empty."""


@dataclass(frozen=True, slots=True, eq=False)
class Interaction:
    """The ratio of each modifier, and of the longest together; or why there is none, for one or for all."""

    formula: str
    n: int
    ratios: Mapping[str, OddsRatio] = field(default_factory=dict)
    reasons: Mapping[str, Bilingual] = field(default_factory=dict)
    reason: str = ""
    warnings: tuple[Bilingual, ...] = ()
    without_variance: tuple[str, ...] = ()
    """The random terms between whose levels no variance was found."""

    def told(self, title: Bilingual | None) -> Iterator[Bilingual]:
        """Give what went wrong with the fit, with the network that it is about."""
        name = title or both("")
        if self.reason:
            why = bilingual_reason(self.reason)
            yield Bilingual(f"{name.en}: no model ({why.en})", f"{name.zh}：未能拟合（{why.zh}）")
        for modifier, said in self.reasons.items():
            yield Bilingual(f"{name.en}, {modifier}: {said.en}.", f"{name.zh}，{modifier}：{said.zh}。")
        if self.without_variance:
            groups = listed(self.without_variance)
            yield Bilingual(
                f"{name.en}: no variance was found between the levels of {groups.en}.",
                f"{name.zh}：{groups.zh}各水平间的方差估计为零。",
            )
        for warning in self.warnings:
            yield Bilingual(f"Warning for {name.en}: {warning.en}", f"警告（{name.zh}）：{warning.zh}")


def interaction_formula(item: str, several: bool) -> str:
    """Return the formula, with the column that numbers items; with `several` kinds of network their kind is in it."""
    kinds = " + parameterisation * modifier" if several else ""
    return f"{RESPONSE} ~ structured * modifier{kinds} + {RANDOM.format(item=item)}"


def effect_name(modifier: str) -> str:
    """Return what the interaction of structure with a modifier is called among the coefficients."""
    return f"structured[true]:modifier[{modifier}]"


def fitted_interaction(
    rows: pl.DataFrame,
    levels: Sequence[str],
    longest: Sequence[str],
    *,
    several: bool,
    item: str = "frame",
    level: float = 0.95,
) -> Interaction:
    """Fit the model to observations with value, structured, modifier (the reference first), item, model and seed.

    A ratio that rests on a cell in which all answers are the same has no finite estimate, and says so.
    """
    formula = parse(interaction_formula(item, several))
    try:
        random, left = usable_random(formula, rows)
        text = written(formula, {}, random)
        fit = fit_mixed(text, rows, family="binomial", level=level)
    except UserError as error:
        return Interaction(formula.text, rows.height, reason=error.problem)
    reasons = _separated(formula, rows, levels)
    ratios = {one: _ratio(fit, [one]) for one in levels[1:] if one not in reasons}
    lost = [one for one in longest if one in reasons]
    if longest and not lost:
        ratios[TOGETHER] = _ratio(fit, longest)
    elif longest:
        reasons[TOGETHER] = reasons[lost[0]]
    # Trainings seldom differ as much as items do; what a singular fit means is said once, in a line of its own.
    empty = tuple(one.group for one in fit.model.components if one.deviation < NOTHING)
    warnings = tuple(one for one in fit.model.warnings if not one.en.startswith("Singular fit"))
    warnings = ((left_out_remark(left),) if left else ()) + warnings
    return Interaction(text, rows.height, ratios, reasons, "", warnings, empty)


def _ratio(fit: MixedFit, modifiers: Sequence[str]) -> OddsRatio:
    return odds_ratio(contrast(fit, {effect_name(one): 1 / len(modifiers) for one in modifiers}))


def _separated(formula: Formula, rows: pl.DataFrame, levels: Sequence[str]) -> dict[str, Bilingual]:
    """Return why modifiers have no ratio: a cell in which the answers never vary, for them or for the reference."""
    factors = factors_of(formula, rows, {"modifier": levels[0]}, ())
    cells = [cell for cell in separations(formula, rows, RESPONSE) if "structured" in cell.levels]
    found = {}
    for modifier in levels[1:]:
        held = [cell for cell in cells if factors.rests_on(effect_name(modifier), cell)]
        if held:
            found[modifier] = Bilingual(
                f"no finite estimate, separation: {'; '.join(map(str, held))}",
                f"完全分离，无有限估计：{'；'.join(cell.chinese for cell in held)}",
            )
    return found
