"""Which answers belong to one scene, and can scenes be told from pairs and from sizes?

A scene has several descriptions, and its size is a property of the scene: answers to one scene are alike beyond what
pair and reader explain. Scenes are told by their code. Where every scene has one description, scenes are pairs; where
there is one scene of each size, nothing parts the scene from its size, and what is found speaks of these scenes only.
"""

from __future__ import annotations

import polars as pl

from hengliang.core.terms import Bilingual

ONE_OF_EACH_SIZE = Bilingual(
    "There is one scene of each size: what is due to the size cannot be told from what is due to these scenes.",
    "每种规模只有一个场景：规模的作用与这些场景本身的作用无法区分。",
)


def with_scenes(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame with a column `scene`; where the scene is not known, the pair stands for it."""
    if "scene" not in frame.columns:
        return frame.with_columns(scene=pl.col("pair").cast(pl.String))
    known = pl.when(pl.col("scene").cast(pl.String) != "").then(pl.col("scene").cast(pl.String))
    return frame.with_columns(scene=pl.coalesce(known, pl.col("pair").cast(pl.String)))


def scenes_are_sizes(frame: pl.DataFrame) -> bool:
    """Whether there is one scene of each size, although there are several pairs."""
    scenes = frame["scene"].n_unique()
    return scenes <= frame["size"].n_unique() and scenes < frame["pair"].n_unique()


def scenes_are_pairs(frame: pl.DataFrame) -> bool:
    """Whether every scene has one description."""
    return frame["scene"].n_unique() >= frame["pair"].n_unique()


def drawn_unit(frame: pl.DataFrame) -> str:
    """Return what is drawn anew for an interval: scenes, or pairs where there is one scene of each size."""
    return "pair" if scenes_are_sizes(frame) or scenes_are_pairs(frame) else "scene"


def pair_scenes(frame: pl.DataFrame) -> dict[str, str]:
    """Return the scene of each pair, by the name that experts know the pair by."""
    named = "plain_pair" if "plain_pair" in frame.columns else "pair"
    return dict(with_scenes(frame).select(named, "scene").unique(named, maintain_order=True).iter_rows())


def shared_sizes(frame: pl.DataFrame) -> list[int]:
    """Return the sizes of which every describer has answers, ascending."""
    describers = frame["describer"].n_unique()
    held = frame.group_by("size").agg(pl.col("describer").n_unique()).filter(pl.col("describer") == describers)
    return held["size"].sort().to_list()
