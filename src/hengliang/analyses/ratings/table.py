"""Table of ratings: columns with their roles, numbers, levels and scale, checked cell by cell.

`ratings_table` gives every column its part, turns the ratings into numbers and checks them. Whatever is wrong is said
with the column, the row of the file and what to do. What is merely worth knowing (missing ratings, pairs that are not
whole, a scale that was inferred) becomes a note.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import polars as pl

from hengliang.analyses.ratings.reading import (
    ROW,
    RatingsFile,
    Scale,
    as_numbers,
    inferred_scale,
    melt,
    melted_part,
    parse_scale,
    write_rating,
)
from hengliang.analyses.ratings.roles import Roles, named_roles, recognised_roles
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.signature import digest
from hengliang.core.terms import Bilingual

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column plays which part; `wide` names the columns of a wide file that are not ratings.

    `item` and `rater` state whose ratings resemble each other; in checked ratings they are what was stated, recognised
    or guessed (`hengliang.analyses.ratings.roles`), and `pair` is what truly pairs ratings of two levels.
    """

    measures: tuple[str, ...]
    by: str
    pair: tuple[str, ...] = ()
    split: str | None = None
    response: str | None = None
    wide: tuple[str, ...] = ()
    item: str | None = None
    rater: str | None = None

    @property
    def factors(self) -> tuple[str, ...]:
        """All columns that are not ratings and were named."""
        named = (self.by, *self.pair, self.split, self.response, self.item, self.rater)
        return tuple(dict.fromkeys(name for name in named if name))


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings that were checked.

    `frame` has the number of the row in the file (`ROW`), a column of numbers for each measure, in which a missing
    rating is null, and the factors as text. `levels` are those of the factor `columns.by`, in the order in which they
    first occur. `roles` say which columns name items and raters, and how that is known; `asked_pair` is what was to
    pair ratings, whether it does or not.
    """

    file: RatingsFile
    columns: Columns
    frame: pl.DataFrame
    levels: tuple[str, ...]
    scale: Scale
    notes: tuple[Bilingual, ...] = ()
    melted: str | None = None
    roles: Roles = field(default_factory=Roles)
    asked_pair: tuple[str, ...] = ()

    @property
    def item_and_rater(self) -> tuple[str | None, str | None]:
        """The columns of `frame` that name the item and the rater of a rating; nothing where that is not known."""
        return self.columns.item, self.columns.rater

    @property
    def clusters(self) -> tuple[str, ...]:
        """The columns of `frame` whose ratings resemble each other, in the order in which they were named."""
        roles = [role for role in (self.roles.item, self.roles.rater) if role is not None]
        places = {name: rank for rank, name in enumerate(self.asked_pair)}
        roles.sort(key=lambda role: min(places.get(name, len(places)) for name in role.columns))
        return tuple(role.name for role in roles)

    @property
    def paired_clusters(self) -> tuple[str, ...]:
        """Those of the clusters that a pair lies within; all ratings of another are under one level, say."""
        roles = [role for role in (self.roles.item, self.roles.rater) if role is not None]
        whole = {role.name for role in roles if set(role.columns) <= set(self.columns.pair)}
        return tuple(name for name in self.clusters if name in whole)

    @property
    def is_paired(self) -> bool:
        """Whether columns are named within which the levels are compared."""
        return bool(self.columns.pair)

    def reference(self, named: str | None = None) -> str:
        """Return the level that others are compared with: the named one, else the first."""
        return named or self.levels[0]

    @cached_property
    def checksum(self) -> str:
        """The checksum of what is analysed: all parts of all rows, in their order."""
        return digest(self.frame.drop(ROW).write_csv())

    def values(self, measure: str, level: str) -> list[float]:
        """Return the ratings that one level has."""
        column = self.frame.filter(pl.col(self.columns.by) == level)[measure]
        return column.drop_nulls().to_list()

    def n_missing(self, measure: str, level: str | None = None) -> int:
        """Return how many ratings are missing."""
        frame = self.frame if level is None else self.frame.filter(pl.col(self.columns.by) == level)
        return frame[measure].null_count()

    def paired(self, measure: str) -> pl.DataFrame:
        """Return one row per pair (an item and a rater, say) and one column per level; what is not rated is null.

        The order of the rows does not depend on that of the file.
        """
        # Longer than any level, so that no level is called so.
        name = "".join(self.levels) + "_"
        codes = pl.struct(self.columns.pair).rank("dense").alias(name)
        by = pl.col(self.columns.by).alias("level")
        units = self.frame.select(codes, by, pl.col(measure).alias("rating"))
        return units.pivot(on="level", index=name, values="rating").sort(name).select(self.levels)


def ratings_table(
    file: RatingsFile, columns: Columns, *, scale: str | None = None, levels: Sequence[str] = ()
) -> Ratings:
    """Check the columns and the cells of a file, and return its ratings.

    `scale` is text such as `1-7`; without it the scale is inferred from the ratings and a note says so. `levels`
    chooses among the levels of the factor and gives their order.
    """
    melted = None
    if columns.wide:
        if len(columns.measures) > 1:
            raise UserError("A wide file holds one measure.", valid="--measure once, with --wide.")
        stated = [name for name in (columns.item, columns.rater) if name]
        melted = melted_part(columns.by, (*columns.pair, *stated), columns.wide)
        file = melt(file, columns.measures[0], melted, columns.wide)
    _check_columns(file, columns)
    roles = _roles(file, columns)
    frame = file.frame.select(
        ROW, *(_numbers(file, name, melted) for name in columns.measures), *_factors(file, columns, roles)
    )
    frame, notes = _without_unplaced(frame, columns)
    frame, chosen = _chosen_levels(frame, columns, levels)
    seen = inferred_scale(frame.select(columns.measures))
    checked = replace(parse_scale(scale), whole=seen.whole) if scale else seen
    for name in columns.measures:
        _check_scale(frame, name, checked, melted)
        _check_varied(frame, name)
    _check_levels(frame, columns, chosen)
    if columns.pair:
        _check_duplicates(frame, columns, file)
    frame, settled = _settled(frame, columns, roles)
    made = Ratings(file, settled, frame, chosen, checked, melted=melted, roles=roles, asked_pair=columns.pair)
    notes += [checked.note(), *_missing_notes(made), *_pair_notes(made)]
    return replace(made, notes=tuple(notes))


# --- columns and roles ------------------------------------------------------------------------------------------------


def _check_columns(file: RatingsFile, columns: Columns) -> None:
    parts = [("--measure", name) for name in columns.measures] + [("--by", columns.by)]
    parts += [("--pair", name) for name in columns.pair]
    parts += [(option, name) for option, name in (("--split", columns.split), ("--response", columns.response)) if name]
    stated = [(option, name) for option, name in (("--item", columns.item), ("--rater", columns.rater)) if name]
    # What names items or raters may pair ratings as well.
    parts += [(option, name) for option, name in stated if name not in columns.pair]
    if len(stated) == 2 and columns.item == columns.rater:
        raise UserError(
            f"The column '{columns.item}' is named by --item and by --rater.",
            valid="Items and raters are named by different columns.",
        )
    taken: dict[str, str] = {}
    for option, name in parts:
        if name not in file.columns:
            raise unknown_name("column", name, file.columns, remedy=_naming(file, columns, option, name))
        if name in taken:
            raise UserError(
                f"The column '{name}' is named by {taken[name]} and by {option}.",
                valid="A column has one part to play.",
            )
        taken[name] = option


def _roles(file: RatingsFile, columns: Columns) -> Roles:
    """Return who is who: as stated, as the columns that pair ratings have it, and as names of columns give away."""
    paired = named_roles(columns.pair, columns.item, columns.rater, file.columns)
    taken = [ROW, *columns.measures, *columns.factors]
    return recognised_roles(file.frame, columns.item, columns.rater, taken, paired)


def _settled(frame: pl.DataFrame, columns: Columns, roles: Roles) -> tuple[pl.DataFrame, Columns]:
    """Return the ratings with a column for the item and one for the rater, and what truly pairs ratings.

    What was to pair ratings may stand under one level each time, or nearly so: then it pairs nothing, for a few pairs
    would be all that is left of the ratings. Where nothing was named, items and raters pair what they can.
    """
    for role in (roles.item, roles.rater):
        if role is not None and len(role.columns) > 1:
            frame = frame.with_columns(pl.concat_str(role.columns, separator=" / ").alias(role.name))
    known = [role.name for role in (roles.item, roles.rater) if role is not None]
    pair = columns.pair or tuple(known)
    if pair and not (columns.pair and columns.response):
        crossed = frame.group_by(pair).agg(pl.col(columns.by).n_unique().alias("levels"), pl.len().alias("rows"))
        # Less than half are numbers that were used twice, say (`design.Unit` has the same rule).
        enough = 2 * (crossed["levels"] > 1).sum() >= crossed.height
        pair = pair if enough and (crossed["rows"] == crossed["levels"]).all() else ()
    item, rater = (role.name if role else None for role in (roles.item, roles.rater))
    return frame, replace(columns, pair=pair, item=item, rater=rater)


def _naming(file: RatingsFile, columns: Columns, option: str, name: str) -> str:
    """Say how the column is named, or what was meant instead."""
    parts = [part.strip() for part in name.replace("，", ",").split(",")]
    if len(parts) > 1 and all(part in file.columns for part in parts):
        return "One option for each: " + " ".join(f"{option} {part}" for part in parts)
    absent = [part for part in (*columns.measures, columns.by) if part not in file.columns]
    if not columns.wide and option == "--measure" and columns.by in absent:
        kept = ",".join(part for part in columns.pair if part in file.columns) or "item,rater"
        return f"Name a column of {file.path} with {option}; if it has one column a {columns.by}: --wide {kept}"
    return f"Name a column of {file.path} with {option}."


def _numbers(file: RatingsFile, name: str, melted: str | None) -> pl.Series:
    numbers, wrong = as_numbers(file.frame[name], decimal_comma=file.decimal_comma)
    if wrong.len():
        bad = file.frame[wrong.to_list()]
        first, count = bad.row(0, named=True), bad.height
        column = first[melted] if melted else name
        others = _listed_rows(bad[ROW].to_list()[1:])
        remedy = "Correct the cell, or empty it if there is no rating."
        if melted:
            remedy = f"Correct the cell, or name '{column}' in --wide if it is not a rating."
        elif count > numbers.len() / 2:
            remedy = "Write answers in words as numbers, the lowest as 1; words as they are: hengliang fit --scale"
        raise UserError(
            f"The column '{column}' holds '{first[name]}' in row {first[ROW]} of {file.path}, where a number belongs"
            + (f"; {count - 1} more such cells, in rows {others}." if count > 1 else "."),
            valid="Numbers; an empty cell or NA is a missing rating.",
            remedy=remedy,
        )
    return numbers.alias(name)


def _factors(file: RatingsFile, columns: Columns, roles: Roles) -> list[pl.Series]:
    """Return the factors as text: without spaces around, missing where empty, with the labels of an SPSS file."""
    factors = []
    recognised = [name for role in (roles.item, roles.rater) if role is not None for name in role.columns]
    for name in dict.fromkeys((*columns.factors, *recognised)):
        text = file.frame[name].str.normalize("NFC").str.strip_chars()
        text = text.replace(["", "NA"], None) if text.dtype == pl.String else text
        labels = file.labels.get(name)
        factors.append((text.replace(labels) if labels else text).alias(name))
    return factors


def _without_unplaced(frame: pl.DataFrame, columns: Columns) -> tuple[pl.DataFrame, list[Bilingual]]:
    """Leave out the rows that do not say whose rating of what they are, and count them."""
    stated = [name for name in (columns.item, columns.rater) if name]
    needed = list(dict.fromkeys((columns.by, *columns.pair, *stated)))
    notes = []
    for name in needed:
        lost = frame.filter(pl.col(name).is_null())
        if lost.height:
            rows = _listed_rows(lost[ROW].to_list())
            notes.append(
                Bilingual(
                    f"{lost.height} rows have no {name} and are left out (rows {rows}).",
                    f"有 {lost.height} 行缺少“{name}”，已略去（第 {rows} 行）。",
                )
            )
            frame = frame.filter(pl.col(name).is_not_null())
    if not frame.height:
        raise UserError(f"No row has a value in all of {', '.join(needed)}.", remedy="Fill these columns in.")
    return frame, notes


def _chosen_levels(
    frame: pl.DataFrame, columns: Columns, levels: Sequence[str]
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    present = frame[columns.by].unique(maintain_order=True).to_list()
    for level in levels:
        if level not in present:
            raise unknown_name(f"level of '{columns.by}'", level, present)
    chosen = tuple(dict.fromkeys(levels)) or tuple(present)
    return frame.filter(pl.col(columns.by).is_in(chosen)), chosen


# --- checks of cells --------------------------------------------------------------------------------------------------


def _check_levels(frame: pl.DataFrame, columns: Columns, levels: Sequence[str]) -> None:
    if len(levels) < 2:
        raise UserError(
            f"The column '{columns.by}' has one level only, '{levels[0]}', in all rows ({_row_span(frame)}).",
            valid="A factor has two levels or more, for there is nothing to compare otherwise.",
            remedy="Name another column with --by, or add the rows of the other levels.",
        )
    for measure in columns.measures:
        for level in levels:
            rows = frame.filter(pl.col(columns.by) == level)
            if rows[measure].null_count() == rows.height:
                raise UserError(
                    f"All ratings '{measure}' of {columns.by} '{level}' are missing "
                    f"(rows {_listed_rows(rows[ROW].to_list())}).",
                    remedy="Fill them in, or remove the rows of this level.",
                )


def _check_scale(frame: pl.DataFrame, name: str, scale: Scale, melted: str | None) -> None:
    outside = frame.filter((pl.col(name) < scale.low) | (pl.col(name) > scale.high))
    if outside.height:
        first = outside.row(0, named=True)
        column = first[melted] if melted else name
        others = _listed_rows(outside[ROW].to_list()[1:])
        raise UserError(
            f"The column '{column}' holds {write_rating(first[name])} in row {first[ROW]}, outside the scale {scale}"
            + (f"; {outside.height - 1} more, in rows {others}." if outside.height > 1 else "."),
            valid=f"Ratings from {write_rating(scale.low)} to {write_rating(scale.high)}.",
            remedy="Correct the cell, or give the true scale: --scale LOW-HIGH",
        )


def _check_varied(frame: pl.DataFrame, name: str) -> None:
    values = frame[name].drop_nulls()
    if not values.len():
        raise UserError(f"The column '{name}' holds no rating at all.", remedy="Name another column with --measure.")
    if values.n_unique() == 1:
        span = _row_span(frame.filter(pl.col(name).is_not_null()))
        raise UserError(
            f"All {values.len()} ratings in the column '{name}' are {write_rating(values[0])} "
            f"({span}): nothing differs, and no test can be run.",
            remedy="Check that the right column is named with --measure.",
        )


def _check_duplicates(frame: pl.DataFrame, columns: Columns, file: RatingsFile) -> None:
    key = [*columns.pair, columns.by]
    twice = frame.filter(pl.struct(key).is_duplicated())
    if not twice.height:
        return
    first = twice.row(0, named=True)
    same = twice.filter(pl.all_horizontal(pl.col(name) == first[name] for name in key))
    what = ", ".join(f"{name} '{first[name]}'" for name in key)
    copies = file.frame.filter(pl.col(ROW).is_in(same[ROW].to_list()))
    free = [name for name in file.columns if name not in (*columns.factors, *columns.measures)]
    apart = [name for name in free if copies[name].n_unique() == copies.height]
    remedy = "Remove the copies"
    remedy += f", or name what tells them apart: --pair {','.join((*columns.pair, apart[0]))}" if apart else "."
    raise UserError(
        f"{what} is rated {same.height} times, in rows {_listed_rows(same[ROW].to_list())} of {file.path} "
        f"({twice.height} rows of this kind in all).",
        valid=f"One row for every {' × '.join(key)}.",
        remedy=remedy,
    )


# --- notes on missing ratings and incomplete pairs --------------------------------------------------------------------


def _missing_notes(ratings: Ratings) -> list[Bilingual]:
    notes = []
    for name in ratings.columns.measures:
        missing = ratings.frame.filter(pl.col(name).is_null())
        if missing.height:
            by_level = ", ".join(
                f"{level} {count}" for level in ratings.levels if (count := ratings.n_missing(name, level))
            )
            notes.append(
                Bilingual(
                    f"{missing.height} of {ratings.frame.height} ratings '{name}' are missing ({by_level}) and are "
                    "left out, never counted as zero.",
                    f"“{name}”的 {ratings.frame.height} 个评分中缺失 {missing.height} 个（{by_level}），"
                    "均予略去，不计为零。",
                )
            )
    return notes


def _pair_notes(ratings: Ratings) -> list[Bilingual]:
    if not ratings.columns.pair:
        return []
    notes, unit = [], " × ".join(ratings.columns.pair)
    for name in ratings.columns.measures:
        wide = ratings.paired(name)
        whole = wide.drop_nulls().height
        if whole < wide.height:
            notes.append(
                Bilingual(
                    f"{wide.height - whole} of {wide.height} pairs ({unit}) lack a rating '{name}' of at least one "
                    f"{ratings.columns.by}: a comparison of two uses the pairs that have both.",
                    f"{wide.height} 个配对（{unit}）中有 {wide.height - whole} 个至少缺少一个“{ratings.columns.by}”的"
                    f"“{name}”评分：两两比较只用两者俱全的配对。",
                )
            )
    return notes


def _row_span(frame: pl.DataFrame) -> str:
    rows = sorted(frame[ROW].to_list())
    return f"rows {rows[0]} to {rows[-1]}"


def _listed_rows(rows: Sequence[int]) -> str:
    shown = ", ".join(str(row) for row in rows[:_SHOWN])
    return shown + (", …" if len(rows) > _SHOWN else "")
