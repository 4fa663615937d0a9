"""Design matrices: the observations, columns and groups that a model formula picks out of a table.

A `Design` is what a model is fitted to; `design` makes it from a formula and data. It knows nothing of distributions.
The chapter goes from the records through the coding of factors and numbers to the application of a whole formula.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

from hengliang.core.errors import UserError, unknown_name
from hengliang.statistics.models.formula import FACTOR_FUNCTIONS, Atom, Expression, Formula, RandomPart, parse

# --- designs and random terms -----------------------------------------------------------------------------------------


Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

INTERCEPT = "(Intercept)"


@dataclass(frozen=True, slots=True, eq=False)
class RandomTerm:
    """The effects that vary by the levels of one grouping factor, correlated with each other.

    `(1 + x | rater)` is one term with two columns; `(x || rater)` is two terms with one column each. `columns` has
    one row per observation, `codes` the level of each observation as a place in `levels`.
    """

    group: str
    names: tuple[str, ...]
    columns: Floats
    codes: Integers
    levels: tuple[str, ...]

    @property
    def width(self) -> int:
        """How many effects each level has."""
        return len(self.names)


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """The observations of one model.

    `fixed` holds the columns of the fixed effects, the intercept first if there is one; `terms` maps each term of the
    formula (`system`, `system:modifier`) to its columns. `rows` are the rows of the table that are used, counted from
    0; those with a missing value in any used column are left out and counted. `frame` is the table of those rows.
    """

    formula: str
    response_name: str
    response: pl.Series
    fixed: Floats
    fixed_names: tuple[str, ...]
    terms: Mapping[str, tuple[int, ...]]
    random: tuple[RandomTerm, ...]
    rows: Integers
    n_missing: int
    frame: pl.DataFrame

    @property
    def n(self) -> int:
        """How many observations there are."""
        return len(self.rows)


# --- coding of factors and numbers ------------------------------------------------------------------------------------
# Text, Enum, Categorical and Boolean columns are factors, and so is every column inside `C(…)`; their first level is
# the reference of treatment coding: the first of an Enum's own order, else the first in the order of code points.
# Levels that do not occur are dropped. The algebra of the terms (which columns an interaction needs besides its main
# effects) is formulaic's; it sees only places (`v0`, `v1`) and codes, never the user's names.

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
    for index, (atom, known) in enumerate(zip(expression.atoms, learned, strict=True)):
        if is_factor(atom, source):
            codes = _codes(atom, known, frame, rows)
            table[f"v{index}"] = pandas.Categorical.from_codes(
                codes, categories=list(map(str, range(len(known.levels))))
            )
        else:
            table[f"v{index}"] = _numbers(atom, known, frame, rows)
    matrix = formulaic.model_matrix(expression.algebra, pandas.DataFrame(table), context={})
    names = tuple(_shown(name, expression.atoms, learned) for name in matrix.columns)
    terms: dict[str, tuple[int, ...]] = {}
    for entry in matrix.model_spec.structure:
        if str(entry.term) != "1":
            places = tuple(list(matrix.columns).index(name) for name in entry.columns)
            terms[_shown(str(entry.term), expression.atoms, learned)] = places
    return Columns(np.ascontiguousarray(matrix.to_numpy(dtype=np.float64)), names, terms)


def outer_terms(expression: Expression) -> dict[str, str]:
    """Return the terms that are part of no other term, as shown and in the algebra (`v0:v1`); no intercept.

    Only these can be taken out of a model with factors: without a main effect, its interaction would take its place.
    """
    if not expression.atoms:
        return {}
    formulaic, _ = _libraries()
    terms = [frozenset(str(term).split(":")) for term in formulaic.Formula(expression.algebra) if str(term) != "1"]
    outer = [parts for parts in terms if not any(parts < other for other in terms)]
    names = {f"v{index}": atom.text for index, atom in enumerate(expression.atoms)}
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
        index = int(found[1])
        level = "" if found[2] is None else f"[{level_text(learned[index].levels[int(found[2])])}]"
        return atoms[index].text + level

    return _PLACE.sub(shown, name)


def level_text(level: object) -> str:
    """Write a level of a factor: 3.0 as `3`, True as `true`."""
    if isinstance(level, bool):
        return str(level).lower()
    if isinstance(level, float) and level.is_integer():
        return str(int(level))
    return str(level)


def is_factor(atom: Atom, frame: pl.DataFrame) -> bool:
    """Whether the atom has levels rather than numbers."""
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
    """Put numbers through the function of their atom; a result that is not a finite number is shown with its row."""
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
    """Return a column as numbers; text that is not a number is shown with its row, counted from 1."""
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


# --- application of a formula to data ---------------------------------------------------------------------------------
# `parse` reads a formula, `design` applies it to data. All mistakes that can be seen before a model is fitted are found
# here: unknown columns, factors and groups of one level, columns that say the same, a response that never changes.

__all__ = ["Formula", "design", "numeric_response", "parse", "prediction_columns"]

COLLINEAR = 1e-9
"""A column is a sum of others if this share of it, or less, is left when those are taken out."""


def design(formula: str | Formula, data: pl.DataFrame) -> Design:
    """Apply a formula to a table.

    Rows with an empty cell (or NaN) in any column that the formula uses are left out and counted.
    """
    parsed = parse(formula) if isinstance(formula, str) else formula
    _refuse_unknown(parsed.columns, data)
    rows = _complete_rows(parsed.text, parsed.columns, data)
    frame = data.select(parsed.columns)[rows]
    response = _response(parsed.response, frame, rows)
    fixed = model_columns(parsed.fixed, frame, rows)
    _refuse_collinear(fixed.values, fixed.names)
    return Design(
        formula=parsed.text,
        response_name=parsed.response.text,
        response=response,
        fixed=fixed.values,
        fixed_names=fixed.names,
        terms=fixed.terms,
        random=tuple(_random_terms(parsed, frame, rows)),
        rows=rows,
        n_missing=data.height - len(rows),
        frame=frame,
    )


def numeric_response(held: Design) -> Floats:
    """Return the response of a design as numbers; text is shown with its row."""
    numbers = as_numbers(held.response, held.rows)
    return transform(Atom(held.response_name), numbers, held.rows)


def prediction_columns(
    formula: Formula, held: Design, data: pl.DataFrame, groups: bool = True
) -> tuple[Floats, tuple[RandomTerm, ...], Integers]:
    """Code new data as the rows of `held` were coded: fixed columns, random terms, and which rows are complete.

    The code of a level that `held` does not have is −1. Without `groups` no random term is made and no group is needed.
    """
    parts = formula.random if groups else ()
    atoms = [*formula.fixed.atoms, *(atom for part in parts for atom in (*part.group, *part.terms.atoms))]
    needed = tuple(dict.fromkeys(atom.column for atom in atoms))
    _refuse_unknown(needed, data)
    rows = _complete_rows(formula.text, needed, data)
    frame = data.select(needed)[rows] if needed else pl.DataFrame(height=len(rows))
    fixed = model_columns(formula.fixed, frame, rows, held.frame)
    terms: list[RandomTerm] = []
    for part in parts:
        columns = model_columns(part.terms, frame, rows, held.frame)
        step = len(columns.names) if part.correlated else 1
        for start in range(0, len(columns.names), step):
            known = held.random[len(terms)]
            places = {level: index for index, level in enumerate(known.levels)}
            labels = [":".join(map(level_text, row)) for row in frame.select(a.column for a in part.group).iter_rows()]
            codes = np.array([places.get(level, -1) for level in labels], dtype=np.int64)
            kept = slice(start, start + step)
            terms.append(RandomTerm(known.group, columns.names[kept], columns.values[:, kept], codes, known.levels))
    return fixed.values, tuple(terms), rows


def _refuse_unknown(columns: tuple[str, ...], data: pl.DataFrame) -> None:
    for column in columns:
        if column not in data.columns:
            raise unknown_name(
                "column", column, data.columns, remedy="A name with spaces or signs stands in `backticks`."
            )


def _complete_rows(formula: str, columns: tuple[str, ...], data: pl.DataFrame) -> Integers:
    empty = np.zeros(data.height, dtype=bool)
    counts = {}
    for column in columns:
        missing = data[column].is_null()
        if data.schema[column].is_float():
            missing = missing | data[column].is_nan().fill_null(True)
        counts[column] = int(missing.sum())
        empty |= missing.to_numpy()
    rows = np.flatnonzero(~empty).astype(np.int64)
    if not len(rows):
        counted = ", ".join(f"{column} {count}" for column, count in counts.items())
        raise UserError(
            f"No row is left for '{formula}': of {data.height} rows each has an empty cell in a column that is used.",
            valid=f"Empty cells: {counted}.",
            remedy="Leave the emptiest column out of the formula, or complete the data.",
        )
    return rows


def _response(atom: Atom, frame: pl.DataFrame, rows: Integers) -> pl.Series:
    response = frame[atom.column]
    if atom.function and atom.function not in FACTOR_FUNCTIONS:
        if atom.function in {"scale", "center"}:
            raise UserError(
                f"The response cannot be put through {atom.function}(…).", remedy="Scale the column itself."
            )
        response = pl.Series(atom.text, transform(atom, as_numbers(response, rows), rows))
    if response.n_unique() == 1:
        raise UserError(
            f"The response '{atom.text}' is '{level_text(response[0])}' in all {len(rows)} rows that are used.",
            valid="A model needs a response that varies.",
            remedy="Check that the right column is named, and which rows are left out because of empty cells.",
        )
    return response


def _refuse_collinear(columns: Floats, names: tuple[str, ...]) -> None:
    """Name the first column that is a sum of columns before it, and those."""
    norms = np.linalg.norm(columns, axis=0)
    for name, norm in zip(names, norms, strict=True):
        if norm == 0 and ":" not in name:
            raise UserError(
                f"The column '{name}' of the model is zero in every row: it never varies.",
                remedy="Leave it out of the formula.",
            )
        if norm == 0:
            raise UserError(
                f"The column '{name}' of the model is zero in every row: this combination of levels never occurs.",
                remedy="Leave the interaction out, or use one factor that holds the combinations.",
            )
    scaled = columns / norms
    if columns.shape[0] < columns.shape[1]:
        raise UserError(f"There are {columns.shape[1]} fixed effects but only {columns.shape[0]} rows.")
    if not names:
        return
    triangle = scipy.linalg.qr(scaled, mode="r")[0][: len(names)]
    for index in range(len(names)):
        if abs(triangle[index, index]) < COLLINEAR:
            weights = np.linalg.lstsq(scaled[:, :index], scaled[:, index], rcond=None)[0]
            others = [name for name, weight in zip(names, weights, strict=False) if abs(weight) > 1e-6]
            raise UserError(
                f"The column '{names[index]}' says nothing beyond {', '.join(others)}: "
                "their effects cannot be told apart.",
                valid="No column of the fixed effects may be a sum of others.",
                remedy="Leave one of these terms out of the formula.",
            )


def _random_terms(formula: Formula, frame: pl.DataFrame, rows: Integers) -> Iterator[RandomTerm]:
    seen: dict[tuple[bytes, str], str] = {}
    for part in formula.random:
        columns = model_columns(part.terms, frame, rows)
        if not columns.names:
            raise UserError(f"The random term '{part.text}' has no effects.", valid="(1 | g) or (0 + x | g).")
        codes, levels = _group(part, frame, rows)
        _refuse_twice(formula, part, columns.names, _partition(codes), seen)
        if part.correlated:
            yield RandomTerm(part.group_name, columns.names, columns.values, codes, levels)
            continue
        for index, name in enumerate(columns.names):
            yield RandomTerm(part.group_name, (name,), columns.values[:, [index]], codes, levels)


def _partition(codes: Integers) -> bytes:
    """Return which rows belong together, whatever the levels are called."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    return first[inverse].astype(np.int64).tobytes()


