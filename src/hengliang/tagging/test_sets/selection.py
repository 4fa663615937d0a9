"""Selection of training sentences for what a tagger gets wrong (targeted training), and near-duplicate detection.

Near-duplicates come first, because the selection leaves out what nearly repeats the test; the building of test sets
uses them too.

For every word that a tagger misses, sentences in which the annotators gave the word the tags it should have; and, so
that the tagger does not learn to give these tags always, at most as many in which the word rightly has the tags that
the tagger wrongly gave [1, section 5]. Sentences are named by their place; none that nearly repeats a sentence of the
test is taken, for that would be to teach the test.

[1] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
    Information Processing, 34(9), 9–18.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl
import scipy

from hengliang.core.errors import UserError
from hengliang.core.signature import number_of
from hengliang.tagging.sentences import tagged_places
from hengliang.tagging.test_sets.test_set import error_pair

# --- near duplicates --------------------------------------------------------------------------------------------------
# Sentences that say almost the same, character for character. Two sentences are near-duplicates when the Jaccard index
# of their character shingles (the stretches of three characters that occur in them) reaches a threshold. The search is
# exact, unlike that of MinHash [2]: two sets whose index reaches t share one of the rarest few shingles of each, so
# that only sentences which share such a shingle are compared [3]. Its time grows with the number of sentences that
# share a rare stretch, not with the square of all of them.
#
# [2] Broder, A. Z. (1997). On the resemblance and containment of documents. Compression and Complexity of Sequences.
# [3] Chaudhuri, S., Ganti, V., & Kaushik, R. (2006). A primitive operator for similarity joins in data cleaning. ICDE
#     2006; the prefix filter.

THRESHOLD = 0.6
"""The Jaccard index from which on two sentences count as near-duplicates."""

SHINGLE = 3
"""How many characters a shingle has."""

PAIR_SCHEMA: dict[str, pl.DataType] = {"first": pl.Int64(), "second": pl.Int64(), "jaccard": pl.Float64()}

_COMPARED_AT_ONCE = 2_000_000
# The index is a quotient of two whole numbers below 10⁶; this is less than any difference between two of them.
_TINY = 1e-9


def shingles(text: str, size: int = SHINGLE) -> frozenset[str]:
    """Return the stretches of `size` characters that occur in a text; a shorter text is its own only one."""
    return frozenset(text[start : start + size] for start in range(max(1, len(text) - size + 1)))


def jaccard(one: str, other: str, size: int = SHINGLE) -> float:
    """Return how many shingles two texts share, of all that either has."""
    first, second = shingles(one, size), shingles(other, size)
    return len(first & second) / len(first | second)


def near_duplicates(texts: Sequence[str], threshold: float = THRESHOLD, size: int = SHINGLE) -> pl.DataFrame:
    """Return all pairs of texts whose Jaccard index reaches the threshold: first, second (places), jaccard.

    Texts with the same shingles are compared once: each of them is paired with the first of its kind only.
    """
    if not 0 < threshold <= 1:
        raise UserError(f"{threshold} is no threshold for near-duplicates.", valid="It lies above 0 and is at most 1.")
    if size < 1:
        raise UserError(f"A shingle cannot have {size} characters.", valid="It has 1 or more.")
    firsts: dict[frozenset[str], int] = {}
    kinds = [firsts.setdefault(shingles(text, size), number) for number, text in enumerate(texts)]
    same = [(first, number, 1.0) for number, first in enumerate(kinds) if first != number]
    distinct = np.array(list(firsts.values()), dtype=np.int64)
    pairs = _near_pairs(list(firsts), threshold)
    near = pl.DataFrame(
        {"first": distinct[pairs["first"].to_numpy()], "second": distinct[pairs["second"].to_numpy()]},
        schema={"first": pl.Int64, "second": pl.Int64},
    ).with_columns(pairs["jaccard"])
    return pl.concat([near, pl.DataFrame(same, schema=PAIR_SCHEMA, orient="row")]).sort("first", "second")


def near_duplicate_groups(
    texts: Sequence[str], threshold: float = THRESHOLD, size: int = SHINGLE
) -> npt.NDArray[np.int64]:
    """Return of each text the place of the first of its group; near-duplicates of near-duplicates are in it too."""
    pairs = near_duplicates(texts, threshold, size)
    ends = (pairs["first"].to_numpy(), pairs["second"].to_numpy())
    graph = scipy.sparse.coo_matrix((np.ones(pairs.height), ends), shape=(len(texts), len(texts)))
    if not len(texts):
        return np.zeros(0, np.int64)
    _, labels = scipy.sparse.csgraph.connected_components(graph, directed=False)
    _, first = np.unique(labels, return_index=True)
    return np.asarray(first[labels], dtype=np.int64)


def _near_pairs(sets: list[frozenset[str]], threshold: float) -> pl.DataFrame:
    sizes = np.array([len(members) for members in sets], dtype=np.int64)
    rows = np.repeat(np.arange(len(sets)), sizes)
    # Sorted, because the order of a set changes from one process to the next.
    tokens = pl.Series([token for members in sets for token in sorted(members)], dtype=pl.String)
    words = pl.DataFrame({"row": rows, "token": tokens})
    counts = words.group_by("token").len("frequency").sort("frequency", "token").with_row_index("rank")
    words = words.join(counts, on="token", maintain_order="left").with_columns(pl.col("rank").cast(pl.Int64))
    matrix = scipy.sparse.csr_matrix(
        (np.ones(words.height, np.int32), (rows, words["rank"].to_numpy())), shape=(len(sets), counts.height)
    )
    # Two sets share at least t·size shingles of each, so they share one of the rarest size − ⌈t·size⌉ + 1 of each.
    prefix = sizes - np.ceil(threshold * sizes - _TINY).astype(np.int64) + 1
    ordered = words.sort("row", "rank").with_columns(place=pl.int_range(pl.len()).over("row"))
    heads = ordered.filter(pl.Series(ordered["place"].to_numpy() < prefix[ordered["row"].to_numpy()]))
    parts = [_compared(chunk, matrix, sizes, threshold) for chunk in _chunks(heads)]
    return pl.concat([pl.DataFrame(schema=PAIR_SCHEMA), *parts]).unique(["first", "second"]).sort("first", "second")


def _chunks(heads: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Give the shingles that may tie sentences together, as many at once as make a bounded number of pairs."""
    shared = heads.filter(pl.len().over("rank") > 1).select("row", "rank")
    costs = shared.group_by("rank").agg(cost=pl.len().cast(pl.Int64) ** 2).sort("rank")
    chunk = (costs["cost"].cum_sum() // _COMPARED_AT_ONCE).alias("chunk")
    numbered = shared.join(costs.select("rank", chunk), on="rank")
    for number in sorted(numbered["chunk"].unique().to_list()):
        yield numbered.filter(pl.col("chunk") == number).select("row", "rank")


def _compared(
    chunk: pl.DataFrame, matrix: scipy.sparse.csr_matrix, sizes: npt.NDArray[np.int64], threshold: float
) -> pl.DataFrame:
    pairs = chunk.join(chunk, on="rank", suffix="_other").filter(pl.col("row") < pl.col("row_other"))
    pairs = pairs.select("row", "row_other").unique()
    first, second = pairs["row"].to_numpy(), pairs["row_other"].to_numpy()
    # Sets of too different a size cannot reach the threshold.
    smaller, larger = np.minimum(sizes[first], sizes[second]), np.maximum(sizes[first], sizes[second])
    possible = smaller >= threshold * larger - _TINY
    first, second = first[possible], second[possible]
    shared = np.asarray(matrix[first].multiply(matrix[second]).sum(axis=1)).ravel().astype(np.int64)
    index = shared / (sizes[first] + sizes[second] - shared)
    near = index >= threshold
    return pl.DataFrame({"first": first[near], "second": second[near], "jaccard": index[near]}, schema=PAIR_SCHEMA)


# --- targeted sentences -----------------------------------------------------------------------------------------------


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
    offered = wanted.join(places, on=["word", "tags"], maintain_order="left_right")
    offered = offered.unique(["pair", "word", "kind", "item"], keep="first", maintain_order=True)
    drawn = [
        number_of(f"{seed} {word} {kind} {item}") for word, kind, item in offered["word", "kind", "item"].iter_rows()
    ]
    offered = offered.with_columns(drawn=pl.Series(drawn, dtype=pl.UInt64)).sort("pair", "word", "kind", "drawn")
    offered = offered.filter(~pl.col("item").is_in(_near(offered, pool, avoid)))
    chosen = _even(offered.group_by("pair", "word", "kind", maintain_order=True).head(per_word))
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
    rank = pl.int_range(pl.len(), dtype=pl.Int64).over("pair", "word", "kind")
    return drawn.filter((pl.col("kind") == "right") | (rank < right))


def _near(held: pl.DataFrame, pool: pl.DataFrame, avoid: Sequence[str]) -> list[str]:
    """Return the ids of the sentences that are near one that must not be learned from."""
    if not avoid or not held.height:
        return []
    sentences = pool.join(held.select(id="item").unique(), on="id", how="semi", maintain_order="left")
    texts = [*dict.fromkeys(avoid)]
    groups = near_duplicate_groups([*texts, *sentences["content"].to_list()])
    return [
        name
        for name, group in zip(sentences["id"].to_list(), groups[len(texts) :].tolist(), strict=True)
        if group < len(texts)
    ]
