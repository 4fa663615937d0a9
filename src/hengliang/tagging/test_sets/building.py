"""Construction of diagnostic test sets from the errors of taggers, and suggestions for the review of error pairs.

The first part draws the sentences of a set; the second suggests which error pairs are worth an item.

The words of an item are those that some tagger got wrong in the item's way. The sentences are all in which such a word
stands with the item's gold tags, as in [1], section 3.1, and not only those in which a tagger failed: else the set
would hold nothing but errors, and the taggers by which it was made would get no point. Of them a few are drawn for each
word, spread over the parts and the blocks of the corpus, and no two that say almost the same.

[1] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
    Information Processing, 34(9), 9–18.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.signature import number_of
from hengliang.core.terms import Bilingual
from hengliang.tagging.sentences import TaggedSentences, read_gold, tagged_places
from hengliang.tagging.tag_maps.tables import TAG_SETS, tag_map
from hengliang.tagging.test_sets.selection import THRESHOLD, near_duplicate_groups
from hengliang.tagging.test_sets.test_set import (
    SET_SCHEMA,
    ErrorPair,
    HeldCorpus,
    TaggingSet,
    check_entries,
    error_pair,
    held_corpus,
    sorted_corpora,
)
from hengliang.tagging.test_sets.word_boundaries import agrees, head_class, within_bounds

# --- building a set ---------------------------------------------------------------------------------------------------


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
    known_corpora = (held_corpus(sentences),) if isinstance(sentences, TaggedSentences) else tuple(corpora)
    _check_names([*tagging_set.corpora, *known_corpora])
    words = pl.DataFrame(list(tagging_set.words), schema=_WORDS, orient="row")
    candidates = _candidates(words, items)
    candidates = _numbered(candidates, tagging_set.entries, seed, threshold)
    added = _drawn(candidates, tagging_set.entries, most)
    columns = {**tagging_set.entries.schema, "places": pl.Int64()}
    entries = pl.concat([tagging_set.entries, _entries(added)], how="diagonal").select(list(columns))
    named = {corpus.name for corpus in (*tagging_set.corpora, *known_corpora)}
    unnamed = [HeldCorpus(name) for name in added["corpus"].unique().to_list() if name not in named]
    return replace(
        tagging_set,
        entries=check_entries(_in_order(entries, words)),
        corpora=tuple(sorted_corpora([*tagging_set.corpora, *known_corpora, *unnamed])),
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


# --- candidate sentences ----------------------------------------------------------------------------------------------


def _candidates(words: pl.DataFrame, sentences: pl.DataFrame) -> pl.DataFrame:
    """Return every sentence in which a word stands with its item's gold tags, at the first such place."""
    tags = {pair: "+".join(error_pair(pair).gold) for pair in words["pair"].unique().to_list()}
    tagged = words.with_columns(tags=pl.col("pair").replace_strict(tags, return_dtype=pl.String))
    places = tagged_places(sentences, tagged.select("word", "tags"))
    firsts = places.group_by("item", "word", "tags", maintain_order=True).agg(
        pl.col("start", "end", "gold").first(), places=pl.len().cast(pl.Int64)
    )
    texts = sentences.select(
        "content", "paragraph", "offset", "block", "corpus_part", item="id",
        corpus=pl.col("id").str.replace(r"-\d+-\d+$", ""),
    )  # fmt: skip
    return tagged.join(firsts, on=["word", "tags"]).join(texts, on="item").sort("pair", "word", "item")


def _numbered(candidates: pl.DataFrame, entries: pl.DataFrame, seed: int, threshold: float) -> pl.DataFrame:
    """Give every candidate a number drawn by the seed; leave out what says almost the same as another of its word."""
    texts = sorted({*candidates["content"].to_list(), *entries["content"].to_list()})
    groups = pl.DataFrame(
        {"content": texts, "group": near_duplicate_groups(texts, threshold)},
        schema={"content": pl.String, "group": pl.Int64},
    )
    drawn = candidates.with_columns(pl.Series("draw", _draws(candidates, seed), dtype=pl.UInt64))
    drawn = drawn.join(groups, on="content")
    taken = entries.select("pair", "word", "content").join(groups, on="content").select("pair", "word", "group")
    fresh = drawn.join(taken, on=["pair", "word", "group"], how="anti")
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


