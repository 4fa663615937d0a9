"""Conformance kit of taggers: their promises, tried one by one.

The kit puts sentences of our own making to the tagger, ordinary and awkward ones, and tries one promise at a time. Ours
and a user's own taggers run it alike: `hengliang check NAME`.
"""

from __future__ import annotations

from functools import partial

from hengliang.core.base_classes import check_answers
from hengliang.core.conformance import Promise
from hengliang.core.labelling.spans import ORDINARY, Labelled, SpanKit, shown
from hengliang.core.labelling.taggers import Tagger
from hengliang.core.records import Item, items_frame
from hengliang.core.text.characters import utf8


def tagger_promises(tagger: Tagger) -> list[Promise]:
    """Return what every tagger promises; `hengliang.core.conformance.examine` tries it."""
    kit = SpanKit(tagger, "tag")
    return [
        ("tags ordinary sentences", partial(_silent, kit)),
        *kit.promises(),
        ("words follow each other and cover the text", kit.each(_gap)),
        ("white space belongs to the word after it", kit.each(_loose_space)),
        ("every word has a tag", kit.each(_untagged)),
        ("answers as it tags, and does not look at the ids of items", partial(_other_answer, tagger, kit)),
    ]


def _silent(kit: SpanKit) -> str:
    for row, text in enumerate(ORDINARY):
        if kit.spans.problems[row] or not kit.spans.of(row):
            return f"{shown(text)}: {kit.spans.problems[row] or 'no words'}"
    return ""


def _gap(text: str, words: list[Labelled]) -> str:
    if not words:
        return ""  # a text with a problem, or one of white space, has none
    last_end = 0
    for start, end, _ in words:
        if start != last_end:
            return f"a word starts at byte {start}, where {last_end} was expected"
        last_end = end
    size = len(utf8(text))
    return f"the words end at byte {last_end} of {size}" if last_end != size else ""


def _loose_space(text: str, words: list[Labelled]) -> str:
    raw = utf8(text)
    for start, end, _ in words:
        word = raw[start:end].decode(errors="replace")
        if not word.strip():
            return f"the word {word!r} is white space"
        if word != word.rstrip() and end != len(raw):
            return f"the word {word!r} ends with white space"
    return ""


def _untagged(text: str, words: list[Labelled]) -> str:
    raw = utf8(text)
    bare = [raw[start:end].decode(errors="replace") for start, end, tag in words if not tag.strip()]
    return f"the word {bare[0]!r} has no tag" if bare else ""


def _other_answer(tagger: Tagger, kit: SpanKit) -> str:
    for prefix in ("text", "other"):
        items = items_frame(
            Item(f"{prefix}-{row}", f"{prefix}-{row}", "conformance", "", text) for row, text in enumerate(ORDINARY)
        )
        answers = check_answers(tagger.answer(items), items, tagger)
        for row, content in enumerate(answers["content"].to_list()):
            words = [(word["start"], word["end"], word["tag"]) for word in content or []]
            if words != kit.spans.of(row):
                return f"{shown(ORDINARY[row])}: {words} instead of {kit.spans.of(row)}"
    return ""
