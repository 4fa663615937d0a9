"""What have people said of these sentences, according to whoever published their ratings?

The ratings stand beside the sentences as attributes of the items (`hengliang.materials.rated_sentences`). As judgements
they are on a par with what measures say: the mean of some raters about the sentence, whatever the systems answer.
"""

from __future__ import annotations

from typing import ClassVar, Literal, get_args

import polars as pl

from hengliang.core.base_classes import Measure
from hengliang.core.errors import unknown_name
from hengliang.core.judging import first_problem, judgements
from hengliang.core.records import JudgeKind, ResponseKind
from hengliang.core.registry import register
from hengliang.core.terms import Bilingual

Scale = Literal["raw", "z"]
"""The mean as it is printed, or in standard deviations from the mean of its dataset and mode."""

PART = "mean"
UNRATED = "nobody has rated this sentence"
NO_SPREAD = "the ratings of this dataset and mode do not differ, so that there is no z-score"
SEVERAL = "the items of the set have different ratings"

_COLUMNS: dict[str, pl.DataType] = {"rating": pl.Float64(), "rating_z": pl.Float64(), "raters": pl.Int64()}


@register("published ratings")
class PublishedRatings(Measure):
    """The mean rating of each rated sentence, as a judgement about its set."""

    kinds: ClassVar[tuple[ResponseKind, ...]] = ("units",)
    judge_kind: JudgeKind = "people"
    title = Bilingual("Published ratings", "已发表的评分")

    def __init__(self, scale: Scale = "raw", name: str = "rating") -> None:
        self.scale: Scale = scale
        self.name = name

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
        """Return one judgement about each set to which there is an answer, right or wrong."""
        if self.scale not in get_args(Scale):
            raise unknown_name("scale", self.scale, get_args(Scale))
        asked = items.join(responses.select(id="item"), on="id", how="semi", maintain_order="left")
        held = asked.with_columns(
            pl.lit(None, dtype=dtype).alias(name) for name, dtype in _COLUMNS.items() if name not in items.columns
        )
        chosen = "rating" if self.scale == "raw" else "rating_z"
        sets = held.group_by("set", maintain_order=True).agg(
            value=pl.col(chosen).drop_nulls().first(),
            raw=pl.col("rating").drop_nulls().first(),
            raters=pl.col("raters").drop_nulls().first(),
            several=pl.col("rating").drop_nulls().n_unique() > 1,
        )
        problem = first_problem(
            (pl.col("several"), SEVERAL), (pl.col("raw").is_null(), UNRATED), (pl.col("value").is_null(), NO_SPREAD)
        )
        counted = pl.when(pl.col("raters") == 1).then(pl.lit("1 rater"))
        return judgements(
            sets,
            self.name,
            counted.otherwise(pl.format("mean of {} raters", "raters")).fill_null("mean of raters"),
            problem=problem,
            part=PART,
            about="set",
            scored_system=pl.lit(""),
            judge_kind=self.judge_kind,
        )


def published_ratings(scale: Scale = "raw", *, name: str = "rating") -> PublishedRatings:
    """Take the published ratings of rated sentences into a study, as they are printed or as z-scores in a mode."""
    return PublishedRatings(scale, name)
