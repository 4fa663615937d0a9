"""With how many classifiers is a noun in use, and how often would two writers choose differently?

Pure functions on uses, a table with a row a slot: `noun`, `classifier`, and what else the items say. Two uses of the
same noun drawn at random have different classifiers with the probability 1 − Σ c(c − 1) / n(n − 1), which is an
unbiased estimate of 1 − Σ π² [1], unlike the entropy, which grows with the number of uses.

[1] Simpson, E. H. (1949). Measurement of diversity. Nature 163, 688.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
import scipy

from hengliang.core.base_classes import Material
from hengliang.core.errors import UserError
from hengliang.core.records import attribute_names
from hengliang.materials.classifier_slots import ClassifierSlots
from hengliang.statistics.resampling import Floats, cluster_codes, cluster_counts
from hengliang.systems.classifier_choosers.slots import slots_of

BANDS: tuple[tuple[str, float], ...] = (("≥ .9", 0.9), (".7–.9", 0.7), (".5–.7", 0.5), ("< .5", 0.0))
"""The bands of the share of a noun's commonest classifier, each with its lower end."""

UNSEEN = "unseen"
_SLOT_MARK = r"(\S+)\s*<CL>"
_ONE = ("一", "１", "1")


def default_reference() -> Material:
    """Return the training part of the default corpus."""
    return ClassifierSlots(part="train")


