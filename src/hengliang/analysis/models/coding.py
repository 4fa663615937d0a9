"""How do columns of a table become the numbers of a model matrix, and what are these numbers called?

Text, Enum, Categorical and Boolean columns are factors, and so is every column inside `C(…)`; their first level is the
reference of treatment coding: the first of an Enum's own order, else the first in the order of code points. Levels
that do not occur are dropped. The algebra of the terms (which columns an interaction needs besides its main effects)
is formulaic's; it sees only places (`v0`, `v1`) and codes, never the user's names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from hengliang.analysis.models.design import INTERCEPT, Floats, Integers
from hengliang.analysis.models.syntax import FACTOR_FUNCTIONS, Atom, Expression
from hengliang.core.errors import UserError

_PLACE = re.compile(r"v(\d+)(?:\[(?:T\.)?(\d+)\])?")
_SIMPLE: Mapping[str, Callable[[Floats], Floats]] = {
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "exp": np.exp,
    "sqrt": np.sqrt,
    "abs": np.abs,
}


@dataclass(frozen=True, slots=True)
class Learned:
    """What the data of the fit decide about an atom: the levels of a factor, the centre and scale of a number."""

    levels: tuple[object, ...] = ()
    centre: float = 0.0
    scale: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Columns of a model matrix with their names; `terms` maps each term but the intercept to its columns."""

    values: Floats
    names: tuple[str, ...]
    terms: Mapping[str, tuple[int, ...]]


def model_columns(
    expression: Expression, frame: pl.DataFrame, rows: Integers, learned_from: pl.DataFrame | None = None
) -> Columns:
    """Code `expression` on `frame`; levels, centres and scales are those of `learned_from`, else of `frame` itself.

    `rows` are the places of the rows of `frame` in the user's table, for messages.
    """
    source = frame if learned_from is None else learned_from
    learned = [_learn(atom, source) for atom in expression.atoms]
    if not expression.atoms:
        width = int(expression.algebra == "1")
        return Columns(np.ones((frame.height, width)), (INTERCEPT,) * width, {})
    formulaic, pandas = _libraries()
    table = {}
    for place, (atom, known) in enumerate(zip(expression.atoms, learned, strict=True)):
        if is_factor(atom, source):
            codes = _codes(atom, known, frame, rows)
            table[f"v{place}"] = pandas.Categorical.from_codes(
                codes, categories=list(map(str, range(len(known.levels))))
            )
        else:
            table[f"v{place}"] = _numbers(atom, known, frame, rows)
    matrix = formulaic.model_matrix(expression.algebra, pandas.DataFrame(table), context={})
    names = tuple(_shown(name, expression.atoms, learned) for name in matrix.columns)
    terms: dict[str, tuple[int, ...]] = {}
    for held in matrix.model_spec.structure:
        if str(held.term) != "1":
            places = tuple(list(matrix.columns).index(name) for name in held.columns)
            terms[_shown(str(held.term), expression.atoms, learned)] = places
    return Columns(np.ascontiguousarray(matrix.to_numpy(dtype=np.float64)), names, terms)


def outer_terms(expression: Expression) -> dict[str, str]:
    """Return the terms that are part of no other term, as shown and in the algebra (`v0:v1`); no intercept.

    Only these can be taken out of a model with factors: without a main effect, its interaction would take its place.
    """
    if not expression.atoms:
        return {}
    formulaic, _ = _libraries()
    held = [frozenset(str(term).split(":")) for term in formulaic.Formula(expression.algebra) if str(term) != "1"]
    outer = [parts for parts in held if not any(parts < other for other in held)]
    names = {f"v{place}": atom.text for place, atom in enumerate(expression.atoms)}
    ordered = [sorted(parts, key=list(names).index) for parts in outer]
    return {":".join(names[part] for part in parts): ":".join(parts) for parts in ordered}


def _libraries() -> tuple[Any, Any]:
    try:
        import formulaic
        import pandas
    except ImportError as error:
        raise UserError(
            f"Model formulas need a library that is not installed: {error.name}.",
            remedy="Run: pip install 'hengliang[mixed]'",
        ) from error
    return formulaic, pandas


def _shown(name: str, atoms: tuple[Atom, ...], learned: list[Learned]) -> str:
    """Turn formulaic's `v0[T.1]:v2` into `system[BERT]:length`."""
    if name == "Intercept":
        return INTERCEPT

    def shown(found: re.Match[str]) -> str:
        place = int(found[1])
        level = "" if found[2] is None else f"[{level_text(learned[place].levels[int(found[2])])}]"
        return atoms[place].text + level

    return _PLACE.sub(shown, name)


