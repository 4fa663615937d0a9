"""Conformance kit of entity recognisers: their promises, tried one by one.

The kit puts sentences of our own making to the recogniser, Chinese, English and awkward ones, and tries one promise at
a time. Ours and a user's own recognisers run it alike: `hengliang check NAME`. A recogniser may have a problem with any
text; it may not fail, and may not let its neighbours pay for it.
"""

from __future__ import annotations

from functools import partial

from hengliang.core.conformance import Promise
from hengliang.core.labelling.recognisers import ENTITY_TYPES, Recogniser
from hengliang.core.labelling.spans import Labelled, SpanKit
from hengliang.core.text.characters import utf8


def recogniser_promises(recogniser: Recogniser) -> list[Promise]:
    """Return what every recogniser of entities promises; `hengliang.core.conformance.examine` tries it."""
    kit = SpanKit(recogniser, "recognise")
    return [
        ("says which of the known types it gives", partial(_unknown_types, recogniser)),
        *kit.promises(),
        ("gives no type that it does not name", kit.each(partial(_unnamed_type, recogniser))),
        ("entities begin and end with a character that is no white space", kit.each(_loose_space)),
    ]


def _unknown_types(recogniser: Recogniser) -> str:
    if not recogniser.types:
        return "it names none"
    unknown = [kind for kind in recogniser.types if kind not in ENTITY_TYPES]
    return f"'{unknown[0]}' is none of {', '.join(ENTITY_TYPES)}" if unknown else ""


def _unnamed_type(recogniser: Recogniser, text: str, entities: list[Labelled]) -> str:
    unnamed = [kind for _, _, kind in entities if kind not in recogniser.types]
    return f"'{unnamed[0]}', where it names {', '.join(recogniser.types)}" if unnamed else ""


def _loose_space(text: str, entities: list[Labelled]) -> str:
    raw = utf8(text)
    for start, end, _ in entities:
        entity = raw[start:end].decode(errors="replace")
        if entity != entity.strip():
            return f"the entity {entity!r}"
    return ""