def uses_of(items: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each item with a noun and a gold classifier: item, noun, classifier, and the attributes.

    Where the items are segmented, `number` says of slots after a numeral whether it is one or another number.
    """
    found = items.select(
        pl.col("id").alias("item"), *attribute_names(items), classifier=pl.col("gold").str.normalize("NFC")
    ).with_columns(noun=slots_of(items)["noun"])
    if {"segmented", "trigger"} <= set(found.columns):
        before = pl.col("segmented").str.extract(_SLOT_MARK)
        number = pl.when(before.is_in(_ONE)).then(pl.lit("one")).otherwise(pl.lit("another number"))
        found = found.with_columns(number=pl.when(pl.col("trigger") == "numeral").then(number))
    return found.filter((pl.col("noun").fill_null("") != "") & (pl.col("classifier").fill_null("") != ""))


def reference_uses(reference: Material) -> pl.DataFrame:
    """Return the uses of a material that is looked up; one without any is refused."""
    uses = uses_of(reference.items())
    if not uses.height:
        raise UserError(
            f"The material '{reference.name}' has no slot with a noun and a classifier.",
            remedy="Take classifier slots as reference, such as ClassifierSlots(part='train').",
        )
    return uses


def noun_profiles(uses: pl.DataFrame) -> pl.DataFrame:
    """Return a row a noun: uses, classifiers, entropy in bits, the commonest classifier, its share, and all counts.

    Equally frequent classifiers come in the order of their characters.
    """
    counted = (
        uses.group_by("noun", "classifier")
        .agg(count=pl.len())
        .sort("noun", "count", "classifier", descending=[False, True, False])
    )
    share = pl.col("count") / pl.col("count").sum()
    return counted.group_by("noun", maintain_order=True).agg(
        uses=pl.col("count").sum().cast(pl.Int64),
        classifiers=pl.len().cast(pl.Int64),
        entropy=(share * (1 / share).log(2)).sum(),
        commonest=pl.col("classifier").first(),
        share=share.first(),
        in_use=pl.format("{} {}", "classifier", "count").str.join(", "),
    )


def with_bands(nouns: pl.Series, uses: pl.DataFrame) -> pl.Series:
    """Return the band of each noun: the share of its commonest classifier among the uses, or `unseen`."""
    held = (
        nouns.alias("noun")
        .to_frame()
        .join(noun_profiles(uses).select("noun", "share"), on="noun", how="left", maintain_order="left")
    )
    band: pl.Expr = pl.lit(UNSEEN)
    for name, least in reversed(BANDS):
        band = pl.when(pl.col("share") >= least - 1e-12).then(pl.lit(name)).otherwise(band)
    return held.select(band=band)["band"]


def competitors(uses: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each two classifiers that share nouns: nouns, overlap, uses of the pair with these, examples.

    The overlap counts for each shared noun the uses of the rarer of the two.
    """
    counted = uses.group_by("noun", "classifier").agg(count=pl.len().cast(pl.Int64))
    pairs = counted.join(counted, on="noun", suffix="_other").filter(pl.col("classifier") < pl.col("classifier_other"))
    pairs = pairs.with_columns(
        rarer=pl.min_horizontal("count", "count_other"), both=pl.col("count") + pl.col("count_other")
    ).sort("rarer", "noun", descending=[True, False])
    found = pairs.group_by("classifier", "classifier_other", maintain_order=True).agg(
        nouns=pl.len().cast(pl.Int64),
        overlap=pl.col("rarer").sum(),
        uses=pl.col("both").sum(),
        examples=pl.col("noun").head(3).str.join(", "),
    )
    return found.sort("overlap", "classifier", "classifier_other", descending=[True, False, False])


# --- two uses of one noun -------------------------------------------------------------------------------------------


def disagreement(uses: pl.DataFrame, within: Sequence[str] = ("noun",)) -> float | None:
    """Return how often two uses of the same noun have different classifiers, nouns weighted by their uses.

    `within` are the columns that make two uses comparable. Nouns with one use say nothing and are left out.
    """
    table, groups = _cells(uses, within)
    return _number(_pair_difference(np.asarray(table.sum(axis=0)).reshape(1, -1), groups)[0])


def disagreement_interval(uses: pl.DataFrame, cluster: str) -> tuple[float | None, float | None, float | None]:
    """Return the disagreement within nouns with a 95 % interval: the jackknife that leaves out a cluster at a time [2].

    A bootstrap would not do: a cluster that is drawn twice agrees with itself. Where leaving out a cluster changes
    nothing there is no interval.

    [2] Efron, B., Tibshirani, R. (1993). An introduction to the bootstrap. Chapter 11.
    """
    table, groups = _cells(uses, ("noun",), cluster)
    total = np.asarray(table.sum(axis=0)).reshape(1, -1)
    value = _pair_difference(total, groups)[0]
    left = _pair_difference(total - table.toarray(), groups)
    left = left[~np.isnan(left)]
    if np.isnan(value) or len(left) < 2:
        return _number(value), None, None
    half = 1.959963984540054 * np.sqrt((len(left) - 1) / len(left) * ((left - left.mean()) ** 2).sum())
    if half == 0:
        return float(value), None, None
    return float(value), max(0.0, float(value - half)), min(1.0, float(value + half))


def _cells(
    uses: pl.DataFrame, within: Sequence[str], cluster: str = ""
) -> tuple[scipy.sparse.csr_array, scipy.sparse.csr_array]:
    """Return counts by cluster and cell (group and classifier), and the matrix that sums cells within groups."""
    cells = uses.select(
        group=pl.struct(*within).rank("dense").cast(pl.Int64) - 1,
        cell=pl.struct(*within, "classifier").rank("dense").cast(pl.Int64) - 1,
    )
    cell, group = cells["cell"].to_numpy(), cells["group"].to_numpy()
    clusters, count = cluster_codes(uses[cluster]) if cluster else (np.zeros(len(cell), np.int64), 1)
    sizes = (int(cell.max(initial=-1)) + 1, int(group.max(initial=-1)) + 1)
    firsts, places = np.unique(cell, return_index=True)
    return (
        cluster_counts(clusters, cell, shape=(max(count, 1), sizes[0])),
        cluster_counts(firsts, group[places], shape=sizes),
    )


def _pair_difference(counts: Floats, groups: scipy.sparse.csr_array) -> Floats:
    size, same = counts @ groups, (counts * (counts - 1)) @ groups
    known = size > 1
    agree = np.divide(same, size - 1, out=np.zeros_like(size), where=known)
    weight = np.where(known, size, 0.0).sum(axis=1)
    found: Floats = 1 - np.divide(agree.sum(axis=1), weight, out=np.full(len(weight), np.nan), where=weight > 0)
    return found


def _number(value: np.float64) -> float | None:
    return None if np.isnan(value) else float(value)


# --- what knowing the noun can bring --------------------------------------------------------------------------------


def noun_only_scores(uses: pl.DataFrame, more: pl.DataFrame | None = None) -> pl.DataFrame:
    """Return what choosers that know only the noun would score on each use: `item`, `others`, `left_out`, `itself`.

    `left_out`: the commonest classifier of the noun's other uses, here and in `more`, is chosen; of several equally
    frequent ones one is drawn, so the score is the probability of the right one; null where there is no other use.
    `itself`: the use counts too, which is the best that any fixed choice by noun can do on these uses.
    """
    pool = pl.concat([frame.select("noun", "classifier") for frame in (uses, *(() if more is None else (more,)))])
    counts = pool.group_by("noun", "classifier").agg(count=pl.len().cast(pl.Int64))
    own = uses.select("noun", "classifier").group_by("noun", "classifier").agg(own=pl.len().cast(pl.Int64))
    best = pl.col("count") == pl.col("count").max()
    tops = counts.group_by("noun").agg(
        total=pl.col("count").sum(),
        top=pl.col("count").max(),
        tied=best.sum().cast(pl.Int64),
        second=pl.col("count").filter(~best).max().fill_null(0),
        n_second=(pl.col("count") == pl.col("count").filter(~best).max()).sum().cast(pl.Int64),
    )
    mine = own.sort("noun", "own", "classifier", descending=[False, True, False])
    mine = mine.group_by("noun", maintain_order=True).agg(fixed=pl.col("classifier").first())
    held = uses.select("item", "noun", "classifier")
    for frame, on in ((counts, ["noun", "classifier"]), (tops, ["noun"]), (mine, ["noun"])):
        held = held.join(frame, on=on, how="left", maintain_order="left")
    # Without itself a classifier has count − 1: still on top alone, level with the next, or behind.
    rest = pl.col("count") - 1
    rivals = pl.when((pl.col("count") == pl.col("top")) & (pl.col("tied") == 1)).then("second").otherwise("top")
    n_rivals = pl.when((pl.col("count") == pl.col("top")) & (pl.col("tied") == 1)).then("n_second").otherwise("tied")
    score = pl.when(rest > rivals).then(1.0).when((rest == rivals) & (rest > 0)).then(1 / (n_rivals + 1)).otherwise(0.0)
    return held.select(
        "item",
        others=pl.col("total") - 1,
        left_out=pl.when(pl.col("total") > 1).then(score),
        itself=(pl.col("classifier") == pl.col("fixed")).cast(pl.Float64),
    )
