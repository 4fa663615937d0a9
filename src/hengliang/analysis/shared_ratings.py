"""How many ratings are there when one response was given by several systems and judged once?

A rating of a response that three systems gave is one observation. A table with a row for each system holds it three
times, and every test that counts rows takes it for three. `unique_ratings` merges the copies, `shared_ratings` starts
from ratings that were never copied. From either come a table with indicators and shares of the systems, for models, and
the table of copies, labelled as such, for whoever repeats an analysis that was made that way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.signature import digest
from hengliang.statistics.results import checksum

ROW = "\0row"
UNIT = "unit"
UNIQUE = "unique ratings"
COPIES = "copies"


@dataclass(frozen=True, slots=True)
class Columns:
    """What the columns of a table of ratings are called."""

    item: str = "item"
    rater: str = "rater"
    response: str = "response"
    rating: str = "rating"
    system: str = "system"

    @property
    def key(self) -> list[str]:
        """What makes a rating one rating."""
        return [self.item, self.rater, self.response]


@dataclass(frozen=True, slots=True, eq=False)
class SharedRatings:
    """Ratings, each once, and who gave the responses that were rated.

    `ratings` has the columns item, rater, response and rating; `givers` item, response and system. `n_copies` rows were
    merged away, `n_missing` rows had no rating.
    """

    ratings: pl.DataFrame
    givers: pl.DataFrame
    columns: Columns
    n_copies: int
    n_missing: int

    @property
    def systems(self) -> list[str]:
        """The systems, by name."""
        return sorted(self.givers[self.columns.system].unique().to_list())

    def responses_of(self, system: str) -> pl.DataFrame:
        """Return the response of one system to each item; a system with two responses to an item is refused."""
        if system not in self.systems:
            raise unknown_name("system", system, self.systems)
        c = self.columns
        given = self.givers.filter(pl.col(c.system) == system).select(c.item, c.response)
        twice = given.filter(given[c.item].is_duplicated())
        if twice.height:
            raise UserError(
                f"'{system}' has {twice.filter(pl.col(c.item) == twice[c.item][0]).height} responses to "
                f"{c.item} '{twice[c.item][0]}'.",
                valid="One response a system and item.",
            )
        return given

    def checksum(self) -> str:
        """Return the checksum of everything that can change a number."""
        names = [*self.ratings.select(self.columns.key).rows(), *self.givers.rows()]
        return digest(checksum(self.ratings[self.columns.rating].to_numpy()), repr(names))


def unique_ratings(
    table: pl.DataFrame,
    *,
    item: str = "item",
    rater: str = "rater",
    response: str = "response",
    rating: str = "rating",
    system: str = "system",
) -> SharedRatings:
    """Merge the copies in a table with a row for each rating and system.

    Copies have the same item, rater and response, and must have the same rating. A missing rating is left out and
    counted.
    """
    c = Columns(item, rater, response, rating, system)
    held = _checked(table, c, [*c.key, system])
    _refuse_repeated(held, [*c.key, system])
    present = held.filter(pl.col(rating).is_not_null())
    # A copy that was left empty still says who gave the response.
    givers = held.select(item, response, system).unique(maintain_order=True)
    apart = present.filter(pl.col(rating).n_unique().over(c.key) > 1)
    if apart.height:
        key = apart.row(0, named=True)
        same = apart.filter(pl.all_horizontal(pl.col(name) == key[name] for name in c.key))
        told = " and ".join(f"{value:g} in row {row}" for value, row in same.select(rating, ROW).rows()[:2])
        raise UserError(
            f"The column '{rating}' holds {told}, which are copies of one rating: "
            f"{', '.join(f'{name} {key[name]!r}' for name in c.key)}.",
            valid="One rating for each item, rater and response.",
            remedy="Correct the row, or give repeated presentations different items.",
        )
    merged = present.unique(c.key, keep="first", maintain_order=True).select(*c.key, rating)
    return SharedRatings(merged, givers, c, present.height - merged.height, held.height - present.height)


def shared_ratings(
    ratings: pl.DataFrame,
    givers: pl.DataFrame,
    *,
    item: str = "item",
    rater: str = "rater",
    response: str = "response",
    rating: str = "rating",
    system: str = "system",
) -> SharedRatings:
    """Join ratings that stand once each with a table that says which system gave which response to which item.

    Ratings of responses that no system gave are refused, for they are most often misspelt.
    """
    c = Columns(item, rater, response, rating, system)
    held = _checked(ratings, c, c.key)
    _refuse_repeated(held, c.key)
    _need(givers, [item, response, system])
    given = givers.select(pl.col(item, response, system).cast(pl.String)).unique(maintain_order=True)
    lone = held.join(given, on=[item, response], how="anti")
    if lone.height:
        row = lone.row(0, named=True)
        raise UserError(
            f"Row {row[ROW]} rates the {response} '{row[response]}' to {item} '{row[item]}', which no {system} gave.",
            valid=f"Every rated {response} stands in the table of givers.",
        )
    present = held.filter(pl.col(rating).is_not_null())
    return SharedRatings(present.select(*c.key, rating), given, c, 0, held.height - present.height)


def _need(table: pl.DataFrame, names: Sequence[str]) -> None:
    for name in names:
        if name not in table.columns:
            raise unknown_name("column", name, table.columns)


def _checked(table: pl.DataFrame, c: Columns, names: Sequence[str]) -> pl.DataFrame:
    """Return the columns as text and numbers with the number of each row, counted from 1 below the header."""
    _need(table, [*names, c.rating])
    held = table.select(pl.int_range(1, pl.len() + 1).alias(ROW), *(pl.col(name).cast(pl.String) for name in names))
    numbers = table[c.rating].cast(pl.Float64, strict=False)
    wrong = (numbers.is_null() & table[c.rating].is_not_null()) | numbers.is_infinite().fill_null(value=False)
    if wrong.any():
        row = int(wrong.arg_max() or 0)
        raise UserError(
            f"The column '{c.rating}' holds '{table[c.rating][row]}' in row {row + 1}.",
            valid="A number, or nothing where a rating is missing.",
        )
    for name in names:
        if held[name].null_count():
            row = int(held[name].is_null().arg_max() or 0)
            raise UserError(f"The column '{name}' is empty in row {row + 1}.", valid=f"Every rating has its {name}.")
    if not held.height:
        raise UserError("The table of ratings is empty.", valid="One row or more.")
    return held.with_columns(numbers.fill_nan(None).alias(c.rating))


def _refuse_repeated(held: pl.DataFrame, key: Sequence[str]) -> None:
    twice = held.filter(pl.struct(key).is_duplicated())
    if not twice.height:
        return
    first = twice.row(0, named=True)
    same = twice.filter(pl.all_horizontal(pl.col(name) == first[name] for name in key))
    raise UserError(
        f"Rows {same[ROW][0]} and {same[ROW][1]} have the same {', '.join(f'{name} ({first[name]})' for name in key)}.",
        valid="One row for each of these.",
        remedy="Delete the repeated row, or give repeated presentations different items.",
    )


def with_system_indicators(shared: SharedRatings) -> pl.DataFrame:
    """Return one row a rating, with `n_systems` and for each system `gave_NAME` (0 or 1) and `share_NAME`.

    Shares are the weights of a multiple-membership model: 1 / n_systems for each giver, so that they sum to 1.
    """
    c = shared.columns
    lists = shared.givers.group_by(c.item, c.response).agg(pl.col(c.system))
    rows = shared.ratings.join(lists, on=[c.item, c.response], how="left", maintain_order="left")
    count = pl.col(c.system).list.len().cast(pl.Int64)
    gave = {system: pl.col(c.system).list.contains(system) for system in shared.systems}
    return rows.select(
        *shared.ratings.columns,
        count.alias("n_systems"),
        *(given.cast(pl.Int64).alias(f"gave_{system}") for system, given in gave.items()),
        *((given.cast(pl.Float64) / count).alias(f"share_{system}") for system, given in gave.items()),
        pl.lit(UNIQUE).alias(UNIT),
    )


def copies(shared: SharedRatings) -> pl.DataFrame:
    """Return one row for each rating and system, as paper 000 counts: labelled `copies` in the column `unit`.

    `n_systems` says how often each rating stands there. Whoever counts these rows takes one judgement for several.
    """
    c = shared.columns
    rows = shared.ratings.join(shared.givers, on=[c.item, c.response], how="left", maintain_order="left_right")
    count = pl.len().over(c.key).cast(pl.Int64).alias("n_systems")
    return rows.with_columns(count, pl.lit(COPIES).alias(UNIT))
