"""Records of a study and their tables: items, responses, judgements and estimates.

`Item → Response → Judgement → Estimate` carry a study from what is asked to what follows. Each is a frozen record for
people and plug-ins, and a polars frame with a fixed schema between stages and on disk. Frames are the truth; records
are the typed view of a row. After the types and schemas come the ids of responses, the way from records to frames and
back, and the checks of each table.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.signature import digest

Attribute = str | int | float | bool | None
ResponseKind = Literal["label", "ranking", "text", "tagging", "units", "counts"]
JudgeKind = Literal["machine", "person", "people"]
Status = Literal["ok", "missing", "failed"]

RESPONSE_KINDS: tuple[ResponseKind, ...] = ("label", "ranking", "text", "tagging", "units", "counts")
JUDGE_KINDS: tuple[JudgeKind, ...] = ("machine", "person", "people")
STATUSES: tuple[Status, ...] = ("ok", "missing", "failed")

CORPUS = "CORPUS"
"""The system under whose name the answers of the corpus itself stand, beside those of systems proper."""


@dataclass(frozen=True, slots=True)
class Span:
    """A named stretch of an item's content, in bytes of its UTF-8; an empty region has `start == end`."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Choice:
    """One place in a ranking."""

    label: str
    probability: float


@dataclass(frozen=True, slots=True)
class TaggedWord:
    """A word as a byte span of the item's content, with its tag."""

    start: int
    end: int
    tag: str


@dataclass(frozen=True, slots=True)
class ScoredUnit:
    """A unit of a language model as a byte span, with its natural-log probabilities; EOS is zero-width."""

    start: int
    end: int
    logprob: float
    unigram_logprob: float | None


@dataclass(frozen=True, slots=True)
class Count:
    """How many of one kind of thing."""

    kind: str
    count: int


Content = str | tuple[Choice, ...] | tuple[TaggedWord, ...] | tuple[ScoredUnit, ...] | tuple[Count, ...] | None


def _no_attributes() -> Mapping[str, Attribute]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Item:
    """What is asked. Items with one `set` are judged together; `source` is the response the item was made from."""

    id: str
    set: str
    material: str
    condition: str
    content: str
    spans: tuple[Span, ...] = ()
    gold: str | None = None
    source: str = ""
    attributes: Mapping[str, Attribute] = field(default_factory=_no_attributes)


@dataclass(frozen=True, slots=True)
class Response:
    """What was answered, by a system (`respondent` empty) or by a person."""

    id: str
    item: str
    system: str
    seed: int | None
    respondent: str
    kind: ResponseKind
    content: Content
    status: Status = "ok"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge said about a response or a set; `part` names the comparison within it.

    A person judges a shared response once: `scored_system` is then empty. A machine that judges what differs between
    two systems with the same visible answer (a probability) names the system.
    """

    about: str
    scored_system: str
    measure: str
    part: str
    judge_kind: JudgeKind
    judge: str
    value: float | None = None
    label: str | None = None
    status: Status = "ok"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What follows: one number with its interval, its n, how it was made and everything that could change it."""

    analysis: str
    by: Mapping[str, str]
    statistic: str
    value: float | None
    low: float | None = None
    high: float | None = None
    df: tuple[float, ...] = ()
    p: float | None = None
    n: int | None = None
    n_missing: int | None = None
    method: str = ""
    signature: str = ""


Row = Item | Response | Judgement | Estimate

_SPANS = pl.List(pl.Struct({"name": pl.String, "start": pl.Int64, "end": pl.Int64}))

ITEM_SCHEMA: dict[str, pl.DataType] = {
    "id": pl.String(),
    "set": pl.String(),
    "material": pl.String(),
    "condition": pl.String(),
    "content": pl.String(),
    "spans": _SPANS,
    "gold": pl.String(),
    "source": pl.String(),
}

CONTENT_TYPES: dict[ResponseKind, pl.DataType] = {
    "label": pl.String(),
    "text": pl.String(),
    "ranking": pl.List(pl.Struct({"label": pl.String, "probability": pl.Float64})),
    "tagging": pl.List(pl.Struct({"start": pl.Int64, "end": pl.Int64, "tag": pl.String})),
    "units": pl.List(
        pl.Struct({"start": pl.Int64, "end": pl.Int64, "logprob": pl.Float64, "unigram_logprob": pl.Float64})
    ),
    "counts": pl.List(pl.Struct({"kind": pl.String, "count": pl.Int64})),
}

