"""Which small corpora of descriptions do the tests share?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import polars as pl

from hengliang.materials.elicited_descriptions import SCHEMA
from hengliang.materials.quantified_expressions import Description, read_expression
from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.materials.scenes import read_scene
from hengliang.systems.readers.parsing import Parse


def forms(*written: str) -> Description:
    """Return logical forms from their notation."""
    return tuple(read_expression(one, DEFAULT_DOMAIN) for one in written)


def parse(*written: str, unread: Sequence[str] = ()) -> Parse:
    """Return the parse with these logical forms."""
    return Parse(forms(*written), tuple(unread))


def corpus(rows: Iterable[tuple[str, str, str]]) -> pl.DataFrame:
    """Return the table of descriptions (subject, scene, text); a scene's number is the place of its code in a size."""
    held = []
    numbers: dict[tuple[int, str], int] = {}
    for place, (subject, code, text) in enumerate(rows):
        size = read_scene(code).size
        known = [key for key in numbers if key[0] == size]
        number = numbers.setdefault((size, code), len(known) + 1)
        held.append((f"d{place:04}", subject, number, size, code, text))
    return pl.DataFrame(held, schema=SCHEMA, orient="row")


TEMPLATES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("All objects are squares and half of them are blue", ("all(object, square)", "half(square, blue)")),
    ("There are many squares", ("many(object, square)",)),
    ("Most of the blue ones are squares", ("most(blue, square)",)),
    ("Everything is blue", ("everything(object, blue)",)),
    ("Half of the squares are blue", ("half(square, blue)",)),
)
SCENES = ("BS=2 RS=2", "BS=3 BC=1", "BS=4 RS=5", "BS=6 BC=3", "BS=10 RS=10", "BS=15 BC=5")


def random_corpus(seed: int, subjects: int = 12) -> tuple[pl.DataFrame, list[Parse]]:
    """Return descriptions of six scenes of three sizes, four a subject, with their parses; every sixth is not whole."""
    generator = np.random.default_rng(seed)
    rows, parses = [], []
    for subject in range(subjects):
        size = subject % 3
        for number in range(4):
            text, written = TEMPLATES[generator.integers(len(TEMPLATES))]
            rows.append((f"s{subject:02}", SCENES[2 * size + number % 2], text))
            parses.append(parse(*written, unread=("hm",) if generator.random() < 1 / 6 else ()))
    return corpus(rows), parses
