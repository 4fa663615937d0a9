"""Fine-grained evaluation set of Tang et al. (2020): places and gold tags of its words, recovered from the corpus.

The set of [1] lists sentences under words without saying which place is meant, and its sentences come from a corpus
that we have. So the gold words and the place are recovered: the sentence is looked up in the corpus, and the place is
where the annotators gave the word the item's gold tags. Not every line has such a place: some sentences hold the word
with other tags only, as the authors' copy of the corpus is tagged otherwise in places, or only as a part of longer
words. Every entry says in `found` which of these it is, and `places` counts the places that fit.

[1] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
    Information Processing, 34(9), 9–18.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Literal, get_args

import polars as pl

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.text.characters import utf8
from hengliang.corpora import catalogue as sources
from hengliang.tagging.sentences import (
    TaggedSentences,
    corpus_name,
    gold_spans,
    gold_text,
    tagged_places,
    tagged_sentences,
)
from hengliang.tagging.test_sets.test_set import (
    EXTRA_SCHEMA,
    SET_SCHEMA,
    TaggingSet,
    check_entries,
    error_pair,
    held_corpus,
    paragraph_texts,
    read_listing,
)

SOURCE = "pos-finegrained"
FILE = "evaluation_set.txt"

Found = Literal["one place", "several places", "other tags", "inside words", "no corpus"]
FOUND: tuple[Found, ...] = get_args(Found)
"""How the place of a word was found: one place has the item's gold tags; several have; the word stands there with
other tags only; it stands there only inside longer words or across them; the sentence is not in the corpus."""

Several = Literal["first", "all", "drop"]
"""What to do where several places fit: take the first, make an entry of each, or leave the sentence out."""

Unfit = Literal["first", "drop"]
"""What to do where no place is known to fit: take the first place that holds the characters, or leave it out."""


def fine_grained_set(
    corpus: str | Path | TaggedSentences = sources.DEFAULT_CORPUS,
    several: Several = "first",
    unfit: Unfit = "first",
    unseen: Unfit = "first",
) -> TaggingSet:
    """Return the published set with the places of its words; `located` explains the policies."""
    listing = read_listing(sources.locate(SOURCE, FILE))
    return replace(located(listing, corpus, several, unfit, unseen), name=SOURCE)


def located(
    listing: pl.DataFrame,
    corpus: str | Path | TaggedSentences = sources.DEFAULT_CORPUS,
    several: Several = "first",
    unfit: Unfit = "first",
    unseen: Unfit = "first",
) -> TaggingSet:
    """Return the set of a listing (`read_listing`) with the place and the gold words of every word.

    `several` says which place is taken where more than one has the item's gold tags, `unfit` what becomes of a sentence
    in which none has, `unseen` what becomes of one that is not in the corpus. Words whose sentences are all left out
    stay listed.
    """
    _check_policy("several", several, get_args(Several))
    _check_policy("unfit", unfit, get_args(Unfit))
    _check_policy("unseen", unseen, get_args(Unfit))
    material = corpus if isinstance(corpus, TaggedSentences) else tagged_sentences(corpus)
    sentences = material.items()
    name = corpus_name(material.corpus)
    lines = _with_tags(listing.filter(pl.col("content").is_not_null()))
    seen = _seen(lines["content"].unique(maintain_order=True).to_list(), sentences, name)
    fitting = _fitting(lines, seen)
    rest = _rest(lines, seen, fitting)
    rest = rest.filter(pl.when(pl.col("found") == "no corpus").then(unseen == "first").otherwise(unfit == "first"))
    kept = [_several(fitting, several), _with_supposed_gold(rest, fitting, sentences)]
    entries = pl.concat([part.select("line", *SET_SCHEMA, *EXTRA_SCHEMA) for part in kept]).sort("line", "start")
    words = tuple(dict.fromkeys(listing.select("pair", "word").rows()))
    return TaggingSet(check_entries(entries.drop("line")), corpora=(held_corpus(material),), listed=words)


def found_counts(tagging_set: TaggingSet) -> pl.DataFrame:
    """Return how many entries were found in which way: found, entries."""
    if "found" not in tagging_set.entries.columns:
        raise UserError("This test set does not say how its places were found.", valid="Sets of `located` do.")
    counts = dict(tagging_set.entries["found"].value_counts().rows())
    return pl.DataFrame({"found": list(FOUND), "entries": [int(counts.get(way, 0)) for way in FOUND]})


def _check_policy(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise unknown_name(f"policy for {name}", value, known)


def _with_tags(lines: pl.DataFrame) -> pl.DataFrame:
    """Add the item's gold tags (`p+r`) and the first place of the word's characters in bytes."""
    tags = {pair: "+".join(error_pair(pair).gold) for pair in lines["pair"].unique().to_list()}
    starts = []
    for word, content, line in lines.select("word", "content", "line").iter_rows():
        before, matched, _ = content.partition(word)
        if not matched:
            raise UserError(f"Line {line} of the listing: the sentence does not hold the word '{word}'.")
        starts.append(len(utf8(before)))
    return lines.with_columns(
        tags=pl.col("pair").replace_strict(tags, return_dtype=pl.String),
        first=pl.Series(starts, dtype=pl.Int64),
    )


# --- the sentences in the corpus ------------------------------------------------------------------------------------

_SEEN_SCHEMA: dict[str, pl.DataType] = {
    "id": pl.String(),
    "content": pl.String(),
    "gold": pl.String(),
    "corpus": pl.String(),
    "paragraph": pl.Int64(),
    "offset": pl.Int64(),
    "size": pl.Int64(),
    "corpus_part": pl.String(),
}


def _seen(contents: list[str], sentences: pl.DataFrame, corpus: str) -> pl.DataFrame:
    """Return where each text stands in the corpus, a row for every place, with its words and tags.

    A text is a sentence of the corpus, or a stretch of a paragraph from word to word: several sentences, or a part.
    """
    wanted = pl.DataFrame({"content": contents}, schema={"content": pl.String})
    whole = sentences.join(wanted, on="content", how="semi").with_columns(size=pl.lit(None, pl.Int64))
    columns = ["content", "gold", "paragraph", "offset", "size", "corpus_part"]
    stretches = _stretches(wanted.join(whole, on="content", how="anti")["content"].to_list(), sentences)
    seen = pl.concat([whole.select(columns), stretches.select(columns)]).sort("paragraph", "offset")
    identity = pl.int_range(pl.len(), dtype=pl.Int64).cast(pl.String)
    return seen.with_columns(id=identity, corpus=pl.lit(corpus)).select(list(_SEEN_SCHEMA))


def _stretches(contents: list[str], sentences: pl.DataFrame) -> pl.DataFrame:
    schema = {name: kind for name, kind in _SEEN_SCHEMA.items() if name not in {"id", "corpus"}}
    if not contents:
        return pl.DataFrame(schema=schema)
    texts = paragraph_texts(sentences)
    numbers = list(texts)
    starts = list(accumulate((len(text) + 1 for text, _ in texts.values()), initial=0))
    whole = b"\n".join(text for text, _ in texts.values())
    rows = []
    for content in contents:
        raw = utf8(content)
        for position in _occurrences(whole, raw):
            index = bisect_right(starts, position) - 1
            offset = position - starts[index]
            paragraph = sentences.filter(pl.col("paragraph") == numbers[index])
            gold = _gold_within(paragraph, offset, offset + len(raw))
            if gold:
                rows.append((content, gold, numbers[index], offset, len(raw), paragraph["corpus_part"][0]))
    return pl.DataFrame(rows, schema=schema, orient="row")


def _occurrences(whole: bytes, raw: bytes) -> Iterator[int]:
    position = whole.find(raw)
    while position >= 0:
        yield position
        position = whole.find(raw, position + 1)


def _gold_within(sentences: pl.DataFrame, start: int, end: int) -> str:
    """Return the words of a stretch of a paragraph with their tags; nothing where it begins or ends inside a word."""
    tokens, edges = [], []
    for offset, gold in sentences.select("offset", "gold").iter_rows():
        for token, (first, last, _) in zip(gold.split(" "), gold_spans(gold), strict=True):
            if start <= offset + first and offset + last <= end:
                tokens.append(token)
                edges += [offset + first, offset + last]
    return " ".join(tokens) if edges and (edges[0], edges[-1]) == (start, end) else ""


# --- the places in the sentences ------------------------------------------------------------------------------------


def _fitting(lines: pl.DataFrame, seen: pl.DataFrame) -> pl.DataFrame:
    """Return the places that have the item's gold tags, of the first passage of the corpus that has one."""
    places = tagged_places(seen, lines.select("word", "tags"))
    order = seen.with_row_index("passage").rename({"gold": "whole"})
    fits = lines.join(places.join(order, left_on="item", right_on="id"), on=["word", "tags", "content"])
    fits = fits.filter(pl.col("passage") == pl.col("passage").min().over("line"))
    places_of_line = pl.len().over("line").cast(pl.Int64)
    way = pl.when(places_of_line == 1).then(pl.lit("one place")).otherwise(pl.lit("several places"))
    return fits.with_columns(places=places_of_line, found=way).sort("line", "start")


