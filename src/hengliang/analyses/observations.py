"""Observations of a run: one row per judgement or unique rating, with attributes of items and traits of systems.

First ratings that several systems share, then the table of observations that models and tests start from. A rating of a
response that three systems gave is one observation. A table with a row for each system holds it three times, and every
test that counts rows takes it for three. `unique_ratings` merges the copies, `shared_ratings` starts from ratings that
were never copied. From either come a table with indicators and shares of the systems, for models, and the table of
copies, labelled as such, for whoever repeats an analysis that was made that way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from hengliang.analyses import outcomes
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import attribute_names
from hengliang.core.runs import Tables
from hengliang.core.signature import digest
from hengliang.statistics.results import checksum

# --- ratings of shared responses: unique, or with copies --------------------------------------------------------------


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
        responses = self.givers.filter(pl.col(c.system) == system).select(c.item, c.response)
        twice = responses.filter(responses[c.item].is_duplicated())
        if twice.height:
            raise UserError(
                f"'{system}' has {twice.filter(pl.col(c.item) == twice[c.item][0]).height} responses to "
                f"{c.item} '{twice[c.item][0]}'.",
                valid="One response a system and item.",
            )
        return responses

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
    checked = _checked(table, c, [*c.key, system])
    _refuse_repeated(checked, [*c.key, system])
    present = checked.filter(pl.col(rating).is_not_null())
    # A copy that was left empty still says who gave the response.
    givers = checked.select(item, response, system).unique(maintain_order=True)
    apart = present.filter(pl.col(rating).n_unique().over(c.key) > 1)
    if apart.height:
        key = apart.row(0, named=True)
        same = apart.filter(pl.all_horizontal(pl.col(name) == key[name] for name in c.key))
        contradiction = " and ".join(f"{value:g} in row {row}" for value, row in same.select(rating, ROW).rows()[:2])
        raise UserError(
            f"The column '{rating}' holds {contradiction}, which are copies of one rating: "
            f"{', '.join(f'{name} {key[name]!r}' for name in c.key)}.",
            valid="One rating for each item, rater and response.",
            remedy="Correct the row, or give repeated presentations different items.",
        )
    merged = present.unique(c.key, keep="first", maintain_order=True).select(*c.key, rating)
    return SharedRatings(merged, givers, c, present.height - merged.height, checked.height - present.height)


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
    checked = _checked(ratings, c, c.key)
    _refuse_repeated(checked, c.key)
    _need(givers, [item, response, system])
    who_gave = givers.select(pl.col(item, response, system).cast(pl.String)).unique(maintain_order=True)
    lone = checked.join(who_gave, on=[item, response], how="anti")
    if lone.height:
        row = lone.row(0, named=True)
        raise UserError(
            f"Row {row[ROW]} rates the {response} '{row[response]}' to {item} '{row[item]}', which no {system} gave.",
            valid=f"Every rated {response} stands in the table of givers.",
        )
    present = checked.filter(pl.col(rating).is_not_null())
    return SharedRatings(present.select(*c.key, rating), who_gave, c, 0, checked.height - present.height)


def _need(table: pl.DataFrame, names: Sequence[str]) -> None:
    for name in names:
        if name not in table.columns:
            raise unknown_name("column", name, table.columns)


def _checked(table: pl.DataFrame, c: Columns, names: Sequence[str]) -> pl.DataFrame:
    """Return the columns as text and numbers with the number of each row, counted from 1 below the header."""
    _need(table, [*names, c.rating])
    texts = table.select(pl.int_range(1, pl.len() + 1).alias(ROW), *(pl.col(name).cast(pl.String) for name in names))
    numbers = table[c.rating].cast(pl.Float64, strict=False)
    wrong = (numbers.is_null() & table[c.rating].is_not_null()) | numbers.is_infinite().fill_null(value=False)
    if wrong.any():
        row = int(wrong.arg_max() or 0)
        raise UserError(
            f"The column '{c.rating}' holds '{table[c.rating][row]}' in row {row + 1}.",
            valid="A number, or nothing where a rating is missing.",
        )
    for name in names:
        if texts[name].null_count():
            row = int(texts[name].is_null().arg_max() or 0)
            raise UserError(f"The column '{name}' is empty in row {row + 1}.", valid=f"Every rating has its {name}.")
    if not texts.height:
        raise UserError("The table of ratings is empty.", valid="One row or more.")
    return texts.with_columns(numbers.fill_nan(None).alias(c.rating))


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
    """Return one row per rating, with `n_systems` and for each system `gave_NAME` (0 or 1) and `share_NAME`.

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
        *(indicator.cast(pl.Int64).alias(f"gave_{system}") for system, indicator in gave.items()),
        *((indicator.cast(pl.Float64) / count).alias(f"share_{system}") for system, indicator in gave.items()),
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


