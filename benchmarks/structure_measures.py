"""What does `benchmarks.structure` measure, and on which sentences?

Everything is told as pure numbers, for one network and one process: how quickly it learns, how quickly the beam search
reads, how time and probability grow with the beam and with the length of sentences, and how long whole suites take.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import torch

from hengliang import Material
from hengliang.core import Offsets
from hengliang.core.training_loop import Step, move
from hengliang.corpora import DEFAULT_CORPUS, Tree, is_here, locate, read_treebank
from hengliang.corpora.running_text import spread_rows
from hengliang.grammar import PUBLISHED_SUITES_SOURCE as PUBLISHED
from hengliang.grammar import published_suites, suites
from hengliang.language_models import (
    Beam,
    StructuredModel,
    Texts,
    Vocabulary,
    build_vocabulary,
    read_corpus,
    read_segmented_texts,
    read_structured,
    texts_of_items,
)
from hengliang.language_models import FoundAnalyses as Found
from hengliang.language_models import StructuredKind as Kind
from hengliang.language_models import TrainingSettings as Settings
from hengliang.language_models import beam_search as search
from hengliang.language_models.structured import Session, networks, one_at_a_time, structured_settings, structured_task
from hengliang.language_models.structured import plm as sequence_session

SIZE = "small"
LANES = 64


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured: sentences learned from, steps of a training, sentences of each search and their words.

    `paragraphs` is how many of the corpus are read, `suite_sentences` how many sentences of each set of suites, 0 for
    all; else the time of all suites is reckoned from the first sentences.
    """

    paragraphs: int = 0
    learned: int = 2000
    epochs: int = 1
    batches: int = 24
    alone: int = 120
    many: int = 64
    single: int = 8
    peer: int = 2
    searched_words: int = 10
    grown: int = 12
    grown_words: int = 20
    actions: tuple[int, ...] = (10, 30, 100, 300)
    words: tuple[int, ...] = (3, 10, 30)
    lengths: tuple[int, ...] = (5, 10, 20, 40)
    suite_sentences: int = 0
    threads: int = 2


FULL = Plan()
QUICK = Plan(
    paragraphs=1500,
    learned=200,
    batches=2,
    alone=6,
    many=8,
    single=1,
    peer=1,
    searched_words=3,
    grown=1,
    grown_words=5,
    actions=(10, 100),
    words=(3, 10),
    lengths=(5, 10),
    suite_sentences=16,
)


@dataclass(frozen=True, slots=True)
class Stuff:
    """What all measurements share: sentences with trees to learn from, and sentences to read, by their length."""

    vocabulary: Vocabulary
    train: tuple[Texts, Sequence[Tree]]
    dev: tuple[Texts, Sequence[Tree]]
    read: Mapping[int, tuple[tuple[str, ...], ...]]