def _several(fitting: pl.DataFrame, several: Several) -> pl.DataFrame:
    if several == "all":
        return fitting
    if several == "drop":
        return fitting.filter(pl.col("places") == 1)
    return fitting.filter(pl.col("start") == pl.col("start").min().over("line"))


def _rest(lines: pl.DataFrame, seen: pl.DataFrame, fitting: pl.DataFrame) -> pl.DataFrame:
    """Return the lines without a place that is known to fit, at the first place that holds the word's characters."""
    left = lines.join(fitting, on="line", how="anti", maintain_order="left")
    passages = seen.unique("content", keep="first", maintain_order=True).rename({"gold": "whole"})
    left = left.join(passages, on="content", how="left", maintain_order="left")
    ways = [
        "no corpus" if whole is None else "other tags" if _stands_as_word(word, content, whole) else "inside words"
        for word, content, whole in left.select("word", "content", "whole").iter_rows()
    ]
    return left.with_columns(
        found=pl.Series(ways, dtype=pl.String),
        places=pl.lit(0, pl.Int64),
        start=pl.col("first"),
        end=pl.col("first") + pl.col("word").str.len_bytes().cast(pl.Int64),
    )


def _stands_as_word(word: str, content: str, gold: str) -> bool:
    """Say whether words of the annotators begin and end where the characters of the word do, at any place."""
    spans = gold_spans(gold)
    starts, ends = {start for start, _, _ in spans}, {end for _, end, _ in spans}
    raw = utf8(word)
    return any(position in starts and position + len(raw) in ends for position in _occurrences(utf8(content), raw))


