"""Training of the CRF tagger in resumable stages, and its precision, recall and F1 on held-out sentences.

The scores are there for the card of a trained tagger; the stages of training follow.

In stages: the known words are listed, a chain learns to find words, a chain learns to tag them. Each stage writes its
file when it has finished, so that a training that was interrupted goes on with the stage it was in. The card, written
last, says from which sentences the tagger learned, with which settings, and how well it does on sentences that were
held out. No sentence that is held out is learned from, wherever else it stands in the corpus.
"""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.io.files import read_json, write_json
from hengliang.core.labelling.spans import LabelledSpans, labelled_spans
from hengliang.core.learning import TEMPORARY, is_trained, model_folder, train_once
from hengliang.core.progress import Silent, Watcher
from hengliang.core.signature import digest
from hengliang.tagging.sentences import gold_spans, read_gold
from hengliang.tagging.trained.model import (
    FOLDS,
    LEXICON,
    TAG_CHAIN,
    VERSION,
    WORD_CHAIN,
    ChainSettings,
    Features,
    Lexicon,
    character_features,
    crfsuite_library,
    fold_numbers,
    learn_lexicon,
    read_model,
    sentence_digests,
    train_chain,
    widened,
    word_features,
    word_labels,
    write_digests,
    write_lexicon,
)

# --- precision, recall and F1 -----------------------------------------------------------------------------------------
# Counts how many of the annotators' words, and of their tagged words, a tagger finds, in the way of the segmentation
# bakeoffs [1]: a word is found when it begins and ends where the annotators' does; a tagged word when its tag is the
# same too. A sentence that could not be tagged has no words.
#
# [1] Sproat, R., & Emerson, T. (2003). The first international Chinese word segmentation bakeoff. SIGHAN 2003, 133–143.


@dataclass(frozen=True, slots=True)
class TaggingScores:
    """Counts of words: the annotators', the tagger's, those in both, and those in both with the same tag."""

    gold: int
    found: int
    words: int
    tagged: int
    sentences: int
    failed: int

    @property
    def word_f1(self) -> float:
        """Two times the words in both, divided by the words of both; 0 where there are none."""
        return 2 * self.words / (self.gold + self.found) if self.gold + self.found else 0.0

    @property
    def tagged_f1(self) -> float:
        """The same for words with their tags."""
        return 2 * self.tagged / (self.gold + self.found) if self.gold + self.found else 0.0

    def as_dict(self) -> dict[str, float]:
        """Return counts and both F1 by name, for a card."""
        return {**asdict(self), "word_f1": round(self.word_f1, 6), "tagged_f1": round(self.tagged_f1, 6)}


def tagging_scores(golds: Sequence[str], found: LabelledSpans) -> TaggingScores:
    """Compare tagged sentences with their gold (`就/p 此/r`)."""
    gold_count = found_count = words = tagged = 0
    for row, gold in enumerate(golds):
        wanted, answered = set(gold_spans(gold)), set(found.of(row))
        gold_count += len(wanted)
        found_count += len(answered)
        tagged += len(wanted & answered)
        words += len({span[:2] for span in wanted} & {span[:2] for span in answered})
    failed = sum(bool(problem) for problem in found.problems)
    return TaggingScores(gold_count, found_count, words, tagged, len(golds), failed)


# --- training ---------------------------------------------------------------------------------------------------------


NAME = "tagger-crf"
KIND, FAMILY = "tagger", "crf"


@dataclass(frozen=True, slots=True)
class TaggerSettings:
    """How the chain that finds words and the chain that tags them are learned."""

    words: ChainSettings = field(default_factory=ChainSettings)
    tags: ChainSettings = field(default_factory=ChainSettings)


@dataclass(frozen=True, slots=True, eq=False)
class TrainingSentences:
    """Sentences to learn from, without those that are held out: contents, widened words, and tags."""

    contents: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]
    tags: tuple[tuple[str, ...], ...]
    left_out: int

    @property
    def checksum(self) -> str:
        """A hash of all words and tags, in order."""
        return digest(
            *("\n".join(f"{word}\t{tag}" for word, tag in zip(words, tags, strict=True)) for words, tags in self.pairs)
        )

    @property
    def pairs(self) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        """The words and tags of each sentence."""
        return zip(self.words, self.tags, strict=True)


