"""Which items of which suites do the models fail, and which of them does a report show?

An item fails for a model when a prediction that counts does not hold; a tie that no coin has settled does not hold, and
a prediction that could not be judged neither holds nor fails. Items that every model passes are counted and not shown.
Of the others the hardest are shown: those that most models fail, and among these those that fail by most.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import polars as pl

from hengliang.analysis.suite_accuracy import CLASS_TITLES, SUITE_FACTORS
from hengliang.core.judging import CONTROL
from hengliang.core.labelling.texts import WORD
from hengliang.core.settings import Key
from hengliang.core.terms import Bilingual, both
from hengliang.language_models.regions import Edges
from hengliang.measures.prediction import JUDGE
from hengliang.report.suite_item_building import prediction_measure, suite_item_views
from hengliang.report.suite_item_view import SuiteItemView


@dataclass(frozen=True, slots=True)
class Limits:
    """How many failing items are shown.

    At most `suite` of each suite. Suites of more than `large` items (minimal pairs by the thousand) show at most
    `large_suite` each and `large_suites` together. `numbers` is roughly how many surprisals a page may hold; where
    there would be more, all suites show fewer.
    """

    suite: int = 12
    large: int = 200
    large_suite: int = 5
    large_suites: int = 200
    numbers: int = 36_000


@dataclass(frozen=True, slots=True)
class ModelTally:
    """How many items of a suite one model was asked, failed, tied in and could not be judged in, for which reason."""

    model: str
    items: int
    failed: int
    tied: int = 0
    unscored: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SuiteView:
    """One suite: how many items it has, how many of them some model fails, and those that are shown."""

    name: str
    class_: Annotated[str, Key("class")]
    modifier: str
    n_items: int
    n_failing: int
    models: tuple[ModelTally, ...]
    items: tuple[SuiteItemView, ...]


def suite_views(
    items: pl.DataFrame,
    responses: pl.DataFrame,
    judgements: pl.DataFrame,
    limits: Limits | None = None,
    edges: Edges = "refuse",
) -> tuple[SuiteView, ...]:
    """Return the suites of a run with their failing items; none when nothing was predicted or judged.

    `responses` is the table of scored units, `edges` that of the measure which judged them.
    """
    measure = prediction_measure(judgements)
    if not measure or "predictions" not in items.columns:
        return ()
    asked = _sets(items)
    results = _results(asked, judgements, measure)
    chosen = _chosen(asked, results, limits or Limits())
    views = {view.id: view for view in suite_item_views(items, responses, judgements, chosen["set"].to_list(), edges)}
    shown: dict[str, list[SuiteItemView]] = {}
    for suite, name in chosen.select("suite", "set").iter_rows():
        shown.setdefault(suite, []).extend([views[name]] if name in views else [])
    tallies = _tallies(results)
    counts = results.group_by("suite").agg(failing=pl.col("set").filter("failed").n_unique())
    failing = dict(counts.iter_rows())
    facts = asked.group_by("suite", maintain_order=True).agg(pl.first("class", "modifier"), n=pl.len())
    return tuple(
        SuiteView(name, class_, modifier, n, failing[name], tuple(tallies[name]), tuple(shown.get(name, ())))
        for name, class_, modifier, n in facts.select("suite", "class", "modifier", "n").iter_rows()
        if name in failing
    )


def _sets(items: pl.DataFrame) -> pl.DataFrame:
    """Return a row a set: its suite, class and modifier, how many numbers it takes to show, and its place."""
    held = set(items.columns)
    texts = {
        name: (pl.col(name) if name in held else pl.lit(None, pl.String)).cast(pl.String).fill_null("")
        for name in ("suite", "class", "modifier")
    }
    suite = pl.when(texts["suite"] == "").then("material").otherwise(texts["suite"])
    counted = pl.col("spans").list.eval((pl.element().struct.field("name") == WORD).cast(pl.Int64)).list.sum()
    # Where nobody says what the words are, a unit may be as small as a character.
    pieces = pl.when(counted > 0).then(counted).otherwise(pl.col("content").str.len_chars().cast(pl.Int64))
    return (
        items.filter(pl.col("predictions").is_not_null())
        .select("set", suite=suite, **{"class": texts["class"]}, modifier=texts["modifier"], pieces=pieces)
        .group_by("set", maintain_order=True)
        .agg(pl.first("suite", "class", "modifier"), pl.sum("pieces"))
        .with_row_index("place")
    )


def _results(asked: pl.DataFrame, judgements: pl.DataFrame, measure: str) -> pl.DataFrame:
    """Return a row a set and model: whether it failed, tied or could not be judged, and by how much it failed."""
    counting = pl.col("part").str.starts_with(CONTROL).not_()
    judged = judgements.filter(pl.col("measure") == measure, counting).rename({"about": "set"})
    keys = ["set", "scored_system", "part"]
    # The margins are judged by another measure, if at all; they only order the items.
    margins = judgements.filter(
        pl.col("measure") != measure, pl.col("judge") == JUDGE, pl.col("label").is_null(), counting
    ).select("scored_system", "part", set="about", margin="value")
    margins = margins.unique(subset=keys, keep="first")
    rows = judged.join(asked.select("set", "suite"), on="set", maintain_order="left")
    rows = rows.join(margins, on=keys, how="left", maintain_order="left")
    fails = pl.col("value") == 0
    return rows.group_by("suite", "set", "scored_system", maintain_order=True).agg(
        failed=fails.any(),
        tied=pl.col("label").str.starts_with("tie").any(),
        unscored=(pl.col("status") != "ok").any() & fails.any().not_(),
        reason=pl.col("reason").filter(pl.col("status") != "ok").first().fill_null(""),
        margin=pl.col("margin").filter(fails).sum(),
    )


def _chosen(asked: pl.DataFrame, results: pl.DataFrame, limits: Limits) -> pl.DataFrame:
    """Return the sets to be shown, suite by suite, the hardest first."""
    hard = results.filter("failed").group_by("set").agg(models=pl.len(), margin=pl.sum("margin"))
    sizes = asked.group_by("suite").agg(size=pl.len())
    found = asked.join(hard, on="set").join(sizes, on="suite")
    found = found.sort("models", "margin", "place", descending=[True, False, False])
    large = pl.col("size") > limits.large
    n_large = found.filter(large)["suite"].n_unique()
    of_large = max(1, min(limits.large_suite, limits.large_suites // max(n_large, 1)))
    rank = pl.int_range(pl.len()).over("suite")
    found = found.filter(rank < pl.when(large).then(of_large).otherwise(limits.suite))
    found = found.filter(large.not_() | (large.cast(pl.Int64).cum_sum() <= limits.large_suites))
    numbers = int(found["pieces"].sum()) * max(results["scored_system"].n_unique(), 1)
    if numbers > limits.numbers:
        share = limits.numbers / numbers
        found = found.filter(rank < (pl.len().over("suite") * share).floor().clip(lower_bound=1))
    order = asked.group_by("suite", maintain_order=True).agg().with_row_index("order")
    return found.join(order, on="suite", maintain_order="left").sort("order", maintain_order=True)


def _tallies(results: pl.DataFrame) -> dict[str, list[ModelTally]]:
    """Return what each model makes of each suite."""
    counted = results.group_by("suite", "scored_system", maintain_order=True).agg(
        pl.len().alias("items"),
        pl.sum("failed"),
        pl.sum("tied"),
        pl.sum("unscored"),
        pl.col("reason").filter(pl.col("reason") != "").mode(maintain_order=True).first().fill_null(""),
    )
    found: dict[str, list[ModelTally]] = {}
    for suite, *row in counted.iter_rows():
        found.setdefault(suite, []).append(ModelTally(*row))
    return found


# --- in words ---------------------------------------------------------------------------------------------------------


def class_title(name: str) -> Bilingual:
    """Return what a class or a modifier is called in both languages, as far as it is one of ours."""
    return CLASS_TITLES.get(name, both(name))


def suite_title(suite: SuiteView) -> Bilingual:
    """Return the heading of a suite within its class: its modifier, or its name where it has none."""
    if not suite.modifier:
        return both(suite.name)
    factor, level = SUITE_FACTORS["modifier"], class_title(suite.modifier)
    return Bilingual(f"{factor.en}: {level.en}", f"{factor.zh}：{level.zh}")


def tally_remark(tally: ModelTally) -> Bilingual:
    """Say how a model fares in a suite."""
    remarks = [failing_remark(tally.failed, tally.items)]
    remarks += [ties_remark(tally.tied)] if tally.tied else []
    remarks += [unscored_remark(tally.unscored, tally.reason)] if tally.unscored else []
    return Bilingual(", ".join(one.en for one in remarks), "，".join(one.zh for one in remarks))


def failing_remark(failed: int, items: int) -> Bilingual:
    """Say how many items of a suite fail."""
    return Bilingual(f"{failed:,} of {items:,} fail", f"{items:,} 条中 {failed:,} 条未通过")


def ties_remark(count: int) -> Bilingual:
    """Say in how many items there is a tie."""
    return Bilingual(f"{count:,} with a tie", f"{count:,} 条有平局")


def unscored_remark(count: int, reason: str) -> Bilingual:
    """Say how many items could not be judged, and why."""
    return Bilingual(
        f"{count:,} not judged" + (f": {reason}" if reason else ""),
        f"{count:,} 条未评判" + (f"：{reason}" if reason else ""),
    )