# --- table of observations --------------------------------------------------------------------------------------------
# Returns one flat table for models and tests. A machine's judgement is one row for each answer of each system and seed;
# a person's is one row per rating, however many systems gave the response; a judgement about a set is one row. Beside
# the value stand the item with its attributes and the system with its traits. A value that is missing has a row too, so
# that it is counted and not forgotten.

OWN = (
    *("item", "set", "material", "condition", "response", "system", "model", "seed", "respondent", "rater", "part"),
    *("value", "label", "n_systems"),
)
"""The columns that are no attribute and no trait; `model` is another name for `system`."""

_OF_ITEMS = ("set", "material", "condition")
_WHO = ("system", "seed")


class Wanted(NamedTuple):
    """The attributes of items and the traits of systems that a table of observations has."""

    attributes: tuple[str, ...]
    traits: tuple[str, ...]
    insisted: bool
    """Whether they were named, so that one without a single value for an observation is a mistake."""


def observations(
    tables: Tables, measure: str, *, columns: Sequence[str] | None = None, parts: Sequence[str] = ()
) -> pl.DataFrame:
    """Return one row per observation of `measure`, in an order that follows from its content.

    `columns` are attributes of items and traits of systems; left out, all are there. `parts` are those of the measure;
    left out, all.

    Of a machine's judgements: `item set material condition response system model seed respondent part value`. Of
    people's ratings: `rater` instead of the respondent, and who gave the response: `n_systems`, and for each system
    `gave_NAME` (0 or 1) and `share_NAME` (1 / n_systems, or 0); `system`, `seed` and traits are empty where several
    systems gave it and do not agree. Of judgements about sets: `item` is the set, attributes are those that its
    items have in common, and a label, if one was given, stands beside the value. A system without a seed has the seed
    `(none)`.
    """
    wanted = _wanted(tables, columns)
    judgements = _judgements(tables, measure, parts)
    if _about_sets(judgements, tables, measure):
        return _of_sets(judgements, tables, wanted, measure)
    if _by_people(judgements, measure):
        return _of_ratings(judgements, tables, wanted)
    return _of_answers(judgements, tables, wanted, measure)


def rated_responses(tables: Tables, measure: str, part: str = "") -> SharedRatings:
    """Return people's ratings, each once, and which systems gave the responses that were rated."""
    judgements = _judgements(tables, measure, (part,) if part else ())
    parts = judgements["part"].unique().sort().to_list()
    if len(parts) > 1:
        raise unknown_name(f"part of '{measure}'", part, parts, remedy="Name one of them as part.")
    if not _by_people(judgements, measure) or _about_sets(judgements, tables, measure):
        raise UserError(
            f"'{measure}' holds no ratings of responses by people.", valid="A measure whose judges are people."
        )
    return _shared(judgements, tables)


def judged_by_people(tables: Tables, measure: str) -> bool:
    """Say whether people rated responses on this measure."""
    judgements = _judgements(tables, measure, ())
    return _by_people(judgements, measure) and not _about_sets(judgements, tables, measure)


def parts_of(tables: Tables, measure: str) -> list[str]:
    """Return the parts of a measure, sorted."""
    return _judgements(tables, measure, ())["part"].unique().sort().to_list()