# --- drawing from the candidates --------------------------------------------------------------------------------------


def _drawn(candidates: pl.DataFrame, entries: pl.DataFrame, most: int) -> pl.DataFrame:
    """Take in turn a sentence from each part of the corpus, and within a part from another block each time."""
    word = ["pair", "word"]
    counts = entries.group_by(word).agg(held=pl.len().cast(pl.Int64))
    turns = candidates.with_columns(round=pl.col("draw").rank("ordinal").over(*word, "corpus_part", "block"))
    turns = turns.sort(*word, "round", "draw").with_columns(
        turn=pl.int_range(pl.len(), dtype=pl.Int64).over(*word, "corpus_part")
    )
    turns = turns.sort(*word, "turn", "draw").with_columns(place=pl.int_range(pl.len(), dtype=pl.Int64).over(word))
    turns = turns.join(counts, on=word, how="left").with_columns(pl.col("held").fill_null(0))
    return turns.filter(pl.col("place") + pl.col("held") < most)


def _entries(drawn: pl.DataFrame) -> pl.DataFrame:
    columns = {**SET_SCHEMA, "places": pl.Int64()}
    ordered = drawn.sort("pair", "word", "corpus", "paragraph", "offset")
    return ordered.select(pl.col(name).cast(kind) for name, kind in columns.items())


def _in_order(entries: pl.DataFrame, words: pl.DataFrame) -> pl.DataFrame:
    """Bring the sentences of a word together, in the order of the words; what was there first comes first."""
    numbered = entries.join(words.with_row_index("number"), on=["pair", "word"], how="left", maintain_order="left")
    return numbered.sort("number", maintain_order=True).drop("number")


# --- granularity of segmentation --------------------------------------------------------------------------------------
# Suggests whether an error pair is more than a question of how finely words are cut. Two principles say so [1, section
# 2.1.5], and they are not the same in both directions:
#
# - **Flexibility.** A tagger that cuts finer than the corpus is wrong only when its pieces are not within the bounds of
#   a word.
# - **Consistency.** A tagger that cuts coarser is wrong when the words it joins are not such a unit, and also when its
#   word is not of the class of their head. Bounds and heads are those of `word_boundaries`.
#
# Words cut across each other are an error, unless the tags are the same on both sides. One word for one word is not a
# question of cutting at all. An error pair is judged by most of the distinct words with which it occurs; the result is
# a suggestion, a person decides.
#
# The rules speak of the tags of the People's Daily. Those of Universal Dependencies and of the Penn Chinese Treebank
# are read as these (`tag_maps`); of tags of any other kind the rules know nothing, and what they suggest means little.

Decision = Literal["keep", "drop"]
"""Whether an error pair becomes an item of the test set."""

