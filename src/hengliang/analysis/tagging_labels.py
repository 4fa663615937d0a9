"""Which label did each tagger get on each sentence of a diagnostic set, and what did it give there?

The rows from which scores are computed, and what a reader looks at who wants to know why a score is low: by item, by
word, by sentence.
"""

from __future__ import annotations

import polars as pl

from hengliang.analyses import outcomes
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.runs import Tables
from hengliang.measures.tagging_items import LABELS, NAME, targets, words_at_targets

_NEEDED = ("pair", "word", "gold_tags", "wrong_tags")
TAGS_TRAIT = "tags"
"""The trait that lists all tags a system can give, separated by spaces."""

COUNTS: tuple[str, ...] = ("correct", "wrong", "record", "total", "failed")


def labelled_sentences(tables: Tables, measure: str = NAME, cluster: str = "cluster") -> pl.DataFrame:
    """Return a row for each tagger and sentence of a diagnostic set: its item and word, and the label it got.

    Columns: system, seed, respondent, item, id, pair, word, gold_tags, wrong_tags, cluster, label, reason. The label is
    null where the tagger failed, and the reason says why. Sentences of other materials in the run are left out.
    """
    absent = [name for name in _NEEDED if name not in tables.items.columns]
    asked = tables.items.filter(pl.col("pair").is_not_null()) if not absent else tables.items.head(0)
    if not asked.height:
        raise UserError(
            "The items of this run are no diagnostic sentences"
            + (f": they have no attribute '{absent[0]}'." if absent else "."),
            valid=f"A diagnostic sentence has the attributes {', '.join(_NEEDED)}.",
            remedy="Take the material tagging_items of a test set.",
        )
    held = Tables(asked, tables.systems, tables.responses, tables.judgements)
    rows = _with_labels(outcomes.due_answers(held, ("tagging",)).drop("label"), tables, measure)
    rows = outcomes.with_clusters(rows, held, cluster)
    about = asked.select(pl.col("id").alias("item"), *_NEEDED)
    return rows.join(about, on="item", how="left", maintain_order="left")


def _with_labels(rows: pl.DataFrame, tables: Tables, measure: str) -> pl.DataFrame:
    found = tables.judgements.filter(pl.col("measure") == measure)
    if not found.height:
        raise unknown_name("measure", measure, tables.judgements["measure"].unique().to_list())
    strange = found["label"].drop_nulls().filter(~found["label"].drop_nulls().is_in(list(LABELS)))
    if len(strange):
        raise UserError(
            f"The measure '{measure}' gives the label '{strange[0]}'.",
            valid=f"Labels of a diagnostic sentence: {', '.join(LABELS)}.",
        )
    said = found.select("label", "reason", "scored_system", id="about").join(
        outcomes.scored_systems(rows), on="scored_system"
    )
    said = said.drop("scored_system").unique(["id", "system", "seed"], keep="first", maintain_order=True)
    judged = rows.join(said, on=["id", "system", "seed"], how="left", nulls_equal=True, maintain_order="left")
    return judged.with_columns(pl.col("reason").fill_null("the sentence was not tagged or not judged"))


def counted(rows: pl.DataFrame, *factors: str) -> pl.DataFrame:
    """Count labels by system and factors: correct, wrong, record, total (of these three) and failed."""
    label = pl.col("label")
    counts = [(label == name).sum().cast(pl.Int64).alias(name.lower()) for name in LABELS]
    failed = label.is_null().sum().cast(pl.Int64).alias("failed")
    found = rows.group_by("system", *factors, maintain_order=True).agg(*counts, failed)
    total = pl.sum_horizontal("correct", "wrong", "record")
    return found.with_columns(total=total).select("system", *factors, *COUNTS)


