"""Structural supervision effect: the paper's mixed model with crossed seeds, and one with seeds nested in models.

Table 1 of [1] compares RNNG with LSTM and PLM with Transformer, class by class, in a binomial mixed model with item,
modifier and seed as random factors. Taken literally, seeds are crossed there: seed 1 of one model counts as the same
seed as seed 1 of the other, though the two have nothing in common. The recorded RNNG trainings are called 0 and 2, and
whether the second is taken for seed 2 or for the second seed decides about two of the six comparisons. `nested` has no
such choice: the modifier is fixed, and each training is a level of its own.

The paper does not say how seeds and items were numbered. Of some eleven readings that were tried (items by suite or
across modifiers, seeds three ways or none, logistic or linear, Wald or likelihood ratio) `counted` comes nearest: in
lme4 1.1.31 it gives all twelve published signs of the models trained on the Chinese Treebank. That makes it a likely
reading, not a proven one. Two of its three `**` stand on the tolerance of lme4's inner loop: p is .0095 and .0097 at
the usual 1e-7, but .0101 and .0104 at 1e-10 and less, and here.

[1] Wang, Y., Hu, J., Levy, R., Qian, P. (2021). Controlled evaluation of grammatical knowledge in Mandarin Chinese
    language models. EMNLP 2021, section 4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import polars as pl

from hengliang.core.errors import UserError, unknown_name
from hengliang.grammar.published import paper_002
from hengliang.statistics.models.mixed import fit_mixed

Seeds = Literal["named", "counted", "nested"]
"""Crossed seeds by the number in the name, by their order within the model, or nested in the model."""

FORMULAS: Mapping[Seeds, str] = {
    "named": "success ~ structured + (1 | frame) + (1 | modifier) + (1 | named)",
    "counted": "success ~ structured + (1 | frame) + (1 | modifier) + (1 | counted)",
    "nested": "success ~ structured + modifier + (1 | frame) + (1 | training)",
}


def structure_effects(
    outcomes: pl.DataFrame, seeds: Seeds = "nested", classes: Sequence[str] | None = None
) -> pl.DataFrame:
    """Return the effect of structure (in log odds) for each pair of models and class, with what was published.

    `outcomes` is what `recorded_outcomes` gives. A tie has no side and is left out; `warnings` counts what the fit
    warns of.
    """
    if seeds not in FORMULAS:
        raise unknown_name("treatment of seeds", str(seeds), get_args(Seeds))
    table = paper_002().tables["1"]
    decided = outcomes.filter(pl.col("outcome").is_in([0.0, 1.0])).with_columns(
        success=pl.col("outcome").cast(pl.Int64),
        named=pl.col("seed").cast(pl.String),
        counted=pl.col("seed").rank("dense").over("system").cast(pl.String),
        training=pl.format("{} {}", "system", "seed"),
    )
    rows = []
    for structured, plain in table["pairs"].items():
        signs = dict(zip(paper_002().facts["classes"], table["signs"][structured], strict=True))
        pair = decided.filter(pl.col("system").is_in([structured, plain]))
        if pair["system"].n_unique() < 2:
            continue
        pair = pair.with_columns(structured=pl.col("system") == structured)
        present = pair["class"].unique(maintain_order=True).to_list()
        for class_ in present if classes is None else classes:
            if class_ not in present:
                raise unknown_name("class", class_, present)
            rows.append(_row(pair.filter(pl.col("class") == class_), (structured, plain, class_), seeds, signs))
    if not rows:
        names = ", ".join(f"{first} and {other}" for first, other in table["pairs"].items())
        raise UserError("The outcomes hold no two models to compare.", valid=f"Pairs: {names}.")
    return pl.DataFrame(rows)


def _row(
    rows: pl.DataFrame, names: tuple[str, str, str], seeds: Seeds, signs: Mapping[str, str]
) -> dict[str, str | float | int]:
    structured, plain, class_ = names
    fit = fit_mixed(FORMULAS[seeds], rows, family="binomial").model
    effect = next(coefficient for coefficient in fit.coefficients if coefficient.name.startswith("structured"))
    return {
        "structured": structured,
        "plain": plain,
        "class": class_,
        "seeds": seeds,
        "effect": effect.estimate,
        "error": effect.error,
        "p": effect.p,
        "sign": _sign(effect.estimate, effect.p),
        "published": signs.get(class_, ""),
        "warnings": len(fit.warnings),
        "n": fit.n,
    }


def _sign(effect: float, p: float) -> str:
    """Return `+**` as the published table would: the direction, and a star for each of .05, .01 and .001."""
    stars = sum(p <= bound for bound in (0.05, 0.01, 0.001))
    return "-" if not stars else ("+" if effect > 0 else "−") + "*" * stars