def _with_supposed_gold(rest: pl.DataFrame, fitting: pl.DataFrame, sentences: pl.DataFrame) -> pl.DataFrame:
    golds = _supposed_gold(rest, fitting, sentences)
    supposed = [golds[key] for key in rest.select("word", "tags").iter_rows()]
    return rest.with_columns(gold=pl.Series(supposed, dtype=pl.String))


def _supposed_gold(left: pl.DataFrame, fitting: pl.DataFrame, sentences: pl.DataFrame) -> dict[tuple[str, str], str]:
    """Return the words and tags that the item supposes: where there are several words, as the corpus cuts them."""
    keys = left.select("word", "tags").unique(maintain_order=True)
    golds = {(word, tags): gold_text([word], [tags]) for word, tags in keys.rows() if "+" not in tags}
    golds.update({(word, tags): gold for word, tags, gold in fitting.select("word", "tags", "gold").iter_rows()})
    unknown = keys.filter(pl.Series([key not in golds for key in keys.rows()], dtype=pl.Boolean))
    if unknown.height:
        elsewhere = tagged_places(sentences, unknown)
        golds.update({(word, tags): gold for word, tags, gold in elsewhere.select("word", "tags", "gold").iter_rows()})
    for word, tags in unknown.rows():
        golds.setdefault((word, tags), _character_by_character(word, tags.split("+")))
    return golds


def _character_by_character(word: str, tags: list[str]) -> str:
    if len(word) != len(tags):
        raise UserError(
            f"How '{word}' is cut into words with the tags {'+'.join(tags)} cannot be told: the corpus never does it.",
            remedy="Leave the word out of the listing, or name a corpus that has it.",
        )
    return gold_text(list(word), tags)
