"""Which ratings do the tests analyse? They are drawn from a known model, and look like those of an experiment."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from hengliang.analyses.ratings.reading import read_ratings_file
from hengliang.analyses.ratings.table import Columns, Ratings, ratings_table

EFFECTS = {"CORPUS": 0.9, "RULE": 0.0, "LSTM": 0.4, "BERT": 0.8}
CLASSIFIERS = ("个", "只", "条", "张", "位", "本")
THRESHOLDS = (-1.6, -1.0, -0.6, -0.2, 0.5, 1.5)
NAMES = ("item", "rater", "system", "response", "match", "fluency", "clarity")


def made_ratings(
    *,
    items: int = 24,
    raters: int = 6,
    seed: int = 7,
    shared: bool = False,
    effects: dict[str, float] | None = None,
) -> pl.DataFrame:
    """Return ratings of every system by every rater on every item: item, rater, system, response, match, two measures.

    With `shared`, systems that answered alike share one rating, copied to each of them, as in the experiments that
    merge items.
    """
    chosen = effects or EFFECTS
    generator = np.random.default_rng(seed)
    item_effects, rater_effects = generator.normal(0, 0.8, items), generator.normal(0, 0.7, raters)
    rows = []
    for item in range(items):
        gold = CLASSIFIERS[item % len(CLASSIFIERS)]
        answers = {
            system: gold if generator.random() < 0.45 + effect / 2 else str(generator.choice(CLASSIFIERS))
            for system, effect in chosen.items()
        }
        for rater in range(raters):
            held: dict[str, tuple[int, int]] = {}
            for system, effect in chosen.items():
                key = answers[system] if shared else system
                if key not in held:
                    good = 0.8 * (answers[system] == gold)
                    latent = (0.0 if shared else effect) + good + item_effects[item] + rater_effects[rater]
                    held[key] = _two_ratings(latent, generator)
                match = "yes" if answers[system] == gold else "no"
                rows.append((f"s{item + 1:02}", f"p{rater + 1}", system, answers[system], match, *held[key]))
    return pl.DataFrame(rows, schema=NAMES, orient="row")


def _two_ratings(latent: float, generator: np.random.Generator) -> tuple[int, int]:
    """Return Fluency and Clarity, which share most of their noise."""
    first, second = generator.logistic(0, 0.7, 2)
    fluency = int(np.searchsorted(THRESHOLDS, latent + first)) + 1
    return fluency, int(np.searchsorted(THRESHOLDS, latent + 0.7 * first + 0.3 * second)) + 1


def write_ratings(folder: Path, frame: pl.DataFrame, name: str = "ratings.csv") -> Path:
    """Write ratings as CSV in UTF-8, and return where they are."""
    path = folder / name
    path.write_text(frame.write_csv(), encoding="utf-8")
    return path


def table_of(
    folder: Path,
    frame: pl.DataFrame,
    *measures: str,
    pair: tuple[str, ...] = ("item", "rater"),
    split: str | None = None,
    response: str | None = None,
    levels: tuple[str, ...] = (),
) -> Ratings:
    """Write ratings, read them back and check them, on a scale from 1 to 7.

    Without pairs the file has no columns of items and raters, for these are recognised by their names.
    """
    frame = frame if pair else frame.drop("item", "rater", strict=False)
    columns = Columns(measures or ("fluency",), "system", pair, split, response)
    return ratings_table(read_ratings_file(write_ratings(folder, frame)), columns, scale="1-7", levels=levels)


def scores(frame: pl.DataFrame, system: str, measure: str = "fluency") -> list[int]:
    """Return the ratings of one system in the order of items and raters."""
    return frame.filter(pl.col("system") == system).sort("item", "rater")[measure].to_list()
