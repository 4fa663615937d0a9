"""How probable is each category for given observations, and for observations not seen yet?

With random effects the modes of the levels are used, and a level that the fit has not seen counts as typical (its
effects are 0). Without them every level counts as typical; that is the prediction for a typical rater and item, not
the average over raters, whose probabilities are closer to each other.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from hengliang.analysis.models.coding import level_text, model_columns
from hengliang.analysis.models.design import INTERCEPT, Design, Floats, Integers, RandomTerm
from hengliang.analysis.models.ordinal.problem import OrdinalProblem
from hengliang.analysis.models.syntax import Formula, RandomPart, parse
from hengliang.core.errors import UserError, unknown_name


def category_probabilities(
    problem: OrdinalProblem,
    parameters: Floats,
    cells: Integers,
    nominal: Floats,
    predictor: Floats,
) -> Floats:
    """Return the probability of each category, a row an observation, a column a category."""
    borders = problem.thresholds.at(parameters[: problem.n_alpha], cells, nominal) - predictor[:, None]
    below = problem.link.cumulative(borders)
    # Above the middle the difference is taken between the tails, which keeps small probabilities exact.
    above = problem.link.cumulative(-borders)
    edge = np.zeros((len(predictor), 1))
    low = np.diff(np.hstack([edge, below, edge + 1]), axis=1)
    high = -np.diff(np.hstack([edge + 1, above, edge]), axis=1)
    middle = np.hstack([edge - 1, borders])
    return np.maximum(np.where(middle > 0, high, low), 0.0)


def random_predictor(terms: tuple[RandomTerm, ...], effects: tuple[Floats, ...]) -> Floats:
    """Return zb of each observation; `effects` has a row a level of each term, code −1 stands for an unseen level."""
    total = np.zeros(len(terms[0].codes) if terms else 0)
    for term, held in zip(terms, effects, strict=True):
        known = np.vstack([held, np.zeros((1, term.width))])
        total = total + np.einsum("na,na->n", term.columns, known[term.codes])
    return total


def new_design(design: Design, data: pl.DataFrame, *, random: bool = True) -> Design:
    """Code new observations as those of the fit were: the same levels, centres and scales; no response is needed.

    Without `random` no random term is made, and no column of one is needed.
    """
    formula = parse(design.formula)
    parts = formula.random if random else ()
    atoms = [*formula.fixed.atoms, *(atom for part in parts for atom in (*part.group, *part.terms.atoms))]
    for column in dict.fromkeys(atom.column for atom in atoms):
        if column not in data.columns:
            raise unknown_name("column", column, data.columns)
    rows = np.arange(data.height, dtype=np.int64)
    fixed = model_columns(formula.fixed, data, rows, design.frame)
    return replace(
        design,
        response=pl.Series(design.response_name, [], dtype=pl.Float64),
        fixed=fixed.values,
        random=_random(formula, design, data, rows) if random else (),
        rows=rows,
        n_missing=0,
        frame=data,
    )


def _random(formula: Formula, design: Design, data: pl.DataFrame, rows: Integers) -> tuple[RandomTerm, ...]:
    terms, place = [], 0
    for part in formula.random:
        columns = model_columns(part.terms, data, rows, design.frame).values
        pieces = [columns] if part.correlated else [columns[:, [column]] for column in range(columns.shape[1])]
        for piece in pieces:
            known = design.random[place]
            terms.append(replace(known, columns=piece, codes=_group_codes(part, known, data)))
            place += 1
    return tuple(terms)


def _group_codes(part: RandomPart, known: RandomTerm, data: pl.DataFrame) -> Integers:
    places = {level: code for code, level in enumerate(known.levels)}
    held = [data[atom.column].to_list() for atom in part.group]
    names = (":".join(map(level_text, row)) for row in zip(*held, strict=True))
    return np.array([places.get(name, -1) for name in names], dtype=np.int64)


def without_intercept(design: Design) -> tuple[Floats, tuple[str, ...]]:
    """Return the fixed columns but the intercept: thresholds stand in its place."""
    kept = [place for place, name in enumerate(design.fixed_names) if name != INTERCEPT]
    return design.fixed[:, kept], tuple(design.fixed_names[place] for place in kept)


def cell_codes(by: pl.Series, cells: tuple[str, ...], prefix: str) -> Integers:
    """Return which set of thresholds each observation has."""
    places = {cell: code for code, cell in enumerate(cells)}
    names = [f"{prefix} {level_text(value)}" for value in by.to_list()]
    for row, name in enumerate(names):
        if name not in places:
            raise UserError(
                f"Row {row + 1}: no thresholds were estimated for '{name}'.", valid=f"Known: {', '.join(cells)}."
            )
    return np.array([places[name] for name in names], dtype=np.int64)