def gather(plan: Plan, folder: Path) -> Stuff:
    """Take the first sentences of the default corpus with their trees; to be read are those of its test part.

    The vocabulary is that of the whole training part: it decides what a word costs.
    """
    data = DEFAULT_CORPUS
    if plan.paragraphs:
        lines = locate(DEFAULT_CORPUS)[0].read_text(encoding="utf-8").splitlines(keepends=True)
        (folder / "beginning.pku").write_text("".join(lines[: plan.paragraphs]), encoding="utf-8")
        data = str(folder / "beginning.pku")
    parts, trees = read_corpus(data).parts, read_treebank(data).trees
    texts = parts["train"]
    vocabulary = build_vocabulary(texts.words, len(texts))
    few = {"train": plan.learned, "dev": max(1, plan.learned // 10)}
    train, dev = ((parts[part].take(range(count)), trees[part][:count]) for part, count in few.items())  # type: ignore[index]
    lengths = {*plan.lengths, plan.grown_words, plan.searched_words}
    read = {length: sentences_of(parts["test"], length, plan.many) for length in sorted(lengths)}
    return Stuff(vocabulary, train, dev, read)


def sentences_of(texts: Texts, length: int, count: int) -> tuple[tuple[str, ...], ...]:
    """Return different sentences of so many words, evenly spread; fewer where there are not as many."""
    words = texts.words.to_list()
    firsts = texts.offsets[:-1][np.diff(texts.offsets) == length].tolist()
    found = list(dict.fromkeys(tuple(words[first : first + length]) for first in firsts))
    return tuple(found[row] for row in spread_rows(len(found), count).tolist())


def timed(work: Callable[[], Any]) -> float:
    """Return the seconds that some work takes."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


# --- training ---------------------------------------------------------------------------------------------------------


def settings_of(kind: Kind, plan: Plan) -> Settings:
    """Return how the network is trained; a second thread is not always at hand."""
    return replace(structured_settings(kind, SIZE), epochs=plan.epochs, threads=plan.threads)


def training_speed(kind: Kind, stuff: Stuff, plan: Plan) -> dict[str, Any]:
    """Return how quickly a network learns in batches, and from one sentence at a time; both take turns."""
    settings = settings_of(kind, plan)
    torch.set_num_threads(plan.threads)
    torch.manual_seed(1)
    task = structured_task(kind, SIZE, stuff.vocabulary, stuff.train, stuff.dev, settings, 1)
    prepared = timed(lambda: task.train.lesson(np.arange(1)))
    network = task.build().train()
    optimiser = task.optimiser(network)
    first = Step(1, 0, 1)

    def step(rows: Offsets) -> None:
        loss, _ = task.loss(network, rows, first)
        move(network, optimiser, loss, settings.clip)

    counts = np.diff(stuff.train[0].offsets)
    batches = task.batches(1)
    chosen = [batches[row] for row in spread_rows(len(batches), plan.batches).tolist()]
    step(chosen[0])
    step(chosen[0][:1])
    seconds, sentences, words = np.zeros(2), np.zeros(2, np.int64), np.zeros(2, np.int64)
    # One sentence in so many is also learned from alone, right after its batch.
    every = max(1, sum(map(len, chosen)) // plan.alone)
    for batch in chosen:
        singles = [batch[row : row + 1] for row in range(0, len(batch), every)]
        for way, lessons in enumerate(([batch], singles)):
            for rows in lessons:
                seconds[way] += timed(partial(step, rows))
                sentences[way] += len(rows)
                words[way] += int(counts[rows].sum())
    paces = words / seconds
    return {
        "architecture": task.architecture.describe(),
        "steps_by_word": len(task.train.derivations.steps) / int(counts.sum()),
        "prepare_seconds": prepared,
        "batched": {"sentences_per_second": sentences[0] / seconds[0], "words_per_second": paces[0]},
        "alone": {"sentences_per_second": sentences[1] / seconds[1], "words_per_second": paces[1]},
        "times_faster": paces[0] / paces[1],
    }


# --- searching --------------------------------------------------------------------------------------------------------


class Reader:
    """A network that searches sentences given by their words."""

    def __init__(self, folder: Path) -> None:
        self.vocabulary = Vocabulary.read(folder)
        self.network = read_structured(folder)

    def session(self) -> Session:
        """Return a session that has read nothing."""
        return self.network.session()

    def numbers(self, sentences: Sequence[Sequence[str]]) -> list[list[int]]:
        """Return the numbers of the words of sentences."""
        texts = read_segmented_texts([" ".join(words) for words in sentences])
        ids, _ = self.vocabulary.encode(texts.words)
        return [row.tolist() for row in np.split(ids.astype(np.int64), texts.offsets[1:-1])]

    def search(self, rows: Sequence[Sequence[int]], beam: Beam, lanes: int = LANES) -> tuple[Found, float]:
        """Search these sentences and return what was found and the seconds."""
        session = self.session()
        begun = time.perf_counter()
        found = search(session, rows, beam, lanes=lanes)
        return found, time.perf_counter() - begun


@contextmanager
def single_rows() -> Iterator[None]:
    """Let networks take products of one row: whoever asks about one analysis at a time must not pay for 64."""
    with patch.object(networks, "BLOCK", 1), patch.object(sequence_session, "BLOCK", 1):
        yield


def search_speed(reader: Reader, stuff: Stuff, plan: Plan) -> dict[str, Any]:
    """Return words a second with many sentences, with one at a time, and with one analysis a call."""
    beam, size = Beam(), plan.searched_words
    rows = reader.numbers(stuff.read[size])
    reader.search(rows[:1], beam)
    many, together = reader.search(rows, beam)
    single = [reader.search([row], beam, 1)[1] for row in rows[: plan.single]]
    session, plain = reader.session(), list[list[float]]()
    with single_rows():
        alone = timed(lambda: plain.extend(one_at_a_time(session, row, beam) for row in rows[: plan.peer]))
    seconds = {"many": (together, len(rows)), "one": (sum(single), len(single)), "peer": (alone, len(plain))}
    paces = {way: size * count / taken for way, (taken, count) in seconds.items()}
    return {
        "beam": [beam.action, beam.word, beam.fast_track],
        "lanes": LANES,
        "words_of_a_sentence": size,
        "sentences": {way: count for way, (_, count) in seconds.items()},
        "words_per_second": paces,
        "times_the_peer": {"many": paces["many"] / paces["peer"], "one": paces["one"] / paces["peer"]},
        "difference": largest_difference(many, plain),
        "unscored": unscored(many),
    }


def largest_difference(found: Found, plain: Sequence[Sequence[float]]) -> float:
    """Return by how much two searches differ at most, in nats by word; infinity where only one has a score."""
    furthest = 0.0
    for one, other in zip(found.logprobs, plain, strict=False):  # the peer reads the first few
        values = np.array(other)
        if len(one) == 0 and np.isnan(values).any():
            continue
        apart = np.abs(one - values).max() if len(one) == len(values) else np.nan
        furthest = max(furthest, float(np.nan_to_num(apart, nan=np.inf)))
    return furthest


def unscored(found: Found) -> int:
    """Return how many sentences have no score."""
    return sum(map(bool, found.problems))


def growth(reader: Reader, stuff: Stuff, plan: Plan) -> dict[str, list[dict[str, Any]]]:
    """Return time and mass by the action beam, the word beam, the ranking and the length of sentences."""
    usual = Beam()
    rows = reader.numbers(stuff.read[plan.grown_words])
    rows = [rows[row] for row in spread_rows(len(rows), plan.grown).tolist()]
    beams: dict[str, list[tuple[Any, Beam]]] = {
        "action": [(width, Beam(action=width)) for width in plan.actions],
        "word": [(width, Beam(word=width)) for width in plan.words],
        "ranking": [("step", usual), ("word", Beam(ranking="word"))],
    }
    held: dict[Beam, dict[str, Any]] = {}
    grown: dict[str, list[dict[str, Any]]] = {}
    for what, settings in beams.items():
        for _, beam in settings:
            # The usual beam is one of each row, and is searched once.
            held[beam] = held[beam] if beam in held else pace(reader, rows, beam)
        grown[what] = [{what: value, **held[beam]} for value, beam in settings]
    grown["length"] = []
    for length in plan.lengths:
        chosen = reader.numbers(stuff.read[length])[: plan.grown]
        grown["length"].append({"length": length, **pace(reader, chosen, usual)})
    return grown


def pace(reader: Reader, rows: Sequence[Sequence[int]], beam: Beam) -> dict[str, Any]:
    """Return seconds, words a second, and the mean log-probability that a beam finds of a sentence."""
    found, seconds = reader.search(rows, beam)
    masses = [float(values.sum()) for values in found.logprobs if len(values)]
    return {
        "sentences": len(rows),
        "seconds": seconds,
        "words_per_second": sum(map(len, rows)) / seconds,
        "mean_logprob": float(np.mean(masses)) if masses else None,
        "unscored": unscored(found),
    }


# --- suites -----------------------------------------------------------------------------------------------------------


def suites_time(folder: Path, plan: Plan) -> list[dict[str, Any]]:
    """Return how long the suites that come with hengliang take, and the published ones where they are at hand."""
    model = StructuredModel(folder, lanes=LANES)
    model.score(texts_of_items(suites("verb_noun.none").items()).take([0]))
    found = [{"suites": "ours", **_asked(model, suites(), plan)}]
    if is_here(PUBLISHED):
        found.append({"suites": "published", **_asked(model, published_suites(), plan)})
    return found


def _asked(model: StructuredModel, material: Material, plan: Plan) -> dict[str, Any]:
    items = material.items()
    texts = texts_of_items(items)
    part = texts.take(range(min(len(texts), plan.suite_sentences or len(texts))))
    begun = time.perf_counter()
    scores = model.score(part)
    seconds = time.perf_counter() - begun
    return {
        "number": int(items["suite"].n_unique()),
        "sentences": len(texts),
        "words": len(texts.words),
        "sentences_read": len(part),
        "seconds": seconds * len(texts.words) / len(part.words),
        "words_per_second": len(part.words) / seconds,
        "unscored": sum(map(bool, scores.problems)),
    }
