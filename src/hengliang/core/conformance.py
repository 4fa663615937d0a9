"""Conformance kits: the promises that materials, measures and analyses make, tried one by one.

A kit is a function from a plug-in to findings, one per promise; `hengliang check NAME` prints them. What every plug-in
promises comes first, then what measures and analyses promise besides. Both are tried on small tables of our own, never
on a user's data. The kits of systems lie with the base classes of their kinds.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.records import (
    ESTIMATE_SCHEMA,
    JUDGEMENT_SCHEMA,
    Choice,
    Content,
    Count,
    Item,
    Judgement,
    Response,
    ResponseKind,
    ScoredUnit,
    Span,
    TaggedWord,
    check_judgements,
    items_frame,
    judgements_frame,
    response_id,
    responses_frame,
)
from hengliang.core.runs import Tables
from hengliang.core.settings import from_json, to_json
from hengliang.core.signature import Signature
from hengliang.core.views import checked_views

if TYPE_CHECKING:
    from hengliang.core.base_classes import Analysis, Measure

# --- findings and general promises ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether one promise is kept; `detail` shows the counterexample when it is not."""

    promise: str
    kept: bool
    detail: str = ""


Promise = tuple[str, Callable[[], str]]
"""What is promised, and a function that returns the counterexample, or "" when the promise is kept."""


def examine(promises: Iterable[Promise]) -> Iterator[Finding]:
    """Try each promise; an exception counts as broken and is shown, and the next promise is tried all the same."""
    for promise, counterexample in promises:
        try:
            detail = counterexample()
        except UserError as error:
            detail = str(error)
        except Exception as error:  # a stranger's code may raise anything, and the kit must report it
            detail = f"{type(error).__name__}: {error}"
        yield Finding(promise, not detail, detail)


def general_promises(thing: Any) -> list[Promise]:
    """Return what every registered thing promises, whatever its role."""

    def has_name() -> str:
        name = getattr(thing, "name", None)
        return "" if isinstance(name, str) and name else f"its name is {name!r}"

    def signature_is_stable() -> str:
        first, second = thing.signature(), thing.signature()
        if not isinstance(first, Signature):
            return f"signature() returns {type(first).__name__}"
        return "" if first == second else f"{first} and then {second}"

    def survives_pickling() -> str:
        copy = pickle.loads(pickle.dumps(thing))
        return "" if copy.signature() == thing.signature() else "the copy has another signature"

    return [
        ("has a name", has_name),
        ("has the same signature each time", signature_is_stable),
        ("can be sent to a worker process", survives_pickling),
    ]


# --- promises of measures ---------------------------------------------------------------------------------------------
# The kit puts a few answers of our own, of every kind that the measure judges, before it: answered and unanswered, in
# one order and in another.

_SENTENCE = "他买了一书。"
_CONTENTS: dict[ResponseKind, tuple[Content, Content]] = {
    "label": ("本", "个"),
    "ranking": ((Choice("本", 0.75), Choice("个", 0.25)), (Choice("个", 1.0),)),
    "text": ("他买了一本书。", "他买书。"),
    "tagging": (
        (TaggedWord(0, 3, "r"), TaggedWord(3, 9, "v"), TaggedWord(9, 18, "n")),
        (TaggedWord(0, 9, "v"), TaggedWord(9, 18, "n")),
    ),
    "units": (
        (ScoredUnit(0, 9, -3.0, -8.0), ScoredUnit(9, 18, -4.5, -9.5), ScoredUnit(18, 18, -0.5, -2.0)),
        (ScoredUnit(0, 18, -9.0, -20.0), ScoredUnit(18, 18, -0.25, -2.0)),
    ),
    "counts": ((Count("BS", 2), Count("RC", 2)), (Count("BS", 4),)),
}


def sample_items() -> pl.DataFrame:
    """Return three items, two of them in one set, one without a gold answer."""
    spans = (Span("slot", 12, 12), Span("head", 12, 15))
    return items_frame(
        Item(f"sample-{number}", group, "sample", condition, _SENTENCE, spans, gold, attributes={"head": "书"})
        for number, group, condition, gold in ((1, "a", "x", "本"), (2, "a", "y", "本"), (3, "b", "x", None))
    )


def sample_responses(kind: ResponseKind) -> pl.DataFrame:
    """Return the answers of two systems to the sample items, the last of each unanswered."""
    rows: list[Response] = []
    for system, content in zip(("one", "two"), _CONTENTS[kind], strict=True):
        rows += [
            Response(response_id(item, kind, content), item, system, None, "", kind, content)
            for item in ("sample-1", "sample-2")
        ]
        nothing = response_id("sample-3", kind, None)
        rows.append(Response(nothing, "sample-3", system, None, "", kind, None, "missing", "no answer"))
    return responses_frame(rows, kind)


