"""Base classes of the four stages: Material, System, Measure and Analysis, one abstract method each.

A study puts the items of materials to systems, lets measures judge the responses, and lets analyses estimate what
follows. Whatever somebody adds to a stage derives from its class here. Besides the abstract method each class has a
signature, by default that of its constructor, and a conformance kit that tries its promises.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import ClassVar, Literal, NamedTuple, Self

import polars as pl

from hengliang.core.closure import outside_signatures
from hengliang.core.conformance import Finding, analysis_promises, examine, general_promises, measure_promises
from hengliang.core.errors import UserError
from hengliang.core.progress import Watcher
from hengliang.core.records import CONTENT_TYPES, RESPONSE_KINDS, Attribute, JudgeKind, ResponseKind, check_items
from hengliang.core.runs import Tables
from hengliang.core.signature import Signature, constructor_signature
from hengliang.core.terms import Bilingual
from hengliang.core.views import View

# --- materials --------------------------------------------------------------------------------------------------------


class Material(ABC):
    """A source of items: one method, which returns them all as one table, the same each time."""

    role: ClassVar[str] = "material"
    name: str = ""
    title: Bilingual = Bilingual("", "")
    licence: str = "unclear"
    citation: str = ""

    @abstractmethod
    def items(self) -> pl.DataFrame:
        """Return the item table (`hengliang.core.records.ITEM_SCHEMA` and attribute columns)."""

    def signature(self) -> Signature:
        """Return all that can change the items: by default the class, its code and the constructor's arguments."""
        return constructor_signature(self)

    def facts(self, items: pl.DataFrame) -> list[tuple[Bilingual, str]]:
        """Return what a reader of the report should know about these items besides their number."""
        return []

    @outside_signatures("a conformance kit tries promises and makes no number")
    def conformance(self) -> Iterator[Finding]:
        """Try the promises of a material on itself."""

        def table_is_right() -> str:
            return "" if check_items(self.items()).height else "there are no items"

        def same_each_time() -> str:
            return "" if self.items().equals(self.items()) else "items() returns another table the second time"

        promises = [("gives a right item table", table_is_right), ("gives the same items each time", same_each_time)]
        return examine([*general_promises(self), *promises])


# --- systems ----------------------------------------------------------------------------------------------------------
# A response may depend on an item's content, spans and attributes and on what is in the system's signature, and on
# nothing else: not on the item's id, its gold answer, its place in the batch, or the other items. That is what makes
# batches, caches and several processes safe, and the conformance kits try it.


def answer_schema(kind: ResponseKind) -> dict[str, pl.DataType]:
    """Return the schema of what `System.answer` gives back."""
    return {"item": pl.String(), "content": CONTENT_TYPES[kind], "status": pl.String(), "reason": pl.String()}


class System(ABC):
    """Somebody who answers: derive from the base class of the kind (`ClassifierChooser`, …), which asks one method."""

    role: ClassVar[str] = "system"
    kind: ClassVar[ResponseKind]
    name: str = ""
    title: Bilingual = Bilingual("", "")
    seed: int | None = None
    batch_size: int = 2000
    looks_at: ClassVar[tuple[str, ...] | None] = None
    """The attributes of items on which an answer may depend; None means all. It is given no others."""

    @abstractmethod
    def answer(self, items: pl.DataFrame) -> pl.DataFrame:
        """Return one row per item (`answer_schema`), in the order of the items; the items come without their gold."""

    def prepare(self, watcher: Watcher) -> None:  # noqa: B027  # most systems are ready as they are
        """Get ready before the first batch: a system that is trained on the spot trains here."""

    def signature(self) -> Signature:
        """Return all that can change an answer: by default the class, its code and the constructor's arguments."""
        return constructor_signature(self)

    def traits(self) -> Mapping[str, Attribute]:
        """Return the properties that analyses may compare systems by (structured, data size, …)."""
        return MappingProxyType({})

    @outside_signatures("a conformance kit tries promises and makes no number")
    def conformance(self) -> Iterator[Finding]:
        """Try the promises of this kind of system on itself; the base class of the kind adds its own."""
        return examine(general_promises(self))


def check_answers(answers: pl.DataFrame, items: pl.DataFrame, system: System) -> pl.DataFrame:
    """Return the answers when there is one for each item, in order and of the right type, else say who is wrong."""
    schema = answer_schema(system.kind)
    for name, dtype in schema.items():
        if answers.schema.get(name) != dtype:
            raise UserError(
                f"The system '{system.name}' returned a table whose column '{name}' is {answers.schema.get(name)}, "
                f"not {dtype}.",
                remedy=f"Mend its method answer, then try: hengliang check {system.name}",
            )
    if answers["item"].to_list() != items["id"].to_list():
        raise UserError(
            f"The system '{system.name}' returned {answers.height} answers for {items.height} items, "
            "or not in the order of the items.",
            remedy=f"Return one row an item, in order, then try: hengliang check {system.name}",
        )
    return answers.select(list(schema))


# --- measures ---------------------------------------------------------------------------------------------------------


