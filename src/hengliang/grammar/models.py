"""Mixed models of suite accuracy: the paper's, others with nested seeds, and the interaction of structure and modifier.

The first section has a function for each analysis of the paper; the second fits the interaction on which the analysis
of structure under modifiers rests.

Each analysis of [1] is here in two conventions. "paper" is what the paper says it did, as far as it says so. "nested"
puts factors of two to four levels among the fixed effects, lets seeds belong to their model, and takes successes for
what they are, ones and zeros. Where an interaction is in the model, sum coding makes the reported effect a mean over
the levels of the other factor.

The random effect of seeds in the paper's models is crossed: seed 1 of one model and seed 1 of another share a level,
although they have nothing in common but a number. Numbered as folders are or counted from 1 (`trial`), this changes p.
The paper does not say which; `trial` is the default because it was found to agree with Table 1, after others did not.

[1] Wang, Y., Hu, J., Levy, R., Qian, P. (2021). Controlled evaluation of grammatical knowledge in Mandarin Chinese
    language models. EMNLP 2021, section 4 and appendix D.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, get_args

import polars as pl

from hengliang.analyses.grouped_models import ModelsBy, factors_of, left_out_remark, separations, usable_random, written
from hengliang.analyses.outcomes import bilingual_reason
from hengliang.analyses.subsets import Where, of_materials
from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual, both
from hengliang.statistics.models.formula import Formula, parse
from hengliang.statistics.models.mixed import MixedFit, OddsRatio, contrast, fit_mixed, odds_ratio
from hengliang.statistics.multiple_testing import Correction
from hengliang.statistics.results import check_choice, listed

# --- the models of the paper ------------------------------------------------------------------------------------------


SuiteConvention = Literal["nested", "paper"]

PARAMETERISATIONS: Mapping[str, str] = MappingProxyType(
    {
        "LSTM": "recurrent",
        "lstm": "recurrent",
        "RNNG": "recurrent",
        "rnng": "recurrent",
        "Transformer": "transformer",
        "transformer": "transformer",
        "PLM": "transformer",
        "plm": "transformer",
    }
)
"""What kind of network an architecture is made of: with and without structure are compared within a kind."""

TREE_CONTROLS: Mapping[str, tuple[str, ...]] = MappingProxyType({"trees": ("right-branching", "shuffled")})
"""Structured models that learned from trees without syntax, by their trait `trees`: `without=TREE_CONTROLS`."""

DOMAINS: Mapping[str, str] = MappingProxyType(
    {
        "missing object": "syntactic",
        "subordination": "syntactic",
        "classifier–noun": "semantic",
        "verb–noun": "semantic",
        "garden path object": "hybrid",
        "garden path subject": "hybrid",
    }
)
"""What kind of knowledge a class asks for, in the paper's words."""

_NONE: Mapping[str, str] = MappingProxyType({})

_STRUCTURE: Mapping[str, Mapping[str, Any]] = {
    "paper": {"formula": "prediction ~ structured + (1 | frame) + (1 | modifier) + (1 | {seeds})"},
    "nested": {
        "formula": "prediction ~ structured * modifier + (1 | frame) + (1 | model:seed)",
        "sum_coded": ("modifier",),
    },
}
_SIZE: Mapping[str, Mapping[str, Any]] = {
    "paper": {
        "formula": "prediction ~ data + (1 + data | class) + (1 + data | modifier) + (1 + data | {seeds})",
        "family": "gaussian",
    },
    "nested": {
        "formula": "prediction ~ data * class + (1 | frame) + (1 | model:seed)",
        "sum_coded": ("class",),
        "family": "binomial",
    },
}
_DOMAIN: Mapping[str, Mapping[str, Any]] = {
    "paper": {"formula": "prediction ~ domain + (1 | model) + (1 | frame)", "family": "gaussian"},
    "nested": {
        "formula": "prediction ~ domain * model + (1 | frame) + (1 | model:seed)",
        "sum_coded": ("model",),
        "family": "binomial",
    },
}
_CONTENT: Mapping[str, Mapping[str, Any]] = {
    "paper": {
        "formula": "prediction ~ modifier + (1 + modifier | {seeds}) + (1 + modifier | data)",
        "family": "gaussian",
    },
    "nested": {"formula": "prediction ~ modifier + (1 | frame) + (1 | model:seed)", "family": "binomial"},
}

