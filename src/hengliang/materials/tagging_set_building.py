"""How does a test set for taggers follow from the errors that taggers make?

The words of an item are those that some tagger got wrong in the item's way. The sentences are all in which such a word
stands with the item's gold tags, as in [1], section 3.1, and not only those in which a tagger failed: else the set
would hold nothing but errors, and the taggers by which it was made would get no point. Of them a few are drawn for each
word, spread over the parts and the blocks of the corpus, and no two that say almost the same.

[1] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
    Information Processing, 34(9), 9–18.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.signature import number_of
from hengliang.materials.error_pairs import ErrorPair, error_pair
from hengliang.materials.near_duplicates import THRESHOLD, near_duplicate_groups
from hengliang.materials.tagged_places import tagged_places
from hengliang.materials.tagged_sentences import TaggedSentences
from hengliang.materials.tagging_sets import (
    SET_SCHEMA,
    HeldCorpus,
    TaggingSet,
    check_entries,
    held_corpus,
    sorted_corpora,
)

MOST = 5
"""How many sentences a word has at most."""

Review = pl.DataFrame | Iterable[str | ErrorPair]
"""The items that are kept: a review (pair, decision), or the pairs themselves."""

_WORDS = {"pair": pl.String(), "word": pl.String()}


def build_set(
    instances: pl.DataFrame,
    review: Review,
    sentences: TaggedSentences | pl.DataFrame,
    most: int = MOST,
    seed: int = 1,
    *,
    name: str = "",
    corpora: Iterable[HeldCorpus] = (),
    threshold: float = THRESHOLD,
) -> TaggingSet:
    """Return the test set of the kept items: their words from `instances`, up to `most` sentences for each.

    `sentences` are those of `tagged_sentences`, the material or its items; of items the checksums of their corpora may
    be given in `corpora`. The result follows from the seed, whatever the order of the rows.
    """
    kept = kept_pairs(review)
    for column in _WORDS:
        if column not in instances.columns:
            raise UserError(f"The error instances have no column '{column}'.", valid="See `error_instances`.")
    words = instances.filter(pl.col("pair").is_in(kept)).select("pair", pl.col("word").str.strip_chars(" "))
    words = words.unique().sort("pair", "word")
    if not words.height:
        raise UserError(
            "None of the items that are kept is among the errors.",
            valid=f"Kept: {', '.join(kept[:10]) or 'none'}.",
            remedy="Set the decision of some items to 'keep', and give the errors that were reviewed.",
        )
    empty = TaggingSet(pl.DataFrame(schema=SET_SCHEMA), name=name, listed=tuple(words.rows()))
    return grow_set(empty, sentences, most, seed, corpora=corpora, threshold=threshold)


def grow_set(
    tagging_set: TaggingSet,
    sentences: TaggedSentences | pl.DataFrame,
    most: int = MOST,
    seed: int = 1,
    *,
    corpora: Iterable[HeldCorpus] = (),
    threshold: float = THRESHOLD,
) -> TaggingSet:
    """Return the set with sentences of another corpus added, until each word has `most` or there are no more.

    What the set holds stays. A sentence that is almost the same as one that the word has is not added.
    """
    if most < 1:
        raise UserError(f"A word cannot have at most {most} sentences.", valid="`most` is 1 or more.")
    if not tagging_set.has_text:
        raise UserError(
            "This test set holds no text, so that its sentences cannot be compared with new ones.",
            remedy="Take the text from the corpus first: filled(tagging_set, corpus).",
        )
    items = sentences.items() if isinstance(sentences, TaggedSentences) else sentences
    held = (held_corpus(sentences),) if isinstance(sentences, TaggedSentences) else tuple(corpora)
    _check_names([*tagging_set.corpora, *held])
    words = pl.DataFrame(list(tagging_set.words), schema=_WORDS, orient="row")
    candidates = _candidates(words, items)
    candidates = _numbered(candidates, tagging_set.entries, seed, threshold)
    added = _drawn(candidates, tagging_set.entries, most)
    columns = {**tagging_set.entries.schema, "places": pl.Int64()}
    entries = pl.concat([tagging_set.entries, _entries(added)], how="diagonal").select(list(columns))
    named = {corpus.name for corpus in (*tagging_set.corpora, *held)}
    unnamed = [HeldCorpus(name) for name in added["corpus"].unique().to_list() if name not in named]
    return replace(
        tagging_set,
        entries=check_entries(_in_order(entries, words)),
        corpora=tuple(sorted_corpora([*tagging_set.corpora, *held, *unnamed])),
    )


def _check_names(corpora: Iterable[HeldCorpus]) -> None:
    """Refuse two corpora of one name: nobody could tell in which of them a sentence stands."""
    known: dict[str, str] = {}
    for corpus in corpora:
        if corpus.sha256 and known.setdefault(corpus.name, corpus.sha256) != corpus.sha256:
            raise UserError(
                f"The test set has sentences of another corpus that is called {corpus.name}.",
                valid="A corpus is called as its file is, without folder and ending.",
                remedy="Give the file of the new corpus another name.",
            )


def kept_pairs(review: Review) -> list[str]:
    """Return the short names of the items that a review keeps, sorted."""
    if isinstance(review, pl.DataFrame):
        for column in ("pair", "decision"):
            if column not in review.columns:
                raise UserError(f"The review has no column '{column}'.", valid="See `read_review`.")
        review = review.filter(pl.col("decision") == "keep")["pair"].to_list()
    return sorted({pair.name if isinstance(pair, ErrorPair) else error_pair(pair).name for pair in review})


# --- which sentences there are --------------------------------------------------------------------------------------


def _candidates(words: pl.DataFrame, sentences: pl.DataFrame) -> pl.DataFrame:
    """Return every sentence in which a word stands with its item's gold tags, at the first such place."""
    tags = {pair: "+".join(error_pair(pair).gold) for pair in words["pair"].unique().to_list()}
    tagged = words.with_columns(tags=pl.col("pair").replace_strict(tags, return_dtype=pl.String))
    places = tagged_places(sentences, tagged.select("word", "tags"))
    firsts = places.group_by("item", "word", "tags", maintain_order=True).agg(
        pl.col("start", "end", "gold").first(), places=pl.len().cast(pl.Int64)
    )
    held = sentences.select(
        "content", "paragraph", "offset", "block", "corpus_part", item="id",
        corpus=pl.col("id").str.replace(r"-\d+-\d+$", ""),
    )  # fmt: skip
    return tagged.join(firsts, on=["word", "tags"]).join(held, on="item").sort("pair", "word", "item")


