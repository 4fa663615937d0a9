"""What can be counted in a description: its length, its vague words, and what remains possible after it?

One row a description. What depends on the grammar is counted from the parse: `whole` says that nothing was left
unread. Where something was, the expressions that were read are all the same used, and whoever averages decides about
them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import polars as pl

from hengliang.analysis.descriptions.vagueness import WIDTHS, has_vague_word, vague_quantifiers
from hengliang.materials.quantified_expressions import Description, Expression
from hengliang.materials.quantified_properties import Property
from hengliang.materials.quantifiers import READINGS, quantifier
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.materials.scenes import Scene, read_scene
from hengliang.systems.readers.completeness import completeness
from hengliang.systems.readers.parsing import Parse, parse_description

_WORD = re.compile(r"[\u3400-\u9fff]|[^\W_]+(?:['’\-][^\W_]+)*")


def number_of_words(text: str) -> int:
    """Return how many words a text has; a hyphen or an apostrophe joins, a Chinese character counts as a word.

    >>> number_of_words("They're all red: 3 circles.")
    5
    """
    return len(_WORD.findall(text))


def parse_all(frame: pl.DataFrame, domain: Domain = DEFAULT_DOMAIN) -> list[Parse]:
    """Return what the grammar makes of each description of a table; equal texts are parsed once."""
    known: dict[str, Parse] = {}
    for text in frame["text"].unique(maintain_order=True):
        known[text] = parse_description(text, domain)
    return [known[text] for text in frame["text"]]


def observe(frame: pl.DataFrame, parses: Sequence[Parse], domain: Domain = DEFAULT_DOMAIN) -> pl.DataFrame:
    """Return the descriptions of a table with everything that is counted in them.

    `words`, `characters` (without spaces), `vague_word_WIDTH` (in the text); from the parse `read` (something was),
    `whole`, `expressions`, `vague_WIDTH` (how many of them are vague); and for each reading `left_READING` (how many
    scenes are consistent), `complete_READING` (one), `holds_READING` (the scene that was described is among them) and
    `success_READING` (it is the one).
    """
    rows = []
    for row, parse in zip(frame.iter_rows(named=True), parses, strict=True):
        kept = {name: row[name] for name in ("description_id", "subject", "scene_number", "scene_size", "scene")}
        rows.append(
            {
                **kept,
                "scene_key": f"{row['scene_size']}-{row['scene_number']}",
                **counts_in_text(row["text"]),
                "whole": parse.whole,
                **counts_in_forms(parse.expressions, read_scene(row["scene"], domain)),
            }
        )
    return pl.DataFrame(rows, infer_schema_length=None)


def counts_in_text(text: str) -> dict[str, Any]:
    """Return what is counted in the words of a description."""
    return {
        "words": number_of_words(text),
        "characters": len("".join(text.split())),
        **{f"vague_word_{width}": has_vague_word(text, width) for width in WIDTHS},
    }


def counts_in_forms(expressions: Description, scene: Scene) -> dict[str, Any]:
    """Return what is counted in the logical forms of a description of a scene."""
    found: dict[str, Any] = {"read": bool(expressions), "expressions": len(expressions)}
    for width in WIDTHS:
        found[f"vague_{width}"] = sum(one.quantifier in vague_quantifiers(width) for one in expressions)
    for reading in READINGS:
        one = completeness(expressions, scene, reading)
        found[f"left_{reading}"] = one.left
        found[f"complete_{reading}"] = one.complete
        found[f"holds_{reading}"] = one.true
        found[f"success_{reading}"] = one.complete_and_true
    return found


# --- which attribute stands where -----------------------------------------------------------------------------------


def attributes_in(held: Property, domain: Domain) -> frozenset[str]:
    """Return which attributes a property names: none for an object, shape and colour for a blue square."""
    return frozenset(domain.attributes[domain.attribute_of[value]].name for term in held.terms for value in term)


def places(frame: pl.DataFrame, parses: Sequence[Parse], domain: Domain = DEFAULT_DOMAIN) -> pl.DataFrame:
    """Return one row for each expression with two argument places: which attributes stand in the first and second.

    Comparisons (*more squares than circles*) have two subjects and no predicate, and statements of kinds one place:
    both are left out. `first_shape` says of a first place that names one sort of attribute whether it is the noun's,
    `second_colour` of such a second place whether it is not; a place that names both or none has null. `shape_first` is
    null unless one place names the noun's attribute alone and the other none but others: *half of the squares are red*
    is true, *half of the red ones are squares* false. `order` also knows places that name both: 1 where the shape is in
    the first place and a colour in the second, −1 where it is the other way round, 0 where both hold (*half of the red
    squares are blue circles*), and null where neither does.
    """
    rows: list[dict[str, Any]] = []
    for row, parse in zip(frame.iter_rows(named=True), parses, strict=True):
        key = {name: row[name] for name in ("description_id", "subject", "scene_size")}
        key["scene_key"] = f"{row['scene_size']}-{row['scene_number']}"
        rows += [{**key, **_filled(one, domain)} for one in parse.expressions if _has_two_places(one)]
    schema = {
        "description_id": pl.String, "subject": pl.String, "scene_size": pl.Int64, "scene_key": pl.String,
        "quantifier": pl.String, "first_shape": pl.Boolean, "second_colour": pl.Boolean, "shape_first": pl.Boolean,
        "order": pl.Int64,
    }  # fmt: skip
    return pl.DataFrame(rows, schema=schema)


def _has_two_places(expression: Expression) -> bool:
    return quantifier(expression.quantifier).form in {"proportion", "only"}


def _filled(expression: Expression, domain: Domain) -> dict[str, Any]:
    noun = domain.noun.name if domain.noun else ""
    first, second = (attributes_in(held, domain) for held in (expression.first, expression.second))
    forwards = noun in first and bool(second - {noun})
    backwards = noun in second and bool(first - {noun})
    shape_at_first, shape_at_second = _shape_alone(first, noun), _shape_alone(second, noun)
    opposite = {shape_at_first, shape_at_second} == {True, False}
    return {
        "quantifier": expression.quantifier,
        "first_shape": shape_at_first,
        "second_colour": None if shape_at_second is None else not shape_at_second,
        "shape_first": shape_at_first if opposite else None,
        "order": forwards - backwards if forwards or backwards else None,
    }


def _shape_alone(named: frozenset[str], noun: str) -> bool | None:
    """Return whether what is named is the shape (or something else); nothing when it is both or there is nothing."""
    if not named or (noun in named and len(named) > 1):
        return None
    return noun in named