_TREES: Mapping[str, Mapping[str, Any]] = {
    "nested": {
        "formula": "prediction ~ trees * modifier + (1 | frame) + (1 | model:seed)",
        "sum_coded": ("modifier",),
        "family": "binomial",
    }
}


def structural_supervision(
    convention: SuiteConvention = "nested",
    by: Sequence[str] = ("class", "data", "parameterisation"),
    where: Where = _NONE,
    without: Where = _NONE,
    seeds: str = "trial",
    correction: Correction = "none",
) -> ModelsBy:
    """Ask whether structure helps, within each class, training data and kind of network (Table 1).

    Systems say by the trait `structured` whether they model structure, and by `parameterisation` (else by their
    `architecture`, see `PARAMETERISATIONS`) with whom they are compared. Where some learned from trees without syntax,
    `without=TREE_CONTROLS` leaves these out. `seeds` is the column that stands for seeds in the paper's convention:
    `trial` or `seed`.
    """
    return _made(
        _STRUCTURE,
        convention,
        seeds,
        Bilingual("Structural supervision", "结构监督"),
        by=by,
        where=where,
        without=without,
        derived={"parameterisation": {"architecture": PARAMETERISATIONS}} if "parameterisation" in by else {},
        terms="structured",
        family="binomial",
        correction=correction,
        columns="parameterisation" if "parameterisation" in by else "statistic",
    )


def data_size(
    convention: SuiteConvention = "nested",
    by: Sequence[str] = ("architecture",),
    where: Where = _NONE,
    without: Where = _NONE,
    smaller: str = "",
    seeds: str = "trial",
    correction: Correction = "none",
) -> ModelsBy:
    """Ask whether more training data help, for each architecture (section 4, Figure 2).

    The trait `data` says what a system was trained on; `smaller` is the level with which the other is compared.
    """
    return _made(
        _SIZE,
        convention,
        seeds,
        Bilingual("Size of the training data", "训练数据规模"),
        by=by,
        where=where,
        without=without,
        terms="data",
        reference={"data": smaller} if smaller else {},
        correction=correction,
    )


def domains(
    convention: SuiteConvention = "nested",
    by: Sequence[str] = (),
    where: Where = _NONE,
    without: Where = _NONE,
    correction: Correction = "none",
) -> ModelsBy:
    """Ask whether syntactic classes are easier than semantic ones (appendix D.1).

    The attribute `domain` says what a class asks for; where it is empty the paper's classes are in `DOMAINS`. The paper
    leaves n-gram models out: `without={"architecture": "n-gram"}`.
    """
    return _made(
        _DOMAIN,
        convention,
        "",
        Bilingual("Syntactic against semantic classes", "句法类与语义类之比较"),
        by=by,
        where={"domain": ("syntactic", "semantic"), **where},
        without=without,
        derived={"domain": {"class": DOMAINS}},
        terms="domain",
        reference={"domain": "semantic"},
        correction=correction,
    )


def intervening_content(
    convention: SuiteConvention = "nested",
    by: Sequence[str] = ("architecture",),
    where: Where = MappingProxyType({"class": "missing object"}),
    without: Where = _NONE,
    reference: str = "none",
    seeds: str = "trial",
    correction: Correction = "none",
) -> ModelsBy:
    """Ask how much each modifier costs in comparison with none, for each architecture (Table 5, Figure 3)."""
    return _made(
        _CONTENT,
        convention,
        seeds,
        Bilingual("Robustness to intervening content", "对插入成分的稳健性"),
        by=by,
        where=where,
        without=without,
        terms="modifier",
        reference={"modifier": reference},
        correction=correction,
        columns="term",
    )