# --- judgements of a measure ------------------------------------------------------------------------------------------


def _judgements(tables: Tables, measure: str, parts: Sequence[str]) -> pl.DataFrame:
    judgements = tables.judgements.filter(pl.col("measure") == measure)
    if not judgements.height:
        raise unknown_name(
            "measure",
            measure,
            tables.judgements["measure"].unique().to_list(),
            remedy="People's scales are there once somebody has answered.",
        )
    known = judgements["part"].unique().sort().to_list()
    for part in parts:
        if part not in known:
            raise unknown_name(f"part of '{measure}'", part, known)
    judgements = judgements.filter(pl.col("part").is_in(list(parts))) if parts else judgements
    judgements = judgements.with_columns(pl.col("value").fill_nan(None))
    if not judgements["value"].count():
        raise UserError(f"The measure '{measure}' gave no number.", valid="A measure whose judgements are numbers.")
    return judgements


def _answers(tables: Tables) -> pl.DataFrame:
    """Return who gave which response to which item; equal answers of two seeds are two rows."""
    schema = {"item": pl.String, "response": pl.String, "system": pl.String, "seed": pl.Int64}
    frames = [frame.select("item", "system", "seed", response="id") for frame in tables.responses.values()]
    return pl.concat([pl.DataFrame(schema=schema), *(frame.select(list(schema)) for frame in frames)]).unique()


def _about_sets(found: pl.DataFrame, tables: Tables, measure: str) -> bool:
    others = found.join(_answers(tables), left_on="about", right_on="response", how="anti")
    lost = others.join(tables.items, left_on="about", right_on="set", how="anti")
    if lost.height:
        raise UserError(
            f"{lost.height} judgements of '{measure}' are about nothing in this run, among them '{lost['about'][0]}'.",
            valid="A judgement is about a response or a set of items.",
            remedy="Judge again: hengliang run STUDY --from judgements",
        )
    if 0 < others.height < found.height:
        raise UserError(
            f"'{measure}' judges responses and sets.",
            valid=f"Parts: {', '.join(found['part'].unique().sort().to_list())}.",
            remedy="Name a part that judges one or the other.",
        )
    return others.height > 0


def _by_people(found: pl.DataFrame, measure: str) -> bool:
    kinds = set(found["judge_kind"].to_list())
    if "machine" in kinds and len(kinds) > 1:
        raise UserError(
            f"Machines and people both judge '{measure}'.",
            valid="A measure with one kind of judge.",
            remedy="Give the machine's measure another name.",
        )
    return "machine" not in kinds


# --- a machine's judgements of answers --------------------------------------------------------------------------------


def _of_answers(found: pl.DataFrame, tables: Tables, wanted: Wanted, measure: str) -> pl.DataFrame:
    rows = outcomes.due_answers(tables).rename({"id": "response"}).drop("label")
    known = found.select("part", "value", "scored_system", response="about")
    named = known.join(outcomes.scored_systems(rows), on="scored_system")
    # A judgement that names no system holds for every system that gave the answer.
    givers = _answers(tables).drop("item").unique()
    unnamed = known.filter(pl.col("scored_system") == "").join(givers, on="response")
    known = pl.concat([named, unnamed.select(named.columns)]).drop("scored_system")
    values = known.drop_nulls("value").unique()
    key = ["response", *_WHO, "part"]
    twice = values.filter(pl.struct(key).is_duplicated()).sort(key)
    if twice.height:
        raise UserError(
            f"The measure '{measure}' has several judgements of the answer {twice['response'][0]}.",
            valid="One number for each answer of a system and part.",
        )
    rows = rows.filter(pl.col("system").is_in(known["system"].unique().to_list()))
    rows = rows.join(found.select("part").unique(), how="cross").join(values, on=key, how="left", nulls_equal=True)
    rows = rows.join(tables.items.select(*_OF_ITEMS, *wanted.attributes, item="id"), on="item", how="left")
    rows = rows.join(_traits(tables, wanted), on=_WHO, how="left", nulls_equal=True)
    return _ordered(rows, wanted, ["system", "item", "seed", "respondent", "part"])