_PIECES: dict[ResponseKind, Any] = {
    "ranking": Choice,
    "tagging": TaggedWord,
    "units": ScoredUnit,
    "counts": Count,
}

JUDGEMENT_SCHEMA: dict[str, pl.DataType] = {
    "about": pl.String(),
    "scored_system": pl.String(),
    "measure": pl.String(),
    "part": pl.String(),
    "judge_kind": pl.String(),
    "judge": pl.String(),
    "value": pl.Float64(),
    "label": pl.String(),
    "status": pl.String(),
    "reason": pl.String(),
}

ESTIMATE_SCHEMA: dict[str, pl.DataType] = {
    "analysis": pl.String(),
    "by": pl.List(pl.Struct({"factor": pl.String, "level": pl.String})),
    "statistic": pl.String(),
    "value": pl.Float64(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    "df": pl.List(pl.Float64),
    "p": pl.Float64(),
    "n": pl.Int64(),
    "n_missing": pl.Int64(),
    "method": pl.String(),
    "signature": pl.String(),
}

RESERVED_ATTRIBUTES = (
    frozenset(ITEM_SCHEMA)
    | frozenset(JUDGEMENT_SCHEMA)
    | frozenset(ESTIMATE_SCHEMA)
    | {
        "item",
        "system",
        "seed",
        "respondent",
        "kind",
    }
)


def response_schema(kind: ResponseKind) -> dict[str, pl.DataType]:
    """Return the schema of the response table of one kind."""
    return {
        "id": pl.String(),
        "item": pl.String(),
        "system": pl.String(),
        "seed": pl.Int64(),
        "respondent": pl.String(),
        "kind": pl.String(),
        "content": CONTENT_TYPES[kind],
        "status": pl.String(),
        "reason": pl.String(),
    }


def attribute_names(items: pl.DataFrame) -> list[str]:
    """Return the attribute columns of an item table, in order."""
    return [name for name in items.columns if name not in ITEM_SCHEMA]


# --- ids of responses -------------------------------------------------------------------------------------------------
# Equal answers to one item share an id, so that a person judges them once.


# The bytes of a scored unit. A table of 100,000 texts of 25 units is hashed in 0.4 s, as text it took 10 s.
_UNIT = np.dtype([("start", "<i8"), ("end", "<i8"), ("logprob", "<f8"), ("unigram_logprob", "<f8")])


def shown(kind: ResponseKind, content: Content) -> str | bytes:
    """Return what a reader would see of an answer: of a ranking its first label, of everything else the whole.

    Nobody reads scored units; they are packed into bytes, an unknown number as NaN.
    """
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if kind == "ranking":
        first = content[0] if content else None
        return first.label if isinstance(first, Choice) else ""
    rows = [tuple(getattr(piece, name) for name in piece.__slots__) for piece in content]
    if kind == "units":
        numbers = [tuple(math.nan if value is None or value != value else value for value in row) for row in rows]
        return b"".join(struct.pack("<qqdd", *row) for row in numbers)
    return "\n".join("\t".join(map(str, row)) for row in rows)


def response_id(item: str, kind: ResponseKind, content: Content) -> str:
    """Return the id that all equal answers to one item share, so that a person judges them once.

    Rankings and labels with the same first choice are equal here: they look the same to a reader. What differs
    between two such systems (the probabilities) is judged with `scored_system` named.
    """
    return digest(item, shown(kind, content)) if content is not None else digest(item)


# --- records to frames and back ---------------------------------------------------------------------------------------


def items_frame(items: Iterable[Item]) -> pl.DataFrame:
    """Return the item table of the records; attributes become columns of their own."""
    rows = list(items)
    columns: dict[str, list[Any]] = {name: [getattr(row, name) for row in rows] for name in ITEM_SCHEMA}
    columns["spans"] = [[_as_dict(span) for span in row.spans] for row in rows]
    frame = pl.DataFrame(columns, schema=ITEM_SCHEMA)
    names = dict.fromkeys(name for row in rows for name in row.attributes)
    for name in names:
        frame = frame.with_columns(_attribute_column(name, [row.attributes.get(name) for row in rows]))
    return check_items(frame)


def _attribute_column(name: str, values: list[Attribute]) -> pl.Series:
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float} and float in kinds:
        return pl.Series(name, [None if value is None else float(value) for value in values], dtype=pl.Float64)
    if len(kinds) > 1 or not kinds <= {str, int, float, bool}:
        raise UserError(
            f"The attribute '{name}' mixes {', '.join(sorted(kind.__name__ for kind in kinds))}.",
            valid="An attribute is text, a whole number, a number or yes/no, the same for all items.",
        )
    dtype = {str: pl.String, int: pl.Int64, float: pl.Float64, bool: pl.Boolean}[kinds.pop()] if kinds else pl.String
    return pl.Series(name, values, dtype=dtype)