def train_tagger(
    sentences: pl.DataFrame,
    where: str | Path = NAME,
    *,
    settings: TaggerSettings | None = None,
    seed: int = 1,
    added: pl.DataFrame | None = None,
    dev: pl.DataFrame | None = None,
    held_out: pl.DataFrame | None = None,
    facts: Mapping[str, Any] | None = None,
    watcher: Watcher | None = None,
) -> Path:
    """Train a tagger, or go on with it, and return its folder; a finished one is left as it is.

    `sentences` and `added` are items of tagged sentences (`content`, `gold`); it learns from both. `dev` is tagged in
    the end for the card's scores. Sentences with the same text as one of `dev` or `held_out` are not learned from.
    `where` is a name in the store or a path; `facts` (data, licence, parts) are written on the card.
    """
    used, folder = settings or TaggerSettings(), where if isinstance(where, Path) else model_folder(where)
    for chain in (used.words, used.tags):
        chain.parameters()
    if not 0 <= seed < 2**32:
        raise UserError(f"The seed is {seed}.", valid="A seed is a whole number from 0 to 4294967295.")
    prepared = training_sentences(sentences, added, [frame for frame in (dev, held_out) if frame is not None])
    if not is_trained(folder):
        crfsuite_library()

    def learn() -> Mapping[str, Any]:
        seconds = _learn(prepared, folder, used, seed, watcher or Silent())
        scores = {} if dev is None else {"dev": _scores(folder, dev)}
        return {**_facts(prepared, seed, facts or {}), **scores, "training_seconds": seconds}

    return train_once(folder, _recipe(prepared, used, seed, dev), learn)


def training_sentences(
    sentences: pl.DataFrame, added: pl.DataFrame | None = None, held_out: Sequence[pl.DataFrame] = ()
) -> TrainingSentences:
    """Return the sentences to learn from, those that were added last, without those with the text of a held-out one."""
    frames = [frame.select("content", "gold") for frame in (sentences, added) if frame is not None]
    tagged = pl.concat(frames).filter(pl.col("gold").is_not_null() & (pl.col("gold") != ""))
    banned = np.concatenate([sentence_digests(frame["content"].to_list()) for frame in (*held_out, tagged.clear())])
    kept = tagged.filter(~np.isin(sentence_digests(tagged["content"].to_list()), banned))
    if not kept.height:
        raise UserError(
            f"There is no sentence to learn from: {tagged.height} were given, all of them held out.",
            valid="Sentences to learn from are items of tagged sentences, with words and tags as gold.",
        )
    read = [read_gold(gold) for gold in kept["gold"].to_list()]
    return TrainingSentences(
        tuple(kept["content"].to_list()),
        tuple(tuple(widened(unicodedata.normalize("NFC", word)) for word in words) for words, _ in read),
        tuple(tags for _, tags in read),
        tagged.height - kept.height,
    )


def _recipe(given: TrainingSentences, settings: TaggerSettings, seed: int, dev: pl.DataFrame | None) -> dict[str, Any]:
    return {
        "family": FAMILY,
        "features": VERSION,
        "folds": FOLDS,
        "seed": seed,
        "settings": asdict(settings),
        "sentences": given.checksum,
        "dev": "" if dev is None else digest(*dev["gold"].to_list()),
    }


def _facts(given: TrainingSentences, seed: int, facts: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "kind": KIND,
        "family": FAMILY,
        "seed": seed,
        "data": "",
        "licence": "unclear",
        **facts,
        "sentences": len(given.contents),
        "left_out": given.left_out,
        "words": sum(map(len, given.words)),
        "tags": sorted({tag for tags in given.tags for tag in tags}),
    }


# --- the stages -----------------------------------------------------------------------------------------------------


def _learn(
    given: TrainingSentences, folder: Path, settings: TaggerSettings, seed: int, watcher: Watcher
) -> dict[str, float]:
    """Do the stages whose files are not there yet, and return how many seconds each took."""
    lexicon = learn_lexicon(zip(given.words, given.tags, fold_numbers(len(given.words)), strict=True))
    write_lexicon(folder / LEXICON, lexicon)
    write_digests(folder, sentence_digests(given.contents))
    clock = folder / TEMPORARY / "seconds.json"
    seconds: dict[str, float] = read_json(clock) if clock.is_file() else {}
    stages = {
        "words": (WORD_CHAIN, word_sequences, settings.words),
        "tags": (TAG_CHAIN, _tag_sequences, settings.tags),
    }
    for name, (file, sequences, chain) in stages.items():
        if (folder / file).is_file():
            watcher.say(f"{folder.name}: the chain of {name} is there already")
            continue
        begun = time.perf_counter()
        train_chain(folder / file, sequences(given, lexicon), chain, seed, watcher, f"learning {name}")
        seconds[name] = round(time.perf_counter() - begun, 1)
        write_json(clock, seconds)
        watcher.say(f"{folder.name}: the chain of {name} was learned in {seconds[name]:.0f} s")
    return seconds


def word_sequences(given: TrainingSentences, lexicon: Lexicon) -> Iterator[tuple[Features, list[str]]]:
    """Yield the features and labels of the characters of each sentence, from which words are learned."""
    for words, fold in zip(given.words, fold_numbers(len(given.words)), strict=True):
        yield character_features("".join(words), lexicon, fold), word_labels(words)


def _tag_sequences(given: TrainingSentences, lexicon: Lexicon) -> Iterator[tuple[Features, list[str]]]:
    for (words, tags), fold in zip(given.pairs, fold_numbers(len(given.words)), strict=True):
        yield word_features(words, lexicon, fold), list(tags)


def _scores(folder: Path, dev: pl.DataFrame) -> dict[str, float]:
    model = read_model(folder)
    return tagging_scores(dev["gold"].to_list(), labelled_spans(map(model.tagged, dev["content"]))).as_dict()
