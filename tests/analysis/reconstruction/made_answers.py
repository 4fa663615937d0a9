"""Which answers of invented readers have the statistics that paper 001 prints?

The paper prints no answers. These are whole numbers that give its tables: `spread_answers` has pairs whose spread is
each entry of Tables 4 and 5, `swap_answers` has as many swaps as stand behind each percentage of Tables 2 and 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path

import polars as pl

from hengliang.analysis.reconstruction.answers import Answer, Reconstructions, reconstructions
from hengliang.analysis.replication.swaps import experiment_of, swap_counts
from hengliang.materials.scenes import Scene
from hengliang.replication import published_numbers as published

PAPER = published("001")
NOBODY = [[0, 0, 0, 0]] * 4

# How far four readers are from some scene, kind by kind, so that the sum of the standard deviations is the entry. Where
# whole numbers leave a choice (6.532, 9.229, 8.639), it is made so that p of the analysis of variance is the printed
# 2.2167e-06; with the rounded entries it is 2.2154e-06.
FOUR_READERS: dict[str, list[list[int]]] = {
    "0": NOBODY,
    "1": [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [1, -1, 0, 0]],
    "1.915": [[0, 0, 0, 0], [0, 0, 0, 0], [2, 0, -2, 0], [1, 0, -1, 0]],
    "2": [[0, 0, 0, 0], [0, 0, -1, 1], [1, -1, 0, 0], [0, 0, 0, 0]],
    "2.582": [[0, 0, 0, 0], [0, -1, 0, 1], [0, 1, 0, -1], [0, -2, 0, 2]],
    "2.309": [[0, 0, 0, 0], [-1, 1, 0, 0], [0, 0, 1, -1], [-1, 1, 1, -1]],
    "6.532": [[0, 0, 0, 0], [0, 1, -3, 2], [2, 0, 0, -2], [-2, -1, 3, 0]],
    "3": [[0, 0, 0, 0], [0, 0, 2, -2], [-1, 1, 0, 0], [0, 0, 0, 0]],
    "4.435": [[0, 0, 0, 0], [4, 0, -4, 0], [-1, 0, 1, 0], [0, 0, 0, 0]],
    "2.915": [[0, 0, 0, 0], [1, 0, -2, 1], [-1, 0, 0, 1], [1, 0, 0, -1]],
    "9.229": [[0, 0, 0, 0], [2, 0, -4, 2], [0, 6, 0, -6], [0, 1, -1, 0]],
    "4.817": [[0, 0, 0, 0], [1, 0, -1, 0], [-3, 0, 2, 1], [-2, 2, -1, 1]],
    "8.639": [[0, 0, 0, 0], [1, 1, 2, -4], [0, 2, -2, 0], [-5, 0, 1, 4]],
}
SCENES = {4: (1, 1, 1, 1), 6: (2, 1, 2, 1), 9: (2, 3, 2, 2), 10: (3, 2, 3, 2), 16: (4, 4, 4, 4), 20: (5, 3, 6, 6)}
"""Scenes in which every kind is there, so that each distance above can be gone."""


def readers_of(entry: str, table: str) -> list[list[int]]:
    """Return the readers behind an entry; two readers s swaps apart have s·√2."""
    if table == "4":
        return FOUR_READERS[entry]
    apart = round(float(entry) / 2**0.5)
    return [[0, 0, 0, 0], [apart, -apart, 0, 0]]


def spread_answers(table: str) -> Iterator[Answer]:
    """Give the answers behind Table 4 or 5, pairs numbered as there, describers and 20 readers in turn."""
    columns = PAPER.columns(table)
    experiment = PAPER.tables[table]["experiment"]
    describers, readers = cycle(PAPER.facts[experiment]["models"]), cycle(range(1, 21))
    number = PAPER.tables[table]["first_id"]
    for size, entries in columns.items():
        scene = Scene(SCENES[int(size)])
        for entry in entries:
            describer = next(describers)
            for away in readers_of(entry, table):
                counts = tuple(one + other for one, other in zip(scene.counts, away, strict=True))
                yield Answer(str(number), describer, scene, f"p{next(readers)}", counts, experiment=experiment)
            number += 1


def swap_answers(table: str) -> Iterator[Answer]:
    """Give answers with as many swaps in every cell of Table 2 or 3 as its percentage stands for."""
    readers = cycle(range(1, 21))
    for describer, of_size in swap_counts(PAPER, table).items():
        for size, swaps in of_size.items():
            experiment = experiment_of(PAPER, size)
            facts = PAPER.facts[experiment]
            pairs = dict(zip(facts["sizes"], facts["scenes"], strict=True))[size]
            slots = pairs * facts["readers"]
            each, more = divmod(swaps, slots)
            for slot in range(slots):
                # The whole scene is of one kind, so that as many may be swapped as there are things.
                wrong = each + (slot < more)
                yield Answer(
                    f"{describer} {size} {slot // facts['readers']}", describer, Scene((size, 0, 0, 0)),
                    f"p{next(readers)}", (size - wrong, wrong, 0, 0), experiment=experiment,
                )  # fmt: skip


def made(*answers: Iterator[Answer]) -> Reconstructions:
    """Return all these answers."""
    return reconstructions([answer for held in answers for answer in held], source="made.csv")


def write_wide(folder: Path, held: Sequence[Answer], name: str = "answers.csv") -> Path:
    """Write answers as a wide file, with the kinds in the order of the paper."""
    rows = []
    for one in held:
        blue_square, blue_circle, red_square, red_circle = one.counts or (None,) * 4
        rows.append(
            {"experiment": one.experiment, "pair": one.pair, "describer": one.describer, "scene": one.scene.code}
            | {"size": one.scene.size, "participant": one.participant}
            | {"BS": blue_square, "RS": red_square, "BC": blue_circle, "RC": red_circle}
        )
    path = folder / name
    pl.DataFrame(rows).write_csv(path)
    return path


def scores_of(held: Reconstructions, noise: float = 0.0) -> pl.DataFrame:
    """Return scores that fall with swaps: informativity 5 − 8·share, correctness with something of its own."""
    shares = held.given.group_by("pair", maintain_order=True).agg(pl.col("share").mean())
    rows = []
    for place, (pair, share) in enumerate(shares.iter_rows()):
        wobble = ((place * 7) % 5 - 2) / 10
        rows.append({"pair": pair, "informativity": 5 - 8 * share + wobble, "correctness": 4.5 + wobble * 3 - share})
    return pl.DataFrame(rows)