def responses_frame(responses: Iterable[Response], kind: ResponseKind) -> pl.DataFrame:
    """Return the response table of one kind."""
    rows = list(responses)
    schema = response_schema(kind)
    columns: dict[str, list[Any]] = {name: [getattr(row, name) for row in rows] for name in schema}
    if kind in _PIECES:
        columns["content"] = [
            None if row.content is None else [_as_dict(piece) for piece in row.content] for row in rows
        ]
    return check_responses(pl.DataFrame(columns, schema=schema), kind)


def judgements_frame(judgements: Iterable[Judgement]) -> pl.DataFrame:
    """Return the judgement table of the records."""
    rows = list(judgements)
    columns = {name: [getattr(row, name) for row in rows] for name in JUDGEMENT_SCHEMA}
    return check_judgements(pl.DataFrame(columns, schema=JUDGEMENT_SCHEMA))


def estimates_frame(estimates: Iterable[Estimate]) -> pl.DataFrame:
    """Return the estimate table of the records."""
    rows = list(estimates)
    columns: dict[str, list[Any]] = {name: [getattr(row, name) for row in rows] for name in ESTIMATE_SCHEMA}
    columns["by"] = [[{"factor": factor, "level": level} for factor, level in row.by.items()] for row in rows]
    columns["df"] = [list(row.df) for row in rows]
    return pl.DataFrame(columns, schema=ESTIMATE_SCHEMA)


def item_records(frame: pl.DataFrame) -> Iterator[Item]:
    """Read an item table row by row."""
    attributes = attribute_names(frame)
    for row in frame.iter_rows(named=True):
        fields = {name: row[name] for name in ITEM_SCHEMA}
        fields["spans"] = tuple(Span(**span) for span in row["spans"])
        values = MappingProxyType({name: row[name] for name in attributes if row[name] is not None})
        yield Item(**fields, attributes=values)


def response_records(frame: pl.DataFrame) -> Iterator[Response]:
    """Read a response table row by row."""
    for row in frame.iter_rows(named=True):
        piece = _PIECES.get(row["kind"])
        if piece is not None and row["content"] is not None:
            row["content"] = tuple(piece(**fields) for fields in row["content"])
        yield Response(**row)


def judgement_records(frame: pl.DataFrame) -> Iterator[Judgement]:
    """Read a judgement table row by row."""
    for row in frame.iter_rows(named=True):
        yield Judgement(**row)


def estimate_records(frame: pl.DataFrame) -> Iterator[Estimate]:
    """Read an estimate table row by row."""
    for row in frame.iter_rows(named=True):
        row["by"] = MappingProxyType({pair["factor"]: pair["level"] for pair in row["by"]})
        row["df"] = tuple(row["df"])
        yield Estimate(**row)


def _as_dict(piece: Any) -> dict[str, Any]:
    return {name: getattr(piece, name) for name in piece.__slots__}


def with_response_ids(frame: pl.DataFrame, kind: ResponseKind) -> pl.DataFrame:
    """Fill in the `id` column of a response table from item and content."""
    visible = _shown_of_table(frame["content"], kind)
    empty = frame["content"].is_null().to_list()
    ids = [
        digest(item) if missing else digest(item, text or "")
        for item, text, missing in zip(frame["item"].to_list(), visible, empty, strict=True)
    ]
    return frame.with_columns(pl.Series("id", ids, dtype=pl.String))


def _shown_of_table(content: pl.Series, kind: ResponseKind) -> list[str | None] | list[bytes]:
    """Return what `shown` returns, for all rows together."""
    if kind == "units":
        return _packed_units(content)
    if kind == "ranking":
        content = content.list.first().struct.field("label")
    elif kind in _PIECES:
        names = _PIECES[kind].__slots__
        fields = [pl.element().struct.field(name).cast(pl.String).fill_null("None") for name in names]
        content = content.list.eval(pl.concat_str(fields, separator="\t")).list.join("\n")
    return content.to_list()


def _packed_units(content: pl.Series) -> list[bytes]:
    counts = content.list.len().fill_null(0).to_numpy()
    # An empty list would be exploded into a null.
    flat = content.filter(pl.Series(counts > 0)).explode().struct.unnest()
    packed = np.empty(flat.height, _UNIT)
    for name in flat.columns:
        packed[name] = flat[name].fill_nan(None).fill_null(math.nan) if flat[name].dtype.is_float() else flat[name]
    edges = _UNIT.itemsize * np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    raw = packed.tobytes()
    return [raw[start:end] for start, end in pairwise(edges.tolist())]


