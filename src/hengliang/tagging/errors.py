"""Error mining: where taggers differ from a tagged corpus, and which error pairs most taggers make.

The first part finds the error instances of each tagger; the second counts them by error pair and picks candidates for a
test set.

A tagger and the annotators cut the same sentence. The edges that they share part it into the smallest groups of words
that start and end together; a group whose words or tags differ is one error, and its tags make an error pair [1]. All
sentences of a tagger are worked on at once: they stand one after the other, an edge is a number, and the groups lie
between the numbers that both sides have. `segmentation.align` says the same of one sentence.

[1] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
    Information Processing, 34(9), 9–18, sections 2.1.2 to 2.1.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.labelling.texts import edges_of, ranges
from hengliang.core.records import check_responses
from hengliang.core.text.characters import Offsets, utf8
from hengliang.core.text.segmentation import join_words
from hengliang.tagging.sentences import read_gold
from hengliang.tagging.test_sets.test_set import fits_pair

# --- error instances --------------------------------------------------------------------------------------------------


INSTANCE_SCHEMA: dict[str, pl.DataType] = {
    "item": pl.String(),
    "system": pl.String(),
    "pair": pl.String(),
    "direction": pl.String(),
    "start": pl.Int64(),
    "end": pl.Int64(),
    "word": pl.String(),
    "gold": pl.String(),
    "predicted": pl.String(),
}

COVERAGE_SCHEMA: dict[str, pl.DataType] = {
    "system": pl.String(),
    "sentences": pl.Int64(),
    "compared": pl.Int64(),
    "failed": pl.Int64(),
    "unfitting": pl.Int64(),
    "unanswered": pl.Int64(),
    "words": pl.Int64(),
    "errors": pl.Int64(),
}

ENOUGH_WORDS = 100
"""From so many words on a tagger and a corpus that share no tag are taken to have different tag sets."""

INNER_SPACE = "\u00a0"
"""Stands for the space within a word (`New York`) in the column `predicted`, so that spaces only part words there."""


def error_instances(items: pl.DataFrame, responses: pl.DataFrame, segmentation: bool = True) -> pl.DataFrame:
    """Return each group of words on which a tagger and the corpus differ (`INSTANCE_SCHEMA`), tagger by tagger.

    `items` are tagged sentences, `responses` the tagged words that systems gave for them. Answers that failed or do not
    fit the sentence are left out, `compared_sentences` counts them. Without `segmentation` only groups count that are
    one word on both sides. A tagger that gives none of the tags of the corpus has another tag set and is refused.
    """
    corpus = _corpus(items)
    instances = []
    for system, own_responses in _by_system(items, responses):
        answers = _answers(items, corpus, own_responses)
        _check_tag_sets(corpus, system, answers)
        instances.append(_instances(items, corpus, system, answers, segmentation))
    return pl.concat(instances) if instances else pl.DataFrame(schema=INSTANCE_SCHEMA)


def compared_sentences(items: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
    """Return of each tagger how many sentences could be compared, and why the others could not (`COVERAGE_SCHEMA`).

    `failed` have no answer but a reason, `unfitting` are answers whose words do not follow each other from the first
    byte of the sentence to its last, `unanswered` have no row. `words` are those of the corpus in the compared
    sentences, `errors` the groups that differ.
    """
    corpus = _corpus(items)
    rows = []
    for system, own_responses in _by_system(items, responses):
        answers = _answers(items, corpus, own_responses)
        compared = int(answers.fits.sum())
        rows.append(
            {
                "system": system,
                "sentences": items.height,
                "compared": compared,
                "failed": answers.failed,
                "unfitting": answers.given - compared,
                "unanswered": items.height - answers.given - answers.failed,
                "words": int(answers.fits[corpus.words.rows].sum()),
                "errors": len(_groups(corpus, answers, segmentation=True).gold_first),
            }
        )
    return pl.DataFrame(rows, schema=COVERAGE_SCHEMA)


# --- the words of corpus and tagger -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Words:
    """Words of sentences that stand one after the other: their sentence, where they start and end, their tags."""

    rows: Offsets
    starts: Offsets
    ends: Offsets
    tags: pl.Series

    def of(self, chosen: npt.NDArray[np.bool_]) -> _Words:
        """Return the words of the chosen sentences."""
        kept = chosen[self.rows]
        return _Words(self.rows[kept], self.starts[kept], self.ends[kept], self.tags.filter(pl.Series(kept)))


@dataclass(frozen=True, slots=True, eq=False)
class _Corpus:
    """The bytes of all sentences, where each sentence starts in them, and the words of the annotators."""

    raw: bytes
    starts: Offsets
    words: _Words


@dataclass(frozen=True, slots=True, eq=False)
class _Answers:
    """The words of one tagger in the sentences that its words fit, and how many answers there were."""

    fits: npt.NDArray[np.bool_]
    words: _Words
    given: int
    failed: int


def _corpus(items: pl.DataFrame) -> _Corpus:
    contents = items["content"].fill_null("")
    raw = utf8("".join(contents.to_list()))
    starts = edges_of(contents.str.len_bytes().to_numpy().astype(np.int64))
    tokens = (
        items.select(row=pl.int_range(pl.len()), token=pl.col("gold").fill_null("").str.split(" "))
        .explode("token")
        .with_columns(
            word=pl.col("token").str.extract(r"(?s)^(.+)/[^/]+$").str.normalize("NFC"),
            tag=pl.col("token").str.extract(r"/([^/]+)$"),
        )
    )
    wrong = tokens.filter(pl.col("word").is_null() | pl.col("tag").is_null())
    if wrong.height:
        raise _no_gold(items.row(wrong["row"][0], named=True))
    _check_tags(tokens["tag"], "The corpus has")
    sizes = tokens["word"].str.len_bytes().to_numpy().astype(np.int64)
    rows = tokens["row"].to_numpy()
    joined = tokens.group_by("row", maintain_order=True).agg(pl.col("word").str.join(""))["word"]
    places = edges_of(np.bincount(rows, minlength=items.height))
    # Only between words of Latin letters a space stands in the sentence; those few are joined one by one.
    for row in np.flatnonzero((joined != contents).to_numpy()).tolist():
        sizes[places[row] : places[row + 1]] = _sizes(items.row(row, named=True))
    edges = edges_of(sizes)
    return _Corpus(raw, starts, _Words(rows, edges[:-1], edges[1:], tokens["tag"]))


def _sizes(item: dict[str, object]) -> list[int]:
    words, _ = read_gold(str(item["gold"]))
    content, spans = join_words(words)
    if content != item["content"]:
        raise UserError(
            f"The gold words of item '{item['id']}' give the sentence '{content[:40]}', "
            f"but its content is '{str(item['content'])[:40]}'.",
            valid="The words of the gold, joined, are the content.",
        )
    return [end - start for start, end in spans]


def _no_gold(item: dict[str, object]) -> UserError:
    return UserError(
        f"Item '{item['id']}' has no tagged words as its gold: '{str(item['gold'] or '')[:60]}'.",
        valid="Errors of taggers are found in tagged sentences, whose gold is word/tag word/tag.",
        remedy="Take the items of tagged_sentences(CORPUS).",
    )


def _check_tags(tags: pl.Series, whose: str) -> None:
    """Refuse tags of which no error pair can be made; an empty one makes its answer unfitting."""
    strange = sorted(tag for tag in tags.unique().to_list() if tag and not fits_pair(tag))
    if strange:
        raise UserError(
            f"{whose} the tag '{strange[0]}', which cannot stand in an error pair.",
            valid="A tag has no space and none of : + , < > [ ] and quotes.",
            remedy="Write it otherwise in the corpus, or give the tagger a tag map that renames it.",
        )


def _by_system(items: pl.DataFrame, responses: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    """Return the answers to these items by tagger, in the order in which the taggers come."""
    numbers = items.select(item="id", row=pl.int_range(pl.len()))
    known = check_responses(responses, "tagging").join(numbers, on="item", how="inner", maintain_order="left")
    if responses.height and not known.height:
        raise UserError(
            f"No response is about one of these {items.height} items; the first is about '{responses['item'][0]}'.",
            remedy="Give the items to which the taggers answered.",
        )
    twice = known.filter(pl.struct("item", "system").is_duplicated())
    if twice.height:
        raise UserError(
            f"The tagger '{twice['system'][0]}' has two answers to the sentence '{twice['item'][0]}'.",
            valid="One answer of each tagger to each sentence is compared.",
            remedy="Choose the answers of one seed.",
        )
    return [(str(name[0]), part) for name, part in known.group_by("system", maintain_order=True)]


def _answers(items: pl.DataFrame, corpus: _Corpus, given: pl.DataFrame) -> _Answers:
    answered = given.filter(pl.col("status") == "ok").sort("row")
    with_words = answered.filter(pl.col("content").list.len() > 0)
    pieces = with_words.select("row", "content").explode("content").unnest("content")
    rows = pieces["row"].to_numpy()
    base = corpus.starts[rows]
    starts, ends = (base + pieces[name].fill_null(-1).to_numpy() for name in ("start", "end"))
    tags = pieces["tag"].fill_null("")
    _check_tags(tags, f"The tagger '{given['system'][0]}' gives")
    bad = (ends <= starts) | (tags == "").to_numpy() | _inside_character(corpus.raw, ends)
    first = np.append(True, rows[1:] != rows[:-1])[: len(rows)]
    last = np.append(first[1:], True)[: len(rows)]
    bad |= np.where(first, starts != base, starts != np.append(0, ends)[: len(ends)])
    bad |= last & (ends != corpus.starts[rows + 1])
    fits = np.zeros(items.height, np.bool_)
    fits[with_words["row"].to_numpy()] = True
    fits[rows[bad]] = False
    words = _Words(rows, starts, ends, tags).of(fits)
    return _Answers(fits, words, answered.height, given.height - answered.height)


def _check_tag_sets(corpus: _Corpus, system: str, answers: _Answers) -> None:
    gold = corpus.words.of(answers.fits).tags
    theirs, ours = sorted(answers.words.tags.unique().to_list()), sorted(gold.unique().to_list())
    if len(gold) >= ENOUGH_WORDS and not set(theirs) & set(ours):
        raise UserError(
            f"The tagger '{system}' gives none of the tags of the corpus in {len(gold):,} words.",
            valid=f"Tags of the corpus: {', '.join(ours[:8])}, …; of the tagger: {', '.join(theirs[:8])}, …",
            remedy="Map its tags to those of the corpus, as with --tags ud or mapped(TAGGER, tags='ud').",
        )


def _inside_character(raw: bytes, places: Offsets) -> npt.NDArray[np.bool_]:
    """Say which places fall within a character: the bytes 10xxxxxx of UTF-8 continue one."""
    padded = np.frombuffer(raw + b"\0", np.uint8)
    inside: npt.NDArray[np.bool_] = padded[np.clip(places, 0, len(raw))] & 0xC0 == 0x80
    return inside


# --- groups of words that differ --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """Groups that differ: the first word of each and how many words it has, in the corpus and for the tagger."""

    gold_first: Offsets
    gold_count: Offsets
    predicted_first: Offsets
    predicted_count: Offsets


def _groups(corpus: _Corpus, answers: _Answers, segmentation: bool) -> _Groups:
    """Return the groups that differ; the numbers count the words of the sentences that are compared."""
    gold, predicted = corpus.words.of(answers.fits), answers.words
    shared = np.intersect1d(gold.ends, predicted.ends, assume_unique=True)
    gold_last, predicted_last = np.searchsorted(gold.ends, shared), np.searchsorted(predicted.ends, shared)
    gold_count, predicted_count = np.diff(gold_last, prepend=-1), np.diff(predicted_last, prepend=-1)
    alone = (gold_count == 1) & (predicted_count == 1)
    other_tag = (gold.tags.gather(gold_last) != predicted.tags.gather(predicted_last)).to_numpy()
    chosen = ~alone | other_tag if segmentation else alone & other_tag
    return _Groups(
        (gold_last - gold_count + 1)[chosen],
        gold_count[chosen],
        (predicted_last - predicted_count + 1)[chosen],
        predicted_count[chosen],
    )


def _instances(
    items: pl.DataFrame, corpus: _Corpus, system: str, answers: _Answers, segmentation: bool
) -> pl.DataFrame:
    gold, groups = corpus.words.of(answers.fits), _groups(corpus, answers, segmentation)
    corpus_side = _texts(corpus.raw, gold, groups.gold_first, groups.gold_count)
    tagger_side = _texts(corpus.raw, answers.words, groups.predicted_first, groups.predicted_count)
    starts = gold.starts[groups.gold_first]
    ends = gold.ends[groups.gold_first + groups.gold_count - 1]
    rows = gold.rows[groups.gold_first]
    single_gold, single_predicted = pl.col("gold_count") == 1, pl.col("predicted_count") == 1
    frame = pl.DataFrame(
        {
            "item": items["id"].gather(rows),
            "start": starts - corpus.starts[rows],
            "end": ends - corpus.starts[rows],
            "word": _pieces(corpus.raw, starts, ends),
            "gold": corpus_side["text"],
            "predicted": tagger_side["text"],
            "gold_tags": corpus_side["tags"],
            "predicted_tags": tagger_side["tags"],
            "gold_count": groups.gold_count,
            "predicted_count": groups.predicted_count,
        }
    )
    return frame.with_columns(
        system=pl.lit(system),
        pair=pl.format("{}:{}", "gold_tags", "predicted_tags"),
        direction=pl.when(single_gold & single_predicted).then(pl.lit("same"))
        .when(single_gold).then(pl.lit("finer"))
        .when(single_predicted).then(pl.lit("coarser")).otherwise(pl.lit("crossing")),
    ).select(pl.col(name).cast(dtype) for name, dtype in INSTANCE_SCHEMA.items())  # fmt: skip


def _texts(raw: bytes, words: _Words, first: Offsets, count: Offsets) -> pl.DataFrame:
    """Return of each group its tags (`p+r`) and its words with their tags (`就/p 此/r`)."""
    places = ranges(first, count)
    pieces = _pieces(raw, words.starts[places], words.ends[places]).str.replace_all(r"\s+", INNER_SPACE)
    frame = pl.DataFrame(
        {"group": np.repeat(np.arange(len(first)), count), "word": pieces, "tag": words.tags.gather(places)}
    )
    # A tagger may take the space itself for a word.
    shown = pl.when(pl.col("word") == "").then(pl.lit(INNER_SPACE)).otherwise("word")
    texts = frame.group_by("group", maintain_order=True).agg(
        tags=pl.col("tag").str.join("+"), text=pl.format("{}/{}", shown, "tag").str.join(" ")
    )
    return texts.select("tags", "text")


def _pieces(raw: bytes, starts: Offsets, ends: Offsets) -> pl.Series:
    """Return what stands at the spans, without the spaces around it."""
    texts = [raw[start:end].decode() for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    return pl.Series(texts, dtype=pl.String).str.strip_chars()


# --- candidates -------------------------------------------------------------------------------------------------------
# An error that one tagger makes says something about that tagger. An error pair that most of several taggers make says
# something about the language, and is a candidate for an item of a test set [1, section 2.1.4]. The paper calls the
# step conjunction and takes the pairs that more than 51 % of its taggers make, that is three of five.

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
    made = _checked(instances).filter(pl.col("system").is_in(voters))
    per_system = (
        made.group_by("pair", "system")
        .agg(instances=pl.len().cast(pl.Int64))
        .join(pl.DataFrame({"system": voters, "place": range(len(voters))}), on="system")
        .sort("place")
        .group_by("pair", maintain_order=True)
        .agg(counts=pl.struct("system", "instances"), systems=(pl.col("instances") >= times).sum().cast(pl.Int64))
    )
    totals = made.group_by("pair", "direction").agg(
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
    """Return the instances whose word at least `votes` taggers get wrong in the pair's way, of `most` words per pair.

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