def with_scores(counts: pl.DataFrame) -> pl.DataFrame:
    """Add D by formula (1), D as published and R; null where there is nothing to divide by."""
    decided = pl.col("total") - pl.col("record")
    return counts.with_columns(
        pl.when(decided > 0).then(100 * pl.col("correct") / decided).alias("D"),
        pl.when(pl.col("total") > 0).then(100 * pl.col("correct") / pl.col("total")).alias("D published"),
        pl.when(pl.col("total") > 0).then(pl.col("record") / pl.col("total")).alias("R"),
    )


def by_word(tables: Tables, measure: str = NAME) -> pl.DataFrame:
    """Return the counts and scores of each word of each item: system, pair, word, counts, D, D published, R."""
    rows = labelled_sentences(tables, measure, "id").sort("pair", "word", maintain_order=True)
    return with_scores(counted(rows, "pair", "word"))


def by_sentence(tables: Tables, measure: str = NAME) -> pl.DataFrame:
    """Return each sentence's label with what the tagger gave: the words that reach into the target, with their tags.

    Columns: system, seed, pair, word, item, label, gold, given, sentence, start, end, reason; start and end are the
    bytes of the target.
    """
    rows = labelled_sentences(tables, measure, "id")
    wanted = ["system", "seed", "pair", "word", "item", "label"]
    where = targets(tables.items).select("item", start="target_start", end="target_end")
    texts = tables.items.select(item="id", gold="gold", sentence="content")
    rows = rows.join(where, on="item", how="left", maintain_order="left")
    rows = rows.join(texts, on="item", how="left", maintain_order="left")
    given = given_words(tables.items, tables.responses["tagging"])
    rows = rows.join(given, on=["item", "system", "seed"], how="left", nulls_equal=True, maintain_order="left")
    reason = pl.when(pl.col("label").is_null()).then("reason").otherwise(pl.lit(""))
    return rows.select(*wanted, "gold", "given", "sentence", "start", "end", reason.alias("reason"))


def given_words(items: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
    """Return what each tagger gave at each target: item, system, seed, given (`就此/d`)."""
    places = targets(items).filter(pl.col("problem") == "").select("item", "target_start", "target_end")
    rows = responses.filter(pl.col("status") == "ok").unique(["item", "system", "seed"], maintain_order=True)
    rows = rows.with_row_index("row").join(places, on="item")
    text = items.select(item="id", sentence=pl.col("content").cast(pl.Binary))
    words = words_at_targets(rows).join(rows.select("row", "item", "system", "seed"), on="row", maintain_order="left")
    words = words.join(text, on="item", maintain_order="left")
    word = pl.col("sentence").bin.slice(pl.col("start"), pl.col("end") - pl.col("start")).cast(pl.String)
    tagged = pl.format("{}/{}", word.str.strip_chars(), "tag").str.join(" ")
    return words.group_by("item", "system", "seed", maintain_order=True).agg(given=tagged)


def reach(tables: Tables, rows: pl.DataFrame) -> pl.DataFrame:
    """Say of each system and pair whether all gold tags are among those the system can give: system, pair, reachable.

    What a system can give stands in its trait `tags`; without it `reachable` is null.
    """
    pairs = rows.select("pair", tag=pl.col("gold_tags").str.split("+")).unique("pair", maintain_order=True)
    systems = rows.select("system").unique(maintain_order=True)
    held = tables.systems
    known = held[TAGS_TRAIT] if TAGS_TRAIT in held.columns else pl.Series([None] * held.height, dtype=pl.String)
    tags: dict[str, set[str]] = {}
    for name, given in zip(held["name"], known, strict=True):
        if given:  # what every seed of a system can give
            tags[name] = tags.get(name, set(given.split())) & set(given.split())
    found = [
        (system, pair, tags[system].issuperset(gold) if system in tags else None)
        for system in systems["system"]
        for pair, gold in pairs.iter_rows()
    ]
    schema = {"system": pl.String, "pair": pl.String, "reachable": pl.Boolean}
    return pl.DataFrame(found, schema=schema, orient="row")