class Measure(ABC):
    """A judge: one method, from items and the responses to them to judgements.

    `judge` is called with whole sets: all items of a set and all responses to them are in one call, so that the
    conditions of a set can be compared.
    """

    role: ClassVar[str] = "measure"
    kinds: ClassVar[tuple[ResponseKind, ...]] = RESPONSE_KINDS
    judge_kind: JudgeKind = "machine"
    name: str = ""
    title: Bilingual = Bilingual("", "")
    simulated: bool = False
    """Whether a program made up what people are said to have judged; a report then says so on every figure."""

    @abstractmethod
    def judge(self, items: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
        """Return the judgement table (`JUDGEMENT_SCHEMA`) about these responses, all of one kind, or these sets."""

    def at_this_moment(self) -> Self:
        """Return the measure for the time of a run: one whose answers come in meanwhile reads them here, once."""
        return self

    @outside_signatures("a view shows judgements and makes none")
    def views(
        self, items: pl.DataFrame, responses: Mapping[ResponseKind, pl.DataFrame], judgements: pl.DataFrame
    ) -> Sequence[View]:
        """Return what a report shows of its judgements besides numbers (`View`); by default nothing.

        It is asked once per run, with the whole tables: all items, the responses by kind, the judgements of all
        measures.
        """
        return ()

    def signature(self) -> Signature:
        """Return all that can change a judgement: by default the class, its code and the constructor's arguments."""
        return constructor_signature(self)

    @outside_signatures("a conformance kit tries promises and makes no number")
    def conformance(self) -> Iterator[Finding]:
        """Try the promises that every measure makes."""
        return examine([*general_promises(self), *measure_promises(self)])


# --- layout of estimates ----------------------------------------------------------------------------------------------
# An analysis says by a `Layout` how its estimates become a table and a figure, and the report obeys it. The layout is a
# plain value and travels as JSON with the run.

StatisticFormat = Literal["percent", "number", "p", "integer"]
FigureKind = Literal["intervals", "bars", "none"]


@dataclass(frozen=True, slots=True)
class StatisticLabel:
    """What a statistic is called and how its values are written.

    `percent` multiplies by a hundred and says so in the heading; `p` is written as probabilities of a test are
    (`< .001`); `digits` are the decimals shown.
    """

    title: Bilingual
    format: StatisticFormat = "number"
    digits: int = 3


@dataclass(frozen=True, slots=True)
class Layout:
    """Which factors make the rows, what makes the columns, and what is drawn.

    `rows` are factors of `Estimate.by`; `columns` is `statistic` or one more factor. `factors` and `levels` are the
    titles of factors and of their levels; a name without a title is shown as it is. `figure_statistics` are the
    statistics that the figure draws; none named means all.
    """

    rows: tuple[str, ...]
    columns: str = "statistic"
    statistics: Mapping[str, StatisticLabel] = field(default_factory=dict)
    factors: Mapping[str, Bilingual] = field(default_factory=dict)
    levels: Mapping[str, Bilingual] = field(default_factory=dict)
    figure: FigureKind = "intervals"
    figure_statistics: tuple[str, ...] = ()


# --- analyses ---------------------------------------------------------------------------------------------------------


class Conclusion(NamedTuple):
    """What an analysis found: the estimate table, and the same in words, as a results section would say it."""

    estimates: pl.DataFrame
    sentences: tuple[Bilingual, ...] = ()


class Analysis(ABC):
    """One method, from the tables of a run to estimates. A value that can be printed, compared and recorded."""

    role: ClassVar[str] = "analysis"
    name: str = ""
    title: Bilingual = Bilingual("", "")
    explanation: Bilingual = Bilingual("", "")

    @abstractmethod
    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the estimate table (`ESTIMATE_SCHEMA`); the run adds its own part to each row's signature."""

    @abstractmethod
    def layout(self) -> Layout:
        """Return how a report lays out these estimates as a table and a figure."""

    def sentences(self, estimates: pl.DataFrame) -> Sequence[Bilingual]:
        """Return what the estimates say in words, for the report; by default nothing."""
        return ()

    def conclude(self, tables: Tables) -> Conclusion:
        """Return estimates and sentences together; an analysis whose sentences say more than its estimates gives both.

        The run keeps what this method returns.
        """
        estimates = self.estimate(tables)
        return Conclusion(estimates, tuple(self.sentences(estimates)))

    @outside_signatures("a view shows estimates and makes none")
    def views(self, tables: Tables, estimates: pl.DataFrame) -> Sequence[View]:
        """Return what a report shows besides these estimates and their layout (`View`); by default nothing.

        It is asked once per run, with the tables of the run and the analysis's own rows of the estimates.
        """
        return ()

    def signature(self) -> Signature:
        """Return all that can change an estimate: by default the class, its code and the constructor's arguments."""
        return constructor_signature(self)

    @outside_signatures("a conformance kit tries promises and makes no number")
    def conformance(self) -> Iterator[Finding]:
        """Try the promises that every analysis makes."""
        return examine([*general_promises(self), *analysis_promises(self)])