def kinds_of_trees(
    by: Sequence[str] = ("class", "parameterisation"),
    where: Where = _NONE,
    given: str = "given",
    correction: Correction = "none",
) -> ModelsBy:
    """Ask whether structured models are worse for trees without syntax than for the trees that they were given.

    The trait `trees` says from which trees a structured model learned. The paper has no such controls.
    """
    return _made(
        _TREES,
        "nested",
        "",
        Bilingual("Kinds of trees", "训练树的种类"),
        by=by,
        where={"structured": True, **where},
        derived={"parameterisation": {"architecture": PARAMETERISATIONS}} if "parameterisation" in by else {},
        terms="trees",
        reference={"trees": given},
        correction=correction,
        columns="term",
    )


def _made(
    conventions: Mapping[str, Mapping[str, Any]], convention: str, seeds: str, title: Bilingual, **settings: Any
) -> ModelsBy:
    check_choice("convention", convention, get_args(SuiteConvention))
    chosen = dict(conventions[convention])
    formula = str(chosen.pop("formula")).format(seeds=seeds)
    how = Bilingual(", as in the paper", "（论文做法）") if convention == "paper" else Bilingual("", "")
    asked = of_materials(settings["where"])
    analysis = ModelsBy(formula, **{**settings, **chosen}, name=f"{title.en.lower()}{how.en}{asked.en}")
    analysis.title = Bilingual(f"{title.en}{how.en}{asked.en}", f"{title.zh}{how.zh}{asked.zh}")
    return analysis


# --- interaction of structure and modifier ----------------------------------------------------------------------------
# The ratio by which the odds of success of structured models change otherwise than those of others under a modifier.
# One logistic mixed model has structure, modifier and their interaction as fixed effects. Random are items, items under
# each modifier, trainings, and trainings under each modifier: the last is the error against which an interaction of
# structure and modifier has to stand out if it is to hold for other trainings too. Where kinds of network are taken
# together, the kind and its interaction with the modifier are fixed effects as well.

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
        for modifier, reason in self.reasons.items():
            yield Bilingual(f"{name.en}, {modifier}: {reason.en}.", f"{name.zh}，{modifier}：{reason.zh}。")
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
    ratios = {each: _ratio(fit, [each]) for each in levels[1:] if each not in reasons}
    lost = [each for each in longest if each in reasons]
    if longest and not lost:
        ratios[TOGETHER] = _ratio(fit, longest)
    elif longest:
        reasons[TOGETHER] = reasons[lost[0]]
    # Trainings seldom differ as much as items do; what a singular fit means is said once, in a line of its own.
    empty = tuple(each.group for each in fit.model.components if each.deviation < NOTHING)
    warnings = tuple(each for each in fit.model.warnings if not each.en.startswith("Singular fit"))
    warnings = ((left_out_remark(left),) if left else ()) + warnings
    return Interaction(text, rows.height, ratios, reasons, "", warnings, empty)


def _ratio(fit: MixedFit, modifiers: Sequence[str]) -> OddsRatio:
    return odds_ratio(contrast(fit, {effect_name(modifier): 1 / len(modifiers) for modifier in modifiers}))


def _separated(formula: Formula, rows: pl.DataFrame, levels: Sequence[str]) -> dict[str, Bilingual]:
    """Return why modifiers have no ratio: a cell in which the answers never vary, for them or for the reference."""
    factors = factors_of(formula, rows, {"modifier": levels[0]}, ())
    cells = [cell for cell in separations(formula, rows, RESPONSE) if "structured" in cell.levels]
    reasons = {}
    for modifier in levels[1:]:
        resting = [cell for cell in cells if factors.rests_on(effect_name(modifier), cell)]
        if resting:
            reasons[modifier] = Bilingual(
                f"no finite estimate, separation: {'; '.join(map(str, resting))}",
                f"完全分离，无有限估计：{'；'.join(cell.chinese for cell in resting)}",
            )
    return reasons
