"""Which observations, columns and groups does a model formula pick out of a table?

`parse` reads a formula, `design` applies it to data. All mistakes that can be seen before a model is fitted are found
here: unknown columns, factors and groups of one level, columns that say the same, a response that never changes.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
import scipy

from hengliang.analysis.models.coding import as_numbers, is_factor, level_text, model_columns, transform
from hengliang.analysis.models.design import Design, Floats, Integers, RandomTerm
from hengliang.analysis.models.syntax import FACTOR_FUNCTIONS, Atom, Formula, RandomPart, parse
from hengliang.core.errors import UserError, unknown_name

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

    The code of a level that `held` has not is −1. Without `groups` no random term is made and no group is needed.
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
            places = {level: place for place, level in enumerate(known.levels)}
            told = [":".join(map(level_text, row)) for row in frame.select(a.column for a in part.group).iter_rows()]
            codes = np.array([places.get(level, -1) for level in told], dtype=np.int64)
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
        told = ", ".join(f"{column} {count}" for column, count in counts.items())
        raise UserError(
            f"No row is left for '{formula}': of {data.height} rows each has an empty cell in a column that is used.",
            valid=f"Empty cells: {told}.",
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
    for place in range(len(names)):
        if abs(triangle[place, place]) < COLLINEAR:
            weights = np.linalg.lstsq(scaled[:, :place], scaled[:, place], rcond=None)[0]
            others = [name for name, weight in zip(names, weights, strict=False) if abs(weight) > 1e-6]
            raise UserError(
                f"The column '{names[place]}' says nothing beyond {', '.join(others)}: "
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
        for place, name in enumerate(columns.names):
            yield RandomTerm(part.group_name, (name,), columns.values[:, [place]], codes, levels)


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
    chosen = frame.select(pl.col(name).alias(f"g{place}") for place, name in enumerate(names))
    levels = chosen.unique().sort(chosen.columns).with_row_index("code")
    codes = chosen.join(levels, on=chosen.columns, how="left", maintain_order="left")["code"]
    if levels.height < 2:
        raise UserError(
            f"The group '{part.group_name}' of '{part.text}' has one level only.",
            valid="A grouping factor needs two levels or more, better eight or more.",
            remedy=f"Leave '{part.text}' out of the formula.",
        )
    told = tuple(":".join(map(level_text, row[1:])) for row in levels.iter_rows())
    return codes.to_numpy().astype(np.int64), told


def _refuse_fractions(column: str, frame: pl.DataFrame, rows: Integers) -> None:
    values = frame[column].to_numpy()
    wrong = np.flatnonzero(values != np.round(values))
    if len(wrong):
        raise UserError(
            f"Column '{column}', row {rows[wrong[0]] + 1}: {values[wrong[0]]:g} is a measurement and names no group.",
            valid="Groups are named by text or whole numbers.",
            remedy=f"Name the group's own column, or write factor({column}) if each value is a group.",
        )
