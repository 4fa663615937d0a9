"""How much of what people wrote is understood, and is what is understood true of the scenes that they described?

A parser that reads a description wholly and makes of it what is false of its scene is suspect: either the writer erred,
or the reading is wrong. Both readings are looked at, since people keep to the semantic one more than to the pragmatic.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.terms import Language
from hengliang.materials.quantified_expressions import consistent
from hengliang.materials.quantifiers import READINGS, Reading
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.materials.scenes import Scene, scene_space
from hengliang.systems.readers.parsing import Parse, parse_description

Extent = Literal["whole", "partly", "none"]
EXTENTS: tuple[Extent, ...] = ("whole", "partly", "none")
SCHEMA: dict[str, pl.DataType] = {
    "size": pl.Int64(),
    "scene": pl.String(),
    "text": pl.String(),
    "extent": pl.String(),
    "expressions": pl.String(),
    "unread": pl.String(),
    "semantic": pl.Boolean(),
    "pragmatic": pl.Boolean(),
}
"""The columns of a table of parsed texts."""


def extent(parse: Parse) -> Extent:
    """Return how much of a description was understood."""
    return "whole" if parse.whole else "partly" if parse.expressions else "none"


def parsed_texts(
    texts: Sequence[str],
    scenes: Sequence[Scene],
    domain: Domain = DEFAULT_DOMAIN,
    language: Language | None = None,
) -> pl.DataFrame:
    """Return a row for each text: size, scene, text, extent, expressions, unread, and its truth by reading."""
    if len(texts) != len(scenes):
        raise UserError(f"{len(texts)} texts cannot describe {len(scenes)} scenes.", valid="One scene for each text.")
    rows: list[dict[str, object]] = []
    for text, scene in zip(texts, scenes, strict=True):
        parse = parse_description(text, domain, language)
        rows.append(
            {
                "size": scene.size,
                "scene": scene.code,
                "text": text,
                "extent": extent(parse),
                "expressions": "; ".join(map(str, parse.expressions)),
                "unread": " | ".join(parse.unread),
                "semantic": _truth(parse, scene, "semantic"),
                "pragmatic": _truth(parse, scene, "pragmatic"),
            }
        )
    return pl.DataFrame(rows, SCHEMA)


def _truth(parse: Parse, scene: Scene, reading: Reading) -> bool | None:
    if not parse.whole:
        return None
    space = scene_space(scene.domain, scene.size)
    return bool(consistent(parse.expressions, space, reading) & space.bit(scene))


def parse_coverage(
    texts: Sequence[str],
    scenes: Sequence[Scene],
    domain: Domain = DEFAULT_DOMAIN,
    language: Language | None = None,
) -> pl.DataFrame:
    """Return a row for each size of scene: how many texts, which shares are read wholly, partly, not at all.

    `semantic` and `pragmatic` are the shares of what is read wholly that are true of their scene in that reading.
    """
    rows = parsed_texts(texts, scenes, domain, language)
    shares = [(pl.col("extent") == one).mean().alias(one) for one in EXTENTS]
    truths = [pl.col(reading).mean() for reading in READINGS]
    return rows.group_by("size").agg(pl.len().cast(pl.Int64).alias("texts"), *shares, *truths).sort("size")