def _traits(tables: Tables, wanted: Wanted) -> pl.DataFrame:
    # One row per system: a table that names a system twice must not double its answers.
    systems = tables.systems.unique(["name", "seed"], keep="first", maintain_order=True)
    return systems.select("seed", *wanted.traits, system="name")


def _ordered(rows: pl.DataFrame, wanted: Wanted, order: Sequence[str], further: Sequence[str] = ()) -> pl.DataFrame:
    rows = rows.sort(order, nulls_last=True)
    rows = rows.with_columns(pl.col("system").alias("model"))
    if rows.schema["seed"] != pl.String:
        rows = rows.with_columns(pl.col("seed").cast(pl.String).fill_null(outcomes.NOT_STATED))
    own = [name for name in OWN if name in rows.columns]
    return rows.select(*own, *wanted.attributes, *wanted.traits, *further)


# --- people's ratings -------------------------------------------------------------------------------------------------


def _shared(found: pl.DataFrame, tables: Tables) -> SharedRatings:
    ratings, givers = _ratings(found, tables)
    return shared_ratings(ratings, givers, rating="value")


def _ratings(found: pl.DataFrame, tables: Tables) -> tuple[pl.DataFrame, pl.DataFrame]:
    givers = _answers(tables).select("item", "response", "system").unique()
    givers = givers.join(found.select(response="about"), on="response", how="semi").sort("item", "response", "system")
    of_item = givers.select("item", "response").unique()
    ratings = found.select("value", response="about", rater="judge").join(of_item, on="response")
    return ratings.sort("item", "response", "rater"), givers


def _of_ratings(found: pl.DataFrame, tables: Tables, wanted: Wanted) -> pl.DataFrame:
    frames = []
    for part in found["part"].unique().sort().to_list():
        own = found.filter(pl.col("part") == part)
        known = with_system_indicators(_shared(own.drop_nulls("value"), tables)).drop("unit")
        missing, _ = _ratings(own.filter(pl.col("value").is_null()), tables)
        frames += [frame.with_columns(part=pl.lit(part)) for frame in (known, missing)]
    rows = pl.concat(frames, how="diagonal_relaxed")
    # A system whose responses were rated in one part only gave none of those in the others.
    indicators = [name for name in rows.columns if name.startswith(("gave_", "share_"))]
    rows = rows.with_columns(pl.when(pl.col("n_systems").is_not_null()).then(pl.col(indicators).fill_null(0)))
    rows = rows.join(tables.items.select(*_OF_ITEMS, *wanted.attributes, item="id"), on="item", how="left")
    rows = rows.join(_of_givers(found, tables, wanted), on=["item", "response"], how="left")
    return _ordered(rows, wanted, ["item", "response", "rater", "part"], indicators)


def _of_givers(found: pl.DataFrame, tables: Tables, wanted: Wanted) -> pl.DataFrame:
    """Return system, seed and traits of whoever gave each rated response, empty where givers differ."""
    rated = _answers(tables).join(found.select(response="about"), on="response", how="semi")
    givers = rated.join(_traits(tables, wanted), on=_WHO, how="left", nulls_equal=True)
    givers = givers.with_columns(pl.col("seed").cast(pl.String).fill_null(outcomes.NOT_STATED))
    names = [*_WHO, *wanted.traits]
    grouped = givers.group_by("item", "response")
    if wanted.insisted:
        for trait in wanted.traits:
            apart = grouped.agg(pl.col(trait).n_unique()).filter(pl.col(trait) > 1).sort("item", "response")
            if apart.height:
                raise UserError(
                    f"Systems that differ in '{trait}' gave the same response {apart.height} times, for example to "
                    f"item '{apart['item'][0]}': its rating has no one value of '{trait}'.",
                    remedy="Use `system`, whose effects are estimated from shares, or the columns gave_NAME.",
                )
    return grouped.agg(pl.when(pl.col(name).n_unique() == 1).then(pl.col(name).first()) for name in names)


