"""Which small diagnostic set and answers do the tests of tagging scores share?

The sentences are our own; the target of each stands in brackets. What a tagger gave is written as tagged words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from hengliang import Item, Response, Span, Tables
from hengliang.core import TaggedWord, items_frame, responses_frame, utf8, with_response_ids
from hengliang.tagging import TaggingItemMeasure, gold_spans

# The item, the gold of the target, and the sentence with its target in brackets.
SENTENCES: Sequence[tuple[str, str, str]] = (
    ("p+r:d", "就/p 此/r", "他[就此]离开"),
    ("p+r:d", "就/p 此/r", "我们[就此]谈谈"),
    ("n:v", "报告/n", "他写[报告]"),
    ("n:v", "报告/n", "他听[报告]"),
    ("n:v", "建议/n", "他听[建议]"),
    ("v:a", "满/v", "水[满]了"),
)
TAGGED: Mapping[str, Sequence[str | None]] = {
    # Correct, Wrong; Correct, Record (another tag), Wrong; Record (over the edge).
    "ONE": (
        "他/r 就/p 此/r 离开/v", "我们/r 就此/d 谈谈/v", "他/r 写/v 报告/n", "他/r 听/v 报告/vn", "他/r 听/v 建议/v",
        "水满/n 了/u",
    ),
    # Record (another cut), failed; Correct, Correct, Correct; Wrong.
    "TWO": (
        "他就/r 此/r 离开/v", None, "他/r 写/v 报告/n", "他/r 听/v 报告/n", "他/r 听/v 建议/n", "水/n 满/a 了/u",
    ),
}  # fmt: skip
LABELS: Mapping[str, Sequence[str | None]] = {
    "ONE": ("Correct", "Wrong", "Correct", "Record", "Wrong", "Record"),
    "TWO": ("Record", None, "Correct", "Correct", "Correct", "Wrong"),
}


def diagnostic_items(sentences: Sequence[tuple[str, str, str]] = SENTENCES) -> pl.DataFrame:
    """Return the items of sentences that are given as pair, gold and sentence; equal sentences are one cluster."""
    rows = []
    for number, (pair, gold, marked) in enumerate(sentences):
        before, _, rest = marked.partition("[")
        target, _, after = rest.partition("]")
        start = len(utf8(before))
        span = Span("target", start, start + len(utf8(target)))
        content = before + target + after
        gold_tags, wrong_tags = pair.split(":")
        attributes = {"pair": pair, "word": target, "gold_tags": gold_tags, "wrong_tags": wrong_tags}
        attributes |= {"cluster": content, "block": f"b{number % 2}"}
        rows.append(
            Item(f"i{number}", pair, "tagging_items", target, content, (span,), gold, attributes=attributes)
        )  # fmt: skip
    return items_frame(rows)


def tagging(item: str, system: str, tagged: str | None, seed: int | None = None) -> Response:
    """Return a tagged sentence, or one on which the tagger failed."""
    if tagged is None:
        return Response("", item, system, seed, "", "tagging", None, "failed", "it broke down")
    words = tuple(TaggedWord(*span) for span in gold_spans(tagged))
    return Response("", item, system, seed, "", "tagging", words)


def tagging_frame(rows: Sequence[Response]) -> pl.DataFrame:
    """Return the response table."""
    return with_response_ids(responses_frame(rows, "tagging"), "tagging")


def diagnostic_tables(
    sentences: Sequence[tuple[str, str, str]] = SENTENCES,
    tagged: Mapping[str, Sequence[str | None]] = TAGGED,
    tags: Mapping[str, str] | None = None,
) -> Tables:
    """Return the judged tables of a run; `tags` are those that a system can give."""
    items = diagnostic_items(sentences)
    rows = [tagging(f"i{n}", system, text) for system, texts in tagged.items() for n, text in enumerate(texts)]
    responses = tagging_frame(rows)
    schema = {"name": pl.String, "seed": pl.Int64, "tags": pl.String}
    known = tags or {}
    systems = pl.DataFrame([(name, None, known.get(name)) for name in tagged], schema=schema, orient="row")
    judged = TaggingItemMeasure().judge(items, responses)
    return Tables(items, systems, {"tagging": responses}, judged)
