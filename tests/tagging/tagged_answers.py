"""Which sentences and answers do the tests of mining use?"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from hengliang import Item, Response
from hengliang.core import TaggedWord, items_frame, join_words, responses_frame
from hengliang.tagging import gold_spans, read_gold


def sentences(golds: Mapping[str, str]) -> pl.DataFrame:
    """Return the items of tagged lines by id."""
    return items_frame(
        Item(name, name, "tagged_sentences", "", join_words(read_gold(gold)[0]).content, gold=gold)
        for name, gold in golds.items()
    )


def answer(item: str, tagged: str, system: str = "A") -> Response:
    """Return a tagger's answer, given as `word/tag word/tag`; an empty one has failed."""
    if not tagged:
        return Response("", item, system, None, "", "tagging", None, "failed", "the tagger crashed")
    words = tuple(TaggedWord(start, end, tag) for start, end, tag in gold_spans(tagged))
    return Response("", item, system, None, "", "tagging", words)


def answers(tagged: Mapping[str, Mapping[str, str]]) -> pl.DataFrame:
    """Return the responses of several taggers, by tagger and item."""
    return responses_frame(
        (answer(item, text, system) for system, texts in tagged.items() for item, text in texts.items()), "tagging"
    )