def level_text(level: object) -> str:
    """Write a level of a factor: 3.0 as `3`, True as `true`."""
    if isinstance(level, bool):
        return str(level).lower()
    if isinstance(level, float) and level.is_integer():
        return str(int(level))
    return str(level)


def is_factor(atom: Atom, frame: pl.DataFrame) -> bool:
    """Whether the atom has levels and no numbers."""
    kind = frame.schema[atom.column]
    if atom.function in FACTOR_FUNCTIONS:
        return True
    textual = isinstance(kind, pl.String | pl.Enum | pl.Categorical | pl.Boolean)
    if not textual and not kind.is_numeric():
        raise UserError(
            f"The column '{atom.column}' holds {kind}, which is neither a number nor a factor.",
            valid="Numbers, text, Enum, Categorical and Boolean columns.",
            remedy=f"Turn it into text or numbers, or write C({atom.source}) to treat it as a factor.",
        )
    return textual and not atom.function


def levels_of(column: pl.Series) -> tuple[object, ...]:
    """Return the levels that occur, in their order."""
    return tuple(column.drop_nulls().unique().sort().to_list())


def _learn(atom: Atom, frame: pl.DataFrame) -> Learned:
    if is_factor(atom, frame):
        levels = levels_of(frame[atom.column])
        if len(levels) < 2:
            raise UserError(
                f"The factor '{atom.text}' has one level only: '{level_text(levels[0])}'.",
                valid="A factor needs two levels or more in the rows that are used.",
                remedy=f"Leave '{atom.text}' out of the formula, or give data with another level.",
            )
        return Learned(levels)
    if atom.function in {"scale", "center"}:
        values = as_numbers(frame[atom.column], np.arange(frame.height))
        spread = float(values.std(ddof=1)) if atom.function == "scale" and len(values) > 1 else 1.0
        return Learned((), float(values.mean()), spread or 1.0)
    return Learned()


def _codes(atom: Atom, learned: Learned, frame: pl.DataFrame, rows: Integers) -> Integers:
    places = {level: code for code, level in enumerate(learned.levels)}
    values = frame[atom.column].to_list()
    for row, value in zip(rows, values, strict=True):
        if value not in places:
            known = ", ".join(map(level_text, learned.levels))
            raise UserError(f"Row {row + 1}: '{value}' is no level of '{atom.text}'.", valid=f"Levels: {known}.")
    return np.array([places[value] for value in values], dtype=np.int64)


def _numbers(atom: Atom, learned: Learned, frame: pl.DataFrame, rows: Integers) -> Floats:
    values = as_numbers(frame[atom.column], rows)
    return transform(atom, values, rows, learned)


def transform(atom: Atom, values: Floats, rows: Integers, learned: Learned | None = None) -> Floats:
    """Put numbers through the function of their atom; a result that is no finite number is shown with its row."""
    known = learned or Learned()
    with np.errstate(all="ignore"):
        if atom.function in {"scale", "center"}:
            result = (values - known.centre) / known.scale
        elif atom.function == "I":
            result = values**atom.power
        else:
            result = _SIMPLE[atom.function](values) if atom.function else values
    wrong = np.flatnonzero(~np.isfinite(result))
    if len(wrong):
        at = wrong[0]
        raise UserError(
            f"Column '{atom.column}', row {rows[at] + 1}: {values[at]:g} gives no finite number in '{atom.text}'.",
            valid="Finite numbers; a missing one is an empty cell." if not atom.function else "",
            remedy="" if not atom.function else f"Leave such rows out, or use '{atom.column}' without {atom.function}.",
        )
    return result


def as_numbers(column: pl.Series, rows: Integers) -> Floats:
    """Return a column as numbers; text that is none is shown with its row, counted from 1."""
    if column.dtype.is_numeric() or column.dtype == pl.Boolean:
        return column.cast(pl.Float64).to_numpy()
    if not isinstance(column.dtype, pl.String | pl.Enum | pl.Categorical):
        raise UserError(f"The column '{column.name}' holds {column.dtype}, not numbers.")
    texts = column.cast(pl.String)
    numbers = texts.str.strip_chars().cast(pl.Float64, strict=False)
    wrong = np.flatnonzero((numbers.is_null() | numbers.is_nan()).to_numpy())
    if len(wrong):
        raise UserError(
            f"Column '{column.name}', row {rows[wrong[0]] + 1}: '{texts[int(wrong[0])]}' is text where a number belongs"
            + (f" ({len(wrong)} such rows)." if len(wrong) > 1 else "."),
            valid="A number in each row; a missing one is an empty cell.",
            remedy="Correct or empty these cells. Text as response: answers of two kinds fit family binomial, "
            "ordered ones family ordinal.",
        )
    return numbers.to_numpy()
