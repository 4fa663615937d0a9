"""Where in the sentences of a tagged corpus does a word stand with these tags?

Both what a test set is built from and what the published one is mended with. All words of the corpus lie in one table;
a word that the annotators cut in two (就/p 此/r) is found as a row of words.
"""

from __future__ import annotations

import polars as pl

from hengliang.core.errors import UserError
from hengliang.materials.tagged_sentences import gold_spans

PLACE_SCHEMA: dict[str, pl.DataType] = {
    "item": pl.String(),
    "word": pl.String(),
    "tags": pl.String(),
    "start": pl.Int64(),
    "end": pl.Int64(),
    "gold": pl.String(),
}
"""A place: the sentence's id, the word and its tags (`p+r`), where it stands in bytes, and the annotators' words."""


def tagged_words(sentences: pl.DataFrame) -> pl.DataFrame:
    """Return one row a word of the sentences (items with `id`, `content`, `gold`): row, start, end, token, form, tag.

    `row` counts the sentences from 0, `token` is `就/p`, and `form` is the word in NFC.
    """
    rows = sentences.select("content", "gold").with_row_index("row").with_columns(pl.col("row").cast(pl.Int64))
    words = (
        rows.select("row", token=pl.col("gold").str.split(" "))
        .explode("token")
        .filter(pl.col("token").fill_null("") != "")
        .with_columns(
            form=pl.col("token").str.replace(r"/[^/]*$", "").str.normalize("NFC"),
            tag=pl.col("token").str.extract(r"/([^/]*)$"),
        )
    )
    words = words.with_columns(end=pl.col("form").str.len_bytes().cast(pl.Int64).cum_sum().over("row"))
    words = words.with_columns(start=pl.col("end") - pl.col("form").str.len_bytes().cast(pl.Int64))
    return _with_spaces(rows, words).select("row", "start", "end", "token", "form", "tag")


def _with_spaces(rows: pl.DataFrame, words: pl.DataFrame) -> pl.DataFrame:
    """Correct the places in sentences that hold spaces, which are those longer than their words."""
    sizes = words.group_by("row").agg(size=pl.col("end").max())
    longer = rows.join(sizes, on="row").filter(pl.col("content").str.len_bytes() != pl.col("size")).sort("row")
    if not longer.height:
        return words
    spans = [
        (row, place, start, end)
        for row, gold in longer.select("row", "gold").iter_rows()
        for place, (start, end, _) in enumerate(gold_spans(gold))
    ]
    right = pl.DataFrame(
        spans, schema={"row": pl.Int64, "place": pl.Int64, "start": pl.Int64, "end": pl.Int64}, orient="row"
    )
    counted = words.with_columns(place=pl.int_range(pl.len(), dtype=pl.Int64).over("row"))
    joined = counted.join(right, on=["row", "place"], how="left", suffix="_right", maintain_order="left")
    return joined.with_columns(start=pl.coalesce("start_right", "start"), end=pl.coalesce("end_right", "end"))


def tagged_places(sentences: pl.DataFrame, wanted: pl.DataFrame) -> pl.DataFrame:
    """Return where each `word` of `wanted` stands with its `tags` (`p+r`): by word and tags, then in text order.

    A word counts only where the annotators' words begin and end with it. A space that belongs to the word, as between
    two words of English, lies inside the place.
    """
    for name in ("word", "tags"):
        if name not in wanted.columns:
            raise UserError(f"The words that are looked for have no column '{name}'.", valid="Columns: word, tags.")
    words = tagged_words(sentences)
    keys = wanted.select("word", "tags").unique().with_columns(form=pl.col("word").str.replace_all(" ", ""))
    keys = keys.with_columns(length=pl.col("tags").str.count_matches(r"\+") + 1)
    found = [_rows_of_words(words, keys.filter(pl.col("length") == length), length) for length in _lengths(keys)]
    places = (
        pl.concat(found) if found else words.clear().with_columns(word=pl.lit(""), tags=pl.lit(""), gold=pl.lit(""))
    )
    ids = sentences.select(item="id").with_row_index("row").with_columns(pl.col("row").cast(pl.Int64))
    placed = places.join(ids, on="row", how="left").sort("tags", "word", "row", "start")
    return placed.select(pl.col(name).cast(kind) for name, kind in PLACE_SCHEMA.items())


def _lengths(keys: pl.DataFrame) -> list[int]:
    return sorted(keys["length"].unique().to_list())


def _rows_of_words(words: pl.DataFrame, keys: pl.DataFrame, length: int) -> pl.DataFrame:
    """Return where `length` words in a row have the tags and together the form of one of the keys."""
    steps = range(length)
    rows = words.select(
        "row",
        "start",
        same=pl.col("row") == pl.col("row").shift(1 - length),
        end=pl.col("end").shift(1 - length),
        tags=pl.concat_str([pl.col("tag").shift(-step) for step in steps], separator="+"),
        form=pl.concat_str([pl.col("form").shift(-step) for step in steps]),
        gold=pl.concat_str([pl.col("token").shift(-step) for step in steps], separator=" "),
    )
    return rows.filter("same").join(keys, on=["tags", "form"]).select("row", "start", "end", "word", "tags", "gold")
