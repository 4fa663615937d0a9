"""Which sentences would teach a tagger what it gets wrong?

For every word that a tagger misses, sentences in which the annotators gave the word the tags it should have; and, so
that the tagger does not learn to give these tags always, at most as many in which the word rightly has the tags that
the tagger wrongly gave [1, section 5]. Sentences are named by their place; none that is near a sentence of the test is
taken, for that would be to teach the test.

[1] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
    Information Processing, 34(9), 9–18.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.signature import number_of
from hengliang.materials.error_pairs import error_pair
from hengliang.materials.near_duplicates import near_duplicate_groups
from hengliang.materials.tagged_places import tagged_places

PER_WORD = 20
"""So many sentences of either kind a word gets at most."""

TARGETED_SCHEMA: dict[str, pl.DataType] = {
    "pair": pl.String(),
    "word": pl.String(),
    "kind": pl.String(),
    "gold": pl.String(),
    "item": pl.String(),
    "start": pl.Int64(),
    "end": pl.Int64(),
}
"""`kind` is `right` (the tags that the tagger should give) or `contrast` (those that it gave, where they are right)."""


def targeted_sentences(
    missed: pl.DataFrame,
    pool: pl.DataFrame,
    *,
    avoid: Sequence[str] = (),
    per_word: int = PER_WORD,
    contrast: bool = True,
    seed: int = 1,
) -> pl.DataFrame:
    """Return where in the `pool` (items of tagged sentences) stands what was `missed` (columns pair and word).

    Sentences near one of `avoid` are left out. The choice is a fixed draw by the seed, whatever the order of rows.
    """
    for name in ("pair", "word"):
        if name not in missed.columns:
            raise UserError(f"What was missed has no column '{name}'.", valid="Columns: pair, word.")
    if per_word < 1:
        raise UserError(f"{per_word} sentences a word are too few.", valid="One or more.")
    wanted = _wanted(missed, contrast=contrast)
    places = tagged_places(pool, wanted.select("word", "tags"))
    # Of several places in a sentence the first is named.
    held = wanted.join(places, on=["word", "tags"], maintain_order="left_right")
    held = held.unique(["pair", "word", "kind", "item"], keep="first", maintain_order=True)
    drawn = [number_of(f"{seed} {word} {kind} {item}") for word, kind, item in held["word", "kind", "item"].iter_rows()]
    held = held.with_columns(drawn=pl.Series(drawn, dtype=pl.UInt64)).sort("pair", "word", "kind", "drawn")
    held = held.filter(~pl.col("item").is_in(_near(held, pool, avoid)))
    chosen = _even(held.group_by("pair", "word", "kind", maintain_order=True).head(per_word))
    return chosen.sort("pair", "word", "kind", "item").select(
        pl.col(name).cast(kind) for name, kind in TARGETED_SCHEMA.items()
    )


def _wanted(missed: pl.DataFrame, *, contrast: bool) -> pl.DataFrame:
    rows = []
    for name, word in missed.select("pair", "word").unique().sort("pair", "word").iter_rows():
        pair = error_pair(name)
        rows.append((name, word, "right", "+".join(pair.gold)))
        if contrast:
            rows.append((name, word, "contrast", "+".join(pair.predicted)))
    return pl.DataFrame(rows, schema=dict.fromkeys(("pair", "word", "kind", "tags"), pl.String), orient="row")


def _even(drawn: pl.DataFrame) -> pl.DataFrame:
    """Leave out contrasts beyond the number of right uses: more of them would teach the mistake."""
    right = (pl.col("kind") == "right").sum().over("pair", "word")
    place = pl.int_range(pl.len(), dtype=pl.Int64).over("pair", "word", "kind")
    return drawn.filter((pl.col("kind") == "right") | (place < right))


def _near(held: pl.DataFrame, pool: pl.DataFrame, avoid: Sequence[str]) -> list[str]:
    """Return the ids of the sentences that are near one that must not be learned from."""
    if not avoid or not held.height:
        return []
    found = pool.join(held.select(id="item").unique(), on="id", how="semi", maintain_order="left")
    texts = [*dict.fromkeys(avoid)]
    groups = near_duplicate_groups([*texts, *found["content"].to_list()])
    return [
        name
        for name, group in zip(found["id"].to_list(), groups[len(texts) :].tolist(), strict=True)
        if group < len(texts)
    ]
