"""Which errors do most taggers make?

An error that one tagger makes says something about that tagger. An error pair that most of several taggers make says
something about the language, and is a candidate for an item of a test set [1]. The paper calls the step conjunction and
takes the pairs that more than 51 % of its taggers make, that is three of five.

[1] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
    Information Processing, 34(9), 9–18, sections 2.1.3 and 2.1.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from hengliang.core.errors import UserError
from hengliang.measures.tagging_errors import INSTANCE_SCHEMA

SHARE = 0.51
LEAST = 3

PAIR_SCHEMA: dict[str, pl.DataType] = {
    "pair": pl.String(),
    "direction": pl.String(),
    "system": pl.String(),
    "instances": pl.Int64(),
    "words": pl.Int64(),
}

CANDIDATE_SCHEMA: dict[str, pl.DataType] = {
    "pair": pl.String(),
    "direction": pl.String(),
    "counts": pl.List(pl.Struct({"system": pl.String, "instances": pl.Int64})),
    "systems": pl.Int64(),
    "instances": pl.Int64(),
    "words": pl.Int64(),
    "kept": pl.Boolean(),
}


@dataclass(frozen=True, slots=True, eq=False)
class MiningSummary:
    """How much was found: by tagger (system, instances, pairs, kept_pairs), and over all taggers.

    `pairs` are the kinds of error that anybody makes, `candidates` those that most make, `about_words` the candidates
    that are about where words begin and end.
    """

    by_system: pl.DataFrame
    instances: int
    pairs: int
    candidates: int
    about_words: int


def pair_counts(instances: pl.DataFrame) -> pl.DataFrame:
    """Return how often each tagger makes each error pair, and with how many words (`PAIR_SCHEMA`)."""
    counted = (
        _checked(instances)
        .group_by("pair", "direction", "system")
        .agg(instances=pl.len().cast(pl.Int64), words=pl.col("word").n_unique().cast(pl.Int64))
    )
    return counted.sort("system", "instances", "pair", descending=[False, True, False]).select(list(PAIR_SCHEMA))


def candidates(
    instances: pl.DataFrame, systems: Sequence[str], share: float = SHARE, least: int = LEAST, times: int = 1
) -> pl.DataFrame:
    """Return all error pairs with their counts (`CANDIDATE_SCHEMA`); `kept` are those that most taggers make.

    `systems` are the taggers that vote. A pair is kept when more than `share` of them make it, and at least `least` of
    them. A tagger makes a pair that it makes `times` times or more: the longer the text, the more pairs are made once.
    The kept ones come first, then what more taggers make, then what is made more often, then the pair's name.
    """
    voters = list(dict.fromkeys(systems))
    _check_vote(voters, share, least, times)
    held = _checked(instances).filter(pl.col("system").is_in(voters))
    per_system = (
        held.group_by("pair", "system")
        .agg(instances=pl.len().cast(pl.Int64))
        .join(pl.DataFrame({"system": voters, "place": range(len(voters))}), on="system")
        .sort("place")
        .group_by("pair", maintain_order=True)
        .agg(counts=pl.struct("system", "instances"), systems=(pl.col("instances") >= times).sum().cast(pl.Int64))
    )
    totals = held.group_by("pair", "direction").agg(
        instances=pl.len().cast(pl.Int64), words=pl.col("word").n_unique().cast(pl.Int64)
    )
    enough = (pl.col("systems") >= least) & (pl.col("systems") > share * len(voters))
    return (
        totals.join(per_system, on="pair")
        .with_columns(kept=enough)
        .sort("kept", "systems", "instances", "pair", descending=[True, True, True, False])
        .select(pl.col(name).cast(dtype) for name, dtype in CANDIDATE_SCHEMA.items())
    )


def common_words(instances: pl.DataFrame, votes: int = 1, most: int | None = None) -> pl.DataFrame:
    """Return the instances whose word at least `votes` taggers get wrong in the pair's way, of `most` words a pair.

    Of more words those are taken that most taggers miss, then those that are missed most often.
    """
    if votes < 1 or (most is not None and most < 1):
        raise UserError(
            f"Words cannot be chosen by {votes} votes, {most} a pair.", valid="Votes and words a pair are 1 or more."
        )
    words = _checked(instances).group_by("pair", "word").agg(votes=pl.col("system").n_unique(), n=pl.len())
    words = words.filter(pl.col("votes") >= votes)
    words = words.sort("pair", "votes", "n", "word", descending=[False, True, True, False])
    chosen = words if most is None else words.group_by("pair", maintain_order=True).head(most)
    return instances.join(chosen, on=["pair", "word"], how="semi", maintain_order="left")


def mining_summary(instances: pl.DataFrame, found: pl.DataFrame, systems: Sequence[str]) -> MiningSummary:
    """Return how many errors, kinds of error and candidates there are; `found` is what `candidates` returned."""
    kept = found.filter("kept")
    counted = (
        _checked(instances)
        .group_by("system")
        .agg(
            instances=pl.len().cast(pl.Int64),
            pairs=pl.col("pair").n_unique().cast(pl.Int64),
            kept_pairs=pl.col("pair").filter(pl.col("pair").is_in(kept["pair"].implode())).n_unique().cast(pl.Int64),
        )
    )
    named = pl.DataFrame({"system": list(dict.fromkeys(systems))}, schema={"system": pl.String})
    by_system = named.join(counted, on="system", how="left", maintain_order="left").fill_null(0)
    return MiningSummary(
        by_system,
        int(by_system["instances"].sum()),
        found.height,
        kept.height,
        kept.filter(pl.col("direction") != "same").height,
    )


def _checked(instances: pl.DataFrame) -> pl.DataFrame:
    for name, dtype in INSTANCE_SCHEMA.items():
        if instances.schema.get(name) != dtype:
            raise UserError(
                f"The table of errors has no column '{name}' of the type {dtype}.",
                valid=f"Columns: {', '.join(INSTANCE_SCHEMA)}.",
                remedy="Make it with error_instances(items, responses).",
            )
    return instances


def _check_vote(voters: list[str], share: float, least: int, times: int) -> None:
    if not voters:
        raise UserError("No tagger votes.", valid="Name the taggers whose errors count.")
    if not 0 <= share < 1:
        raise UserError(f"The share {share} is not possible.", valid="A share lies from 0 to less than 1, as 0.51.")
    if times < 1:
        raise UserError(f"A tagger cannot make an error {times} times.", valid="A whole number from 1.")
    if not 1 <= least <= len(voters):
        raise UserError(
            f"At least {least} of {len(voters)} taggers ({', '.join(voters)}) cannot make an error.",
            valid=f"The least number of taggers is 1 to {len(voters)} here.",
            remedy="Name more taggers, or give a smaller number.",
        )
