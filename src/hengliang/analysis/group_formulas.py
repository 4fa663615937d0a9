"""How does one formula fit many groups: which terms has it there, how are factors coded, and which cells never vary?

A random term whose group has one level is left out, for there is nothing between which it could vary. With sum coding
a main effect beside its interaction is the mean effect over the levels of the other factor, as with R's `contr.sum`;
the reference has −1 in every column. A cell of a logistic model in which all answers are the same has no finite
log-odds (separation [1]), and neither have the effects that rest on it.

[1] Albert, A., Anderson, J. A. (1984). On the existence of maximum likelihood estimates in logistic regression models.
    Biometrika 71.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual
from hengliang.statistics.models.design import is_factor, level_text, levels_of, outer_terms
from hengliang.statistics.models.formula import Atom, Formula, RandomPart
from hengliang.statistics.results import listed

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


# --- what coefficients are called -----------------------------------------------------------------------------------


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


# --- cells in which the answer never varies -------------------------------------------------------------------------


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
    found = {}
    for atom in formula.fixed.atoms:
        if atom.column in rows.columns and is_factor(atom, rows):
            levels = [level_text(level) for level in levels_of(rows[atom.column])]
            first = [level for level in levels if level == reference.get(atom.column)]
            found[atom.text] = (*first, *(level for level in levels if level not in first))
    return Factors(found, frozenset(summed))


def separations(formula: Formula, rows: pl.DataFrame, response: str) -> Iterator[Cell]:
    """Give the cells of the fixed effects in which `response` has one value; numbers have no cells."""
    places = {f"v{place}": atom for place, atom in enumerate(formula.fixed.atoms)}
    for algebra in outer_terms(formula.fixed).values():
        atoms = [places[place] for place in algebra.split(":")]
        if not all(atom.column in rows.columns and is_factor(atom, rows) for atom in atoms):
            continue
        yield from _constant_cells(atoms, rows, response)


def _constant_cells(atoms: Sequence[Atom], rows: pl.DataFrame, response: str) -> Iterator[Cell]:
    columns = [atom.column for atom in atoms]
    cells = rows.group_by(columns).agg(answers=pl.col(response).n_unique(), answer=pl.col(response).first(), n=pl.len())
    for *levels, _, answer, n in cells.filter(pl.col("answers") == 1).sort(columns).iter_rows():
        told = {atom.text: level_text(level) for atom, level in zip(atoms, levels, strict=True)}
        yield Cell(told, level_text(answer), n)
