"""In which scenes did people use a vague quantifier, and of how many things?

Every expression with a vague quantifier that the grammar has read is a use, whether or not the rest of its description
could be read: of the x things that it is about, y were called so. An expression about things that are not in the scene
is a mistake of the speaker or of the grammar and no use; so is one that is said of none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from hengliang.materials.quantified_expressions import Expression, counting
from hengliang.materials.quantifiers import quantifier
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.materials.scenes import Scene, read_scene
from hengliang.materials.vague_fitting import USE_SCHEMA, fit_meanings, meanings_json
from hengliang.systems.readers.parsing import Parse, parse_description

SOURCE = "QTUNA: Chen et al. (2019), uses in descriptions of 30 scenes of 4, 9 and 20 things"


def vague_uses(frame: pl.DataFrame, parses: Sequence[Parse], domain: Domain = DEFAULT_DOMAIN) -> pl.DataFrame:
    """Return the uses of vague quantifiers in parsed descriptions: word, size, subject, scene, x and y."""
    rows = []
    columns = frame.select("subject", "scene", "scene_size").iter_rows()
    for (subject, code, size), parse in zip(columns, parses, strict=True):
        scene = read_scene(code, domain)
        for expression in parse.expressions:
            x, y = numbers_of(expression, scene)
            if quantifier(expression.quantifier).vague and y:
                rows.append((expression.quantifier, size, subject, code, x, y))
    return pl.DataFrame(rows, schema=USE_SCHEMA, orient="row")


def numbers_of(expression: Expression, scene: Scene) -> tuple[int, int]:
    """Return of how many things of a scene an expression speaks, and how many of them are as it says."""
    seen = counting(expression, scene.domain)
    return scene.number_of(seen.x), scene.number_of(seen.y)


def fitted_to_corpus(frame: pl.DataFrame, source: str = SOURCE) -> dict[str, Any]:
    """Return what the program ships as the meanings of vague quantifiers, fitted to a table of descriptions."""
    held = frame.sort("description_id")
    parses = [parse_description(text) for text in held["text"]]
    uses = vague_uses(held, parses)
    return meanings_json(fit_meanings(uses, sorted(held["scene_size"].unique().to_list())), source)
