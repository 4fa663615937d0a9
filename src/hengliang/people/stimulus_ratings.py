"""How was each item of an experiment rated, and which systems is that rating about?

A rating is about a stimulus, and a stimulus may be the choice of several systems. Here the ratings stand once each,
beside a table of who gave what: the two tables from which `hengliang.analyses.observations` starts, which counts a
rating once or, labelled as copies, for each of the systems. Only targets are rated: practice, fillers, catch items and
repeated presentations say something about the participant.
"""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from hengliang.core.errors import unknown_name
from hengliang.experiments import Experiment


class StimulusRatings(NamedTuple):
    """Ratings (`item rater response rating`) and who gave the responses (`item response system`)."""

    ratings: pl.DataFrame
    givers: pl.DataFrame


def stimulus_ratings(experiment: Experiment, scale: str) -> StimulusRatings:
    """Return the ratings on one scale; an answer without a value ("I did not understand") has none."""
    names = [one.name for one in experiment.scales]
    if scale not in names:
        raise unknown_name("scale", scale, names)
    items = experiment.stimuli.select("about", "item")
    targets = experiment.answers.filter((pl.col("scale") == scale) & (pl.col("role") == "target"))
    answers = targets.join(items, on="about", how="left", maintain_order="left")
    rating = pl.when(pl.col("status") == "ok").then("value")
    ratings = answers.select("item", rater="participant", response="about", rating=rating)
    givers = experiment.stimuli.select("item", response="about", system="systems").explode("system")
    return StimulusRatings(ratings, givers.drop_nulls("system"))