# --- judgements about sets --------------------------------------------------------------------------------------------


def _of_sets(found: pl.DataFrame, tables: Tables, wanted: Wanted, measure: str) -> pl.DataFrame:
    people = _by_people(found, measure)
    rows = found.select(
        "scored_system", "part", "value", "label", item="about", set="about", **({"rater": "judge"} if people else {})
    ).unique()
    key = ["set", "scored_system", "part", *(["rater"] if people else [])]
    twice = rows.filter(pl.struct(key).is_duplicated()).sort(key)
    if twice.height:
        system = twice["scored_system"][0]
        raise UserError(
            f"The measure '{measure}' has several judgements of the set '{twice['set'][0]}'"
            + (f" for the system '{system}'." if system else "."),
            valid="One for each set, system and part.",
            remedy="A measure that judges seeds apart names them in scored_system: 'NAME (seed 2)'.",
        )
    rows = rows.drop("label") if rows["label"].is_null().all() else rows
    rows = rows.join(_named_systems(tables), on="scored_system", how="left")
    rows = rows.with_columns(pl.coalesce("system", pl.col("scored_system").replace("", None)))
    rows = rows.join(_common(tables, wanted), on="set", how="left")
    rows = rows.join(_traits(tables, wanted), on=_WHO, how="left", nulls_equal=True)
    return _ordered(rows, wanted, ["system", "seed", "set", "part", *(["rater"] if people else [])])


def _named_systems(tables: Tables) -> pl.DataFrame:
    """Return what a judgement may call a system: its name, or with the seed where there are several."""
    trainings = tables.systems.select(system="name", seed="seed").unique()
    alone = pl.when(pl.col("seed").len() == 1).then(pl.col("seed").first())
    by_name = trainings.group_by("system").agg(seed=alone).with_columns(scored_system="system")
    seeded = trainings.drop_nulls("seed").with_columns(
        scored_system=pl.format("{} (seed {})", "system", pl.col("seed").cast(pl.String))
    )
    return pl.concat([by_name, seeded.select(by_name.columns)])


def _common(tables: Tables, wanted: Wanted) -> pl.DataFrame:
    """Return material, condition and attributes of each set, empty where its items differ."""
    names = ["material", "condition", *wanted.attributes]
    grouped = tables.items.group_by("set")
    for name in wanted.attributes if wanted.insisted else ():
        apart = grouped.agg(pl.col(name).n_unique()).filter(pl.col(name) > 1).sort("set")
        if apart.height:
            raise UserError(
                f"The attribute '{name}' differs within the set '{apart['set'][0]}', and the judgement is about the "
                "whole set.",
                valid="Attributes that all items of a set share.",
            )
    return grouped.agg(pl.when(pl.col(name).n_unique() == 1).then(pl.col(name).first()) for name in names)


# --- attributes and traits --------------------------------------------------------------------------------------------


def _wanted(tables: Tables, columns: Sequence[str] | None) -> Wanted:
    """Find each column among attributes and traits; a name that means two things is refused when it is asked for."""
    attributes = attribute_names(tables.items)
    traits = [name for name in tables.systems.columns if name not in {"name", "seed"}]
    doubtful = (set(attributes) & set(traits)) | ({*attributes, *traits} & set(OWN))
    if columns is None:
        names = [name for name in (*attributes, *traits) if name not in doubtful]
    else:
        names = list(dict.fromkeys(columns))
    for name in names:
        if name in doubtful:
            raise UserError(
                f"'{name}' means several things here: an attribute of items, a trait of systems, or a column of every "
                "table of observations.",
                remedy="Rename the attribute or the trait.",
            )
        if name not in {*attributes, *traits, *OWN}:
            raise unknown_name("column", name, [*OWN, *attributes, *traits])
    return Wanted(
        tuple(name for name in names if name in attributes),
        tuple(name for name in names if name in traits),
        columns is not None,
    )