def measure_promises(measure: Measure) -> list[Promise]:
    """Return what every measure promises, tried on sample answers of each kind it judges."""

    def judged(kind: ResponseKind, responses: pl.DataFrame) -> pl.DataFrame:
        return measure.judge(sample_items(), responses).select(list(JUDGEMENT_SCHEMA))

    def table_is_right() -> str:
        for kind in measure.kinds:
            check_judgements(judged(kind, sample_responses(kind)))
        return ""

    def order_does_not_matter() -> str:
        for kind in measure.kinds:
            responses = sample_responses(kind)
            forwards, backwards = (
                judged(kind, frame).sort(list(JUDGEMENT_SCHEMA)) for frame in (responses, responses.reverse())
            )
            if not forwards.equals(backwards):
                return f"other judgements when the {kind} answers come in another order"
        return ""

    def unanswered_is_not_zero() -> str:
        for kind in measure.kinds:
            unanswered = sample_responses(kind).filter(pl.col("status") != "ok")
            valued = judged(kind, unanswered).filter(pl.col("value").is_not_null() | pl.col("label").is_not_null())
            if valued.height:
                return f"gives {valued['value'][0]} to a {kind} answer that is not there"
        return ""

    def nothing_gives_nothing() -> str:
        for kind in measure.kinds:
            rows = judged(kind, sample_responses(kind).head(0)).filter(pl.col("status") == "ok").height
            if rows:
                return f"makes {rows} judgements of no answers"
        return ""

    def views_can_be_shown() -> str:
        responses = {kind: sample_responses(kind) for kind in measure.kinds}
        tables = [judged(kind, frame) for kind, frame in responses.items()]
        checked_views({"the measure": measure.views(sample_items(), responses, pl.concat(tables))})
        return ""

    return [
        ("gives a right judgement table", table_is_right),
        ("does not look at the order of the answers", order_does_not_matter),
        ("gives no value to what was not answered", unanswered_is_not_zero),
        ("makes nothing out of nothing", nothing_gives_nothing),
        ("has views that a report can show", views_can_be_shown),
    ]


# --- promises of analyses ---------------------------------------------------------------------------------------------
# The kit hands it the tables of a small invented run. An analysis that needs other columns may refuse them with a
# message for the user; that is a promise kept.

_GOLDS = ("个", "本", "个", "条", "只", "个", "辆", "本")
_GIVEN = {"one": ("个",) * 8, "two": ("个", "本", "个", "条", "个", "位", "辆", "个")}


def sample_tables() -> Tables:
    """Return a run of two systems on eight items in four blocks, with a match judgement of each answer."""
    items = items_frame(
        Item(f"i{number}", f"i{number}", "sample", "", f"句{number}", (), gold, attributes={"block": number // 2})
        for number, gold in enumerate(_GOLDS)
    )
    responses, judgements = [], []
    for system, labels in _GIVEN.items():
        for number, (label, gold) in enumerate(zip(labels, _GOLDS, strict=True)):
            content = (Choice(label, 1.0),)
            about = response_id(f"i{number}", "ranking", content)
            responses.append(Response(about, f"i{number}", system, None, "", "ranking", content))
            judgements.append(Judgement(about, system, "match", "", "machine", "match", float(label == gold)))
    systems = pl.DataFrame({"name": list(_GIVEN), "seed": [None, None]}, schema={"name": pl.String, "seed": pl.Int64})
    return Tables(items, systems, {"ranking": responses_frame(responses, "ranking")}, judgements_frame(judgements))


def _reversed(tables: Tables) -> Tables:
    responses = {kind: frame.reverse() for kind, frame in tables.responses.items()}
    return Tables(tables.items.reverse(), tables.systems.reverse(), responses, tables.judgements.reverse())


def analysis_promises(analysis: Analysis) -> list[Promise]:
    """Return what every analysis promises, tried on the tables of a small run."""

    def estimated(tables: Tables) -> pl.DataFrame:
        try:
            return analysis.estimate(tables)
        except UserError:
            return pl.DataFrame(schema=ESTIMATE_SCHEMA)

    def table_is_right() -> str:
        frame = estimated(sample_tables())
        if dict(frame.schema) != ESTIMATE_SCHEMA:
            return f"its columns are {dict(frame.schema)}"
        strange = set(frame["analysis"]) - {analysis.name}
        return f"estimates call their analysis '{strange.pop()}'" if strange else ""

    def order_does_not_matter() -> str:
        forwards, backwards = estimated(sample_tables()), estimated(_reversed(sample_tables()))
        numbers = ["statistic", "value", "low", "high", "p", "n", "n_missing"]
        rows = [sorted(map(str, frame.select("by", *numbers).rows())) for frame in (forwards, backwards)]
        return "" if rows[0] == rows[1] else "other numbers when the tables come in another order"

    def numbers_are_signed() -> str:
        frame = estimated(sample_tables())
        unsigned = frame.filter((pl.col("signature").fill_null("") == "") | (pl.col("method").fill_null("") == ""))
        return f"'{unsigned['statistic'][0]}' has no signature or no method" if unsigned.height else ""

    def layout_is_right() -> str:
        layout = analysis.layout()
        return (
            ""
            if from_json(type(layout), to_json(layout), "The layout") == layout
            else "its layout does not survive JSON"
        )

    return [
        ("gives a right estimate table", table_is_right),
        ("does not look at the order of rows", order_does_not_matter),
        ("says of every number how it was made", numbers_are_signed),
        ("names its layout", layout_is_right),
    ]