DECISIONS: tuple[Decision, ...] = get_args(Decision)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What the principles say of an error pair, why, and of how many of its distinct words they say so."""

    decision: Decision
    reason: Bilingual
    agreeing: int
    words: int


def word_decision(gold: str, predicted: str) -> Decision:
    """Say of one instance, given as words with tags (`就/p 此/r` and `就此/d`), whether it is more than another cut."""
    gold_words, gold_tags = read_gold(gold)
    predicted_words, predicted_tags = read_gold(predicted)
    if len(gold_tags) == len(predicted_tags) == 1:
        return "keep"
    if gold_tags == predicted_tags:
        return "drop"
    gold_tags, predicted_tags = _known_tags(gold_tags, gold_words), _known_tags(predicted_tags, predicted_words)
    if len(gold_tags) == 1:
        only_cut = within_bounds(predicted_words, predicted_tags, gold_tags[0], joined=False)
    elif len(predicted_tags) == 1:
        joinable = within_bounds(gold_words, gold_tags, predicted_tags[0], joined=True)
        only_cut = joinable and agrees(gold_tags, predicted_tags[0], gold_words)
    else:
        only_cut = False
    return "drop" if only_cut else "keep"


def _known_tags(tags: Sequence[str], words: Sequence[str]) -> tuple[str, ...]:
    """Return tags as the rules know them: for universal tags and those of the treebank the ones of the corpus."""
    return tuple(map(_known_tag, tags, words))


@lru_cache(maxsize=65536)
def _known_tag(tag: str, word: str) -> str:
    # The three tag sets have no tag in common.
    origin = next((name for name in ("ud", "ctb") if tag in TAG_SETS[name]), None)
    return tag_map(origin).one(tag, word) if origin else tag


def suggestion(pair: ErrorPair, cases: Iterable[tuple[str, str]]) -> Suggestion:
    """Return what most distinct instances of a pair say; `cases` are `(gold, predicted)`, words with their tags.

    Where as many say the one as the other, the pair is kept: a person sees it.
    """
    distinct = sorted(set(cases))
    if not distinct:
        raise UserError(f"No word was given for {pair}.", valid="A pair is judged by the words with which it occurs.")
    decisions = [word_decision(gold, predicted) for gold, predicted in distinct]
    decision: Decision = "drop" if 2 * decisions.count("drop") > len(distinct) else "keep"
    agreeing = decisions.count(decision)
    example = distinct[decisions.index(decision)]
    return Suggestion(decision, _reason(pair, decision, example, agreeing, len(distinct)), agreeing, len(distinct))


def _reason(pair: ErrorPair, decision: Decision, example: tuple[str, str], agreeing: int, words: int) -> Bilingual:
    if pair.direction == "same":
        return Bilingual("one word for one word: the tag is wrong", "一词对一词，词性标错")
    if pair.gold == pair.predicted:
        return Bilingual("the same tags, only cut elsewhere", "词性相同，只是切分位置不同")
    if pair.direction == "crossing":
        return Bilingual("the words are cut across each other", "两种切分交叉")
    share = Bilingual(
        f" ({agreeing} of {words} {'word' if words == 1 else 'words'})", f"（{words} 项词例中的 {agreeing} 项）"
    )
    principle = _principle(pair, decision, *example)
    return Bilingual(principle.en + share.en, principle.zh + share.zh)


def _principle(pair: ErrorPair, decision: Decision, gold: str, predicted: str) -> Bilingual:
    """Return which principle decides; `gold` and `predicted` are an instance for which it does."""
    if pair.direction == "finer":
        if decision == "drop":
            return Bilingual("flexibility: the pieces may be words", "灵活性原则：切出的成分可以成为分词单位")
        return Bilingual("flexibility: the pieces are less than words", "灵活性原则：切出的成分小于分词单位的下界")
    (words, tags), (given_words, given_tags) = read_gold(gold), read_gold(predicted)
    known, given = _known_tags(tags, words), _known_tags(given_tags, given_words)[0]
    head = head_class(known)
    if decision == "drop":
        return Bilingual(
            f"flexibility and consistency: may be one word, and its head {head} fits {given}",
            f"灵活性原则与一致性原则：可以成为一个分词单位，中心语 {head} 与 {given} 一致",
        )
    if agrees(known, given):
        return Bilingual(
            f"flexibility: too much for one word, though its head {head} fits {given}",
            f"灵活性原则：超出分词单位的上界，虽然中心语 {head} 与 {given} 一致",
        )
    return Bilingual(f"consistency: the head is {head}, not {given}", f"一致性原则：中心语为 {head}，而不是 {given}")
