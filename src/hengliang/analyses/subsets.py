"""Subsets and groups of a run: items and systems by level, derived columns, ties, groups of observations.

A part of a run is a run: `restricted` gives tables with fewer items, systems and judgements, and every analysis can
look at them as at any others. A column that nobody wrote down can be derived from one that is there, such as the kind
of network from the architecture.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from types import MappingProxyType
from typing import Literal, NamedTuple

import polars as pl

from hengliang.analyses.clustered import FACTOR_TITLES
from hengliang.analyses.observations import observations, parts_of
from hengliang.analyses.outcomes import level_name
from hengliang.core import terms
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.judging import CONTROL, UNSETTLED
from hengliang.core.records import Attribute, attribute_names
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual, both
from hengliang.statistics.results import listed

Levels = Attribute | Sequence[Attribute]
"""One level of a column, or several."""

Where = Mapping[str, Levels]
"""Columns and the levels of each that are meant."""

Derived = Mapping[str, Mapping[str, Mapping[str, str]]]
"""`{new: {old: {level: new level}}}`; what `new` holds already stays, and levels that are not named stay empty."""

OpenTies = Literal["half", "left out", "failure"]
"""A tie that no coin has settled counts half, is left out, or is the failure that it is by the letter."""

TRIAL = "trial"

_COLUMN_TITLES: Mapping[str, Bilingual] = {
    **FACTOR_TITLES,
    "architecture": Bilingual("Architecture", "架构"),
    "parameterisation": Bilingual("Network", "网络类型"),
    "structured": Bilingual("Structure", "结构监督"),
    "data": Bilingual("Training data", "训练数据"),
    "trees": Bilingual("Trees", "训练树"),
    TRIAL: Bilingual("Trial", "第几次训练"),
}
_LEVEL_TITLES: Mapping[str, Bilingual] = {
    "recurrent": Bilingual("recurrent", "循环网络"),
    "transformer": Bilingual("transformer", "Transformer"),
    "given": Bilingual("given", "原有的树"),
    "right-branching": Bilingual("right-branching", "右分支树"),
    "shuffled": Bilingual("shuffled", "打乱的树"),
}

_OF_SYSTEMS = {"system": "name", "model": "name", "seed": "seed"}
_OF_ITEMS = ("set", "material", "condition")
_EMPTY = Bilingual("all", "全部")


class Place(NamedTuple):
    """The table of a run that holds a column, and what the column is called there."""

    table: str
    column: str


def column_titles() -> Mapping[str, Bilingual]:
    """Return what columns are called in a report, those of all subjects included."""
    return {**terms.factor_titles(), **_COLUMN_TITLES}


def level_titles() -> Mapping[str, Bilingual]:
    """Return what levels are called in a report, whatever their column, those of all subjects included."""
    return {**terms.level_titles(), **_LEVEL_TITLES}


def find_column(tables: Tables, name: str) -> Place:
    """Return where a column of the observations comes from; a name that means two things is refused."""
    attributes = [*_OF_ITEMS, *attribute_names(tables.items)]
    traits = [column for column in tables.systems.columns if column not in {"name", "seed"}]
    if name in _OF_SYSTEMS:
        return Place("systems", _OF_SYSTEMS[name])
    if name == "part":
        return Place("judgements", "part")
    if name in attributes and name in traits:
        raise UserError(
            f"'{name}' is an attribute of items and a trait of systems.", remedy="Rename the attribute or the trait."
        )
    if name not in {*attributes, *traits}:
        raise unknown_name("column", name, [*_OF_SYSTEMS, "part", *attributes, *traits])
    return Place("items" if name in attributes else "systems", name)


def named_levels(levels: Levels) -> tuple[Attribute, ...]:
    """Return levels as a tuple, whether one is given or several."""
    return tuple(levels) if isinstance(levels, list | tuple | set | frozenset) else (levels,)  # type: ignore[return-value]


def of_materials(where: Where) -> Bilingual:
    """Return what a name ends in when an analysis looks at some materials only, so that two can stand together."""
    if "material" not in where:
        return both("")
    known = level_titles()
    titles = [known.get(str(name), both(str(name))) for name in named_levels(where["material"])]
    return Bilingual(f" ({', '.join(title.en for title in titles)})", f"（{'、'.join(title.zh for title in titles)}）")


def levels_in_order(tables: Tables, name: str) -> list[object]:
    """Return the levels of a column as they first appear in their table."""
    table, column = find_column(tables, name)
    frame: pl.DataFrame = getattr(tables, table)
    if table == "judgements":
        return frame[column].unique().sort().to_list()
    return frame[column].unique(maintain_order=True).to_list()


# --- restriction to levels --------------------------------------------------------------------------------------------


def restricted(
    tables: Tables, measure: str, where: Where = MappingProxyType({}), without: Where = MappingProxyType({})
) -> Tables:
    """Return the run with only the items, systems and judgements that satisfy `where` and are not `without`.

    A level is named as it is (`True`, `"CTB"`) or as tables write it (`"yes"`). A set that is judged as a whole cannot
    be cut.
    """
    for name, levels in where.items():
        tables = _kept(tables, measure, name, _known(tables, name, named_levels(levels), strict=True))
    for name, levels in without.items():
        dropped = _known(tables, name, named_levels(levels), strict=False)
        kept = [level for level in levels_in_order(tables, name) if level not in dropped]
        tables = _kept(tables, measure, name, kept)
    return tables


def _known(tables: Tables, name: str, wanted: Sequence[Attribute], *, strict: bool) -> list[object]:
    known = {level_name(level): level for level in levels_in_order(tables, name)}
    texts = [level_name(level) for level in wanted]
    for text in texts:
        if strict and text not in known:
            raise unknown_name(f"level of '{name}'", text, known)
    return [known[text] for text in texts if text in known]


def _kept(tables: Tables, measure: str, name: str, levels: Sequence[object]) -> Tables:
    table, column = find_column(tables, name)
    chosen = pl.col(column).is_in([level for level in levels if level is not None])
    chosen = chosen.fill_null(None in levels)
    if table == "judgements":
        return replace(tables, judgements=tables.judgements.filter((pl.col("measure") != measure) | chosen))
    if table == "systems":
        return _consistent(tables, tables.items, tables.systems.filter(chosen))
    items = tables.items.filter(chosen)
    _refuse_cut_sets(tables, measure, name, items)
    return _consistent(tables, items, tables.systems)


def _refuse_cut_sets(tables: Tables, measure: str, name: str, items: pl.DataFrame) -> None:
    others = tables.items.join(items, on="id", how="anti")
    judged = tables.judgements.filter(pl.col("measure") == measure).select(set="about")
    cut = items.join(others, on="set", how="semi").join(judged, on="set", how="semi").sort("set")
    if cut.height:
        raise UserError(
            f"The attribute '{name}' differs within the set '{cut['set'][0]}', and '{measure}' judges whole sets.",
            valid="Attributes that all items of a set share.",
        )


def _consistent(tables: Tables, items: pl.DataFrame, systems: pl.DataFrame) -> Tables:
    """Return the run without the answers and judgements that belong to items and systems that are gone."""
    gone = tables.systems.join(systems, on=["name", "seed"], how="anti", nulls_equal=True)
    responses = {
        kind: frame.join(items.select(item="id"), on="item", how="semi").join(
            gone.select("seed", system="name"), on=["system", "seed"], how="anti", nulls_equal=True
        )
        for kind, frame in tables.responses.items()
    }
    # What a judgement is about that is in no table at all stays, so that it is found and reported as the mistake it is.
    about = _subjects(tables) - _subjects(replace(tables, items=items, responses=responses))
    names = _names(gone) - _names(systems)
    judgements = tables.judgements.filter(
        ~pl.col("about").is_in(list(about)) & ~pl.col("scored_system").is_in(list(names))
    )
    return Tables(items, systems, responses, judgements)


def _subjects(tables: Tables) -> set[str]:
    return set(chain(tables.items["set"], *(frame["id"] for frame in tables.responses.values())))


def _names(systems: pl.DataFrame) -> set[str]:
    """Return what judgements call these systems: by name, and with the seed."""
    seeded = systems.drop_nulls("seed").select(pl.format("{} (seed {})", "name", "seed")).to_series()
    return {*systems["name"], *seeded}


# --- derived columns --------------------------------------------------------------------------------------------------


def with_derived(tables: Tables, derived: Derived) -> Tables:
    """Return the run with derived columns, beside the columns from which they follow."""
    for name, sources in derived.items():
        if len(sources) != 1:
            raise UserError(
                f"'{name}' is derived from {len(sources)} columns.", valid="{new: {old: {level: new level}}}, one old."
            )
        ((source, mapping),) = sources.items()
        table, column = find_column(tables, source)
        if table == "judgements":
            raise UserError(f"'{name}' cannot be derived from '{source}'.", valid="An attribute or a trait.")
        texts = {level: mapping.get(level_name(level)) for level in levels_in_order(tables, source)}
        frame: pl.DataFrame = getattr(tables, table)
        values = pl.Series(name, [texts[level] for level in frame[column]], dtype=pl.String)
        if name in frame.columns:
            stated = frame[name].cast(pl.String)
            values = stated.set(stated == "", None).fill_null(values)
        tables = _with_table(tables, table, frame.with_columns(values.alias(name)))
    return tables


def with_trials(tables: Tables) -> Tables:
    """Return the run with the trait `trial`: the place of each seed among those of its system, from 1.

    Seeds are names: the seeds 0 and 2 of one system and 0 and 1 of another are the first and second trial of each. A
    system without a seed has one trial. A study that has a column of this name keeps its own.
    """
    if TRIAL in {*tables.items.columns, *tables.systems.columns}:
        return tables
    trial = pl.col("seed").rank("dense").over("name").fill_null(1).cast(pl.Int64).cast(pl.String)
    return replace(tables, systems=tables.systems.with_columns(trial.alias(TRIAL)))


def with_values(
    tables: Tables, name: str, columns: Mapping[str, Mapping[object, object]], dtype: pl.DataType
) -> Tables:
    """Return the run with columns that follow from the levels of `name`, in the table that holds it."""
    table, column = find_column(tables, name)
    frame: pl.DataFrame = getattr(tables, table)
    added = [
        pl.Series(new, [values.get(level) for level in frame[column]], dtype=dtype) for new, values in columns.items()
    ]
    return _with_table(tables, table, frame.with_columns(added))


def _with_table(tables: Tables, table: str, frame: pl.DataFrame) -> Tables:
    return replace(tables, items=frame) if table == "items" else replace(tables, systems=frame)


# --- ties that no coin has settled ------------------------------------------------------------------------------------


def with_open_ties(tables: Tables, measure: str, ties: OpenTies) -> Tables:
    """Return the run with ties that no coin has settled as 0.5 or without a value; failures stay as they are."""
    if ties == "failure":
        return tables
    tied = (pl.col("measure") == measure) & (pl.col("label").fill_null("") == UNSETTLED)
    value = pl.when(tied).then(pl.lit(0.5 if ties == "half" else None, dtype=pl.Float64)).otherwise("value")
    return replace(tables, judgements=tables.judgements.with_columns(value=value))


def count_open_ties(tables: Tables, measure: str, parts: Sequence[str]) -> tuple[int, int]:
    """Return how many judgements of these parts are ties that no coin has settled, and how many there are in all."""
    judgements = tables.judgements.filter(pl.col("measure") == measure, pl.col("part").is_in(list(parts)))
    return judgements.filter(pl.col("label") == UNSETTLED).height, judgements.height


def ties_sentence(count: int, n: int, ties: OpenTies) -> Bilingual:
    """Say how many observations are ties and what became of them."""
    how = {
        "half": Bilingual("count half", "按一半计"),
        "left out": Bilingual("are left out, for they have no side", "因无胜负而未计入"),
        "failure": Bilingual("count as failures", "按不成立计"),
    }[ties]
    return Bilingual(
        f"{count} of {n} observations are ties and {how.en}.", f"{n} 个观测中有 {count} 个为平局，{how.zh}。"
    )


# --- groups of observations -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """One part of a run: the levels that it has in common, and its tables."""

    levels: Mapping[str, str]
    tables: Tables

    @property
    def label(self) -> Bilingual:
        """What the group is called in a sentence."""
        known = level_titles()
        titles = [known.get(level, both(level)) for level in self.levels.values()]
        if not titles:
            return _EMPTY
        return Bilingual(", ".join(title.en for title in titles), "，".join(title.zh for title in titles))

    @property
    def key(self) -> str:
        """What the group is called in a list of tests."""
        return " · ".join(self.levels.values()) or _EMPTY.en


@dataclass(frozen=True, slots=True, eq=False)
class Grouped:
    """The groups of a run, in the order of systems and items, and what is said of observations that are in none."""

    groups: tuple[Group, ...]
    remarks: tuple[Bilingual, ...] = ()


def grouped(tables: Tables, measure: str, by: Sequence[str], parts: Sequence[str] = ()) -> Grouped:
    """Divide a run by the levels of columns; only combinations of which something was judged are groups."""
    rows = observations(tables, measure, columns=list(by), parts=parts)
    if not by:
        return Grouped((Group({}, tables),))
    remarks = [_left_out(rows, name) for name in by if rows[name].null_count()]
    combinations = set(rows.drop_nulls(list(by)).select(by).iter_rows())
    if not combinations:
        raise UserError(
            f"No observation of '{measure}' is in a group by {', '.join(by)}: a column is empty in every row.",
            valid="Columns that are filled in for some systems and items.",
        )
    ranks = [{level_name(level): index for index, level in enumerate(levels_in_order(tables, name))} for name in by]
    named = {tuple(level_name(level) for level in combination) for combination in combinations}
    ordered = sorted(
        named, key=lambda levels: tuple(rank.get(level, -1) for rank, level in zip(ranks, levels, strict=True))
    )
    return Grouped(
        tuple(
            Group(levels, restricted(tables, measure, levels))
            for levels in (dict(zip(by, combination_levels, strict=True)) for combination_levels in ordered)
        ),
        tuple(remarks),
    )


def _left_out(rows: pl.DataFrame, name: str) -> Bilingual:
    empty = rows.filter(pl.col(name).is_null())
    whole = set(empty["system"].drop_nulls()) - set(rows.drop_nulls(name)["system"].drop_nulls())
    names = listed(sorted(map(str, whole)))
    named_systems = Bilingual(f" ({names.en})", f"（{names.zh}）") if whole else both("")
    return Bilingual(
        f"{empty.height} of {rows.height} observations{named_systems.en} are in no group: '{name}' is empty there.",
        f"{rows.height} 个观测中有 {empty.height} 个{named_systems.zh}不属于任何组：其“{name}”为空。",
    )


def counting_parts(tables: Tables, measure: str, named: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the parts of a measure that are named, else all that are not controls."""
    if named:
        return tuple(named)
    counting = tuple(part for part in parts_of(tables, measure) if not part.startswith(CONTROL))
    if not counting:
        raise UserError(
            f"All parts of '{measure}' are controls.", remedy="Name one: part=…, or a suite with a line `predict`."
        )
    return counting


def as_names(names: str | Iterable[str]) -> tuple[str, ...]:
    """Return names as a tuple, whether one is given or several."""
    return ((names,) if names else ()) if isinstance(names, str) else tuple(names)