# --- checks of tables -------------------------------------------------------------------------------------------------


def check_items(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame when it is a right item table, else say what is wrong with it."""
    _check_columns(frame, ITEM_SCHEMA, "item")
    reserved = sorted(set(attribute_names(frame)) & RESERVED_ATTRIBUTES)
    if reserved:
        raise UserError(
            f"An item attribute may not be called '{reserved[0]}': the name is reserved.",
            remedy=f"Rename the attribute, for example to 'item_{reserved[0]}'.",
        )
    for name in attribute_names(frame):
        if frame.schema[name] not in {pl.String, pl.Int64, pl.Float64, pl.Boolean}:
            raise UserError(
                f"The attribute '{name}' has the type {frame.schema[name]}.",
                valid="Attributes are flat: String, Int64, Float64 or Boolean.",
            )
    twice = frame.filter(frame["id"].is_duplicated())
    if twice.height:
        raise UserError(f"Two items have the id '{twice['id'][0]}'.", valid="Item ids are unique within a study.")
    _check_spans(frame)
    return frame


def _check_spans(frame: pl.DataFrame) -> None:
    spans = frame.select("id", size=pl.col("content").str.len_bytes(), span="spans").explode("span").drop_nulls("span")
    spans = spans.unnest("span")
    wrong = spans.filter(
        (pl.col("start") < 0) | (pl.col("end") < pl.col("start")) | (pl.col("end") > pl.col("size").cast(pl.Int64))
    )
    if wrong.height:
        row = wrong.row(0, named=True)
        raise UserError(
            f"The span '{row['name']}' of item '{row['id']}' is {row['start']}–{row['end']}, "
            f"but the content has {row['size']} bytes.",
            valid="A span satisfies 0 ≤ start ≤ end ≤ size.",
        )


def check_responses(frame: pl.DataFrame, kind: ResponseKind) -> pl.DataFrame:
    """Return the frame when it is a right response table of this kind, else say what is wrong with it."""
    _check_columns(frame, response_schema(kind), f"{kind} response")
    _check_values(frame, "status", STATUSES)
    _check_values(frame, "kind", (kind,))
    check_status(frame, frame["content"].is_null(), "response", "id")
    return frame


def check_judgements(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame when it is a right judgement table, else say what is wrong with it."""
    _check_columns(frame, JUDGEMENT_SCHEMA, "judgement")
    _check_values(frame, "status", STATUSES)
    _check_values(frame, "judge_kind", JUDGE_KINDS)
    check_status(frame, frame["value"].is_null() & frame["label"].is_null(), "judgement", "about")
    return frame


def _check_columns(frame: pl.DataFrame, schema: Mapping[str, pl.DataType], what: str) -> None:
    for name, dtype in schema.items():
        if name not in frame.columns:
            raise UserError(f"The {what} table has no column '{name}'.", valid=f"Columns: {', '.join(schema)}.")
        if frame.schema[name] != dtype:
            raise UserError(f"The column '{name}' of the {what} table is {frame.schema[name]}, not {dtype}.")


def _check_values(frame: pl.DataFrame, column: str, valid: Iterable[str]) -> None:
    allowed = list(valid)
    wrong = frame.filter(~pl.col(column).is_in(allowed) | pl.col(column).is_null())
    if wrong.height:
        raise UserError(f"'{wrong[column][0]}' is no {column}.", valid=f"Valid: {', '.join(allowed)}.")


def check_status(frame: pl.DataFrame, empty: pl.Series, what: str, key: str) -> None:
    """Unscored is not zero: a row without content says so, and a row with content is `ok`."""
    wrong = frame.filter(empty == (frame["status"] == "ok"))
    if wrong.height:
        row = wrong.row(0, named=True)
        raise UserError(
            f"The {what} {row[key]} has the status '{row['status']}' "
            + ("but nothing in it." if row["status"] == "ok" else "and yet a content."),
            valid="Status 'ok' goes with a content, 'missing' and 'failed' with none and a reason.",
        )
    silent = frame.filter((pl.col("status") != "ok") & (pl.col("reason").fill_null("") == ""))
    if silent.height:
        raise UserError(f"The {what} {silent[key][0]} is '{silent['status'][0]}' without a reason.")