def _numbered(candidates: pl.DataFrame, entries: pl.DataFrame, seed: int, threshold: float) -> pl.DataFrame:
    """Give every candidate a number drawn by the seed; leave out what says almost the same as another of its word."""
    texts = sorted({*candidates["content"].to_list(), *entries["content"].to_list()})
    groups = pl.DataFrame(
        {"content": texts, "group": near_duplicate_groups(texts, threshold)},
        schema={"content": pl.String, "group": pl.Int64},
    )
    drawn = candidates.with_columns(pl.Series("draw", _draws(candidates, seed), dtype=pl.UInt64))
    drawn = drawn.join(groups, on="content")
    held = entries.select("pair", "word", "content").join(groups, on="content").select("pair", "word", "group")
    fresh = drawn.join(held, on=["pair", "word", "group"], how="anti")
    return fresh.sort("draw", "item").unique(["pair", "word", "group"], keep="first", maintain_order=True)


def _draws(candidates: pl.DataFrame, seed: int) -> npt.NDArray[np.uint64]:
    """Return a number for each word and sentence that looks random and depends on nothing but them and the seed."""
    words = _numbers(candidates.select(key=pl.concat_str("pair", "word", separator="\t"))["key"], f"{seed}\tword\t")
    sentences = _numbers(candidates["item"], f"{seed}\tsentence\t")
    mixed = words ^ sentences
    # The finaliser of MurmurHash3: without it two words would put the same sentences in related orders.
    for factor in (np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)):
        mixed = (mixed ^ (mixed >> np.uint64(33))) * factor
    return np.asarray(mixed ^ (mixed >> np.uint64(33)), dtype=np.uint64)


def _numbers(texts: pl.Series, before: str) -> npt.NDArray[np.uint64]:
    distinct = texts.unique()
    numbers = np.array([number_of(before + text) for text in distinct.to_list()], dtype=np.uint64)
    table = pl.DataFrame({"text": distinct, "number": numbers}, schema={"text": pl.String, "number": pl.UInt64})
    rows = texts.rename("text").to_frame().join(table, on="text", how="left", maintain_order="left")
    return np.asarray(rows["number"].to_numpy(), dtype=np.uint64)


# --- which of them are taken ----------------------------------------------------------------------------------------


def _drawn(candidates: pl.DataFrame, entries: pl.DataFrame, most: int) -> pl.DataFrame:
    """Take in turn a sentence from each part of the corpus, and within a part from another block each time."""
    word = ["pair", "word"]
    held = entries.group_by(word).agg(held=pl.len().cast(pl.Int64))
    turns = candidates.with_columns(round=pl.col("draw").rank("ordinal").over(*word, "corpus_part", "block"))
    turns = turns.sort(*word, "round", "draw").with_columns(
        turn=pl.int_range(pl.len(), dtype=pl.Int64).over(*word, "corpus_part")
    )
    turns = turns.sort(*word, "turn", "draw").with_columns(place=pl.int_range(pl.len(), dtype=pl.Int64).over(word))
    turns = turns.join(held, on=word, how="left").with_columns(pl.col("held").fill_null(0))
    return turns.filter(pl.col("place") + pl.col("held") < most)


def _entries(drawn: pl.DataFrame) -> pl.DataFrame:
    columns = {**SET_SCHEMA, "places": pl.Int64()}
    ordered = drawn.sort("pair", "word", "corpus", "paragraph", "offset")
    return ordered.select(pl.col(name).cast(kind) for name, kind in columns.items())


def _in_order(entries: pl.DataFrame, words: pl.DataFrame) -> pl.DataFrame:
    """Bring the sentences of a word together, in the order of the words; what was there first comes first."""
    numbered = entries.join(words.with_row_index("number"), on=["pair", "word"], how="left", maintain_order="left")
    return numbered.sort("number", maintain_order=True).drop("number")