def _refuse_twice(
    formula: Formula, part: RandomPart, names: tuple[str, ...], rows: bytes, seen: dict[tuple[bytes, str], str]
) -> None:
    """Refuse an effect that varies twice by the same group, or by two groups with the same rows in their levels."""
    for name in names:
        other = seen.get((rows, name))
        if other == part.group_name:
            raise UserError(
                f"'{name}' varies by '{part.group_name}' twice in '{formula.text}'.",
                remedy=f"Leave one of them out; (0 + x | {part.group_name}) has no intercept.",
            )
        if other is not None:
            raise UserError(
                f"'{part.group_name}' parts the rows just as '{other}' does, so their variances of '{name}' cannot be "
                "told apart.",
                valid="Groups that differ in at least one row.",
                remedy=f"Leave '{part.text}' out of the formula.",
            )
        seen[rows, name] = part.group_name


def _group(part: RandomPart, frame: pl.DataFrame, rows: Integers) -> tuple[Integers, tuple[str, ...]]:
    names = [atom.column for atom in part.group]
    for atom in part.group:
        if atom.function and atom.function not in FACTOR_FUNCTIONS:
            raise UserError(f"'{atom.text}' is no group.", valid="A group is a column: (1 | rater).")
        if frame.schema[atom.column].is_float() and not is_factor(atom, frame):
            _refuse_fractions(atom.column, frame, rows)
    chosen = frame.select(pl.col(name).alias(f"g{index}") for index, name in enumerate(names))
    levels = chosen.unique().sort(chosen.columns).with_row_index("code")
    codes = chosen.join(levels, on=chosen.columns, how="left", maintain_order="left")["code"]
    if levels.height < 2:
        raise UserError(
            f"The group '{part.group_name}' of '{part.text}' has one level only.",
            valid="A grouping factor needs two levels or more, better eight or more.",
            remedy=f"Leave '{part.text}' out of the formula.",
        )
    labels = tuple(":".join(map(level_text, row[1:])) for row in levels.iter_rows())
    return codes.to_numpy().astype(np.int64), labels


def _refuse_fractions(column: str, frame: pl.DataFrame, rows: Integers) -> None:
    values = frame[column].to_numpy()
    wrong = np.flatnonzero(values != np.round(values))
    if len(wrong):
        raise UserError(
            f"Column '{column}', row {rows[wrong[0]] + 1}: {values[wrong[0]]:g} is a measurement and names no group.",
            valid="Groups are named by text or whole numbers.",
            remedy=f"Name the group's own column, or write factor({column}) if each value is a group.",
        )
