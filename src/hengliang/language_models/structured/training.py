"""Training of RNNG and PLM networks from a treebank, judged by joint perplexity of sentences and trees.

Trained as networks of words are (`hengliang.language_models.neural.training`), with the tree of each sentence given.
After each epoch the network is judged by the probability of the dev sentences together with their trees, for which no
search is needed; the perplexity of the sentences alone is lower and is found once, when the training is over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from hengliang.core.errors import UserError
from hengliang.core.labelling.texts import Texts, ranges
from hengliang.core.progress import Silent, Watcher
from hengliang.core.signature import digest
from hengliang.core.text.characters import Offsets
from hengliang.core.training_loop import Step
from hengliang.corpora.trees.constituents import Tree
from hengliang.language_models.neural.batches import batches_by_length
from hengliang.language_models.neural.networks import draw, inclusions
from hengliang.language_models.neural.settings import Settings
from hengliang.language_models.neural.training import LanguageTask, Trained, run
from hengliang.language_models.scores import Numbers
from hengliang.language_models.structured.architectures import Kind, StructuredArchitecture, structured_architecture
from hengliang.language_models.structured.building import build_structured
from hengliang.language_models.structured.derivations import (
    SHIFT,
    Derivations,
    Limits,
    Progress,
    Stacks,
    allowed,
    derivations_of,
    limits_of,
    stacks_of,
)
from hengliang.language_models.structured.networks import Lesson, StructuredNetwork, lesson_logprob, lesson_loss
from hengliang.language_models.structured.plm import sequence_batch
from hengliang.language_models.structured.rnng import stack_batch
from hengliang.language_models.vocabulary import END_ID, Vocabulary


@dataclass(eq=False)
class Part:
    """The trees of one part of a corpus, ready to be learned from."""

    derivations: Derivations
    limits: Limits
    kind: Kind

    @cached_property
    def stacks(self) -> Stacks:
        """What stands on the stack at each step; a Transformer does not ask."""
        return stacks_of(self.derivations)

    @cached_property
    def progress(self) -> Progress:
        """How far each derivation is before each step."""
        return self.derivations.progress()

    def lesson(self, rows: Offsets) -> Lesson:
        """Return these trees as a lesson."""
        derivations = self.derivations
        places = ranges(derivations.offsets[:-1][rows], derivations.lengths[rows])
        steps, words = derivations.steps[places], derivations.words[places]
        body: Any = (
            stack_batch(derivations, self.stacks, rows) if self.kind == "rnng" else sequence_batch(derivations, rows)
        )
        possible = allowed(self.progress.take(places), self.limits)
        return Lesson(steps, words[steps == SHIFT], possible, len(rows), body)


@dataclass(eq=False)
class _Trees(LanguageTask):
    """Prediction of the next step and the next word."""

    architecture: StructuredArchitecture
    vocabulary: Vocabulary
    train: Part
    dev: Part
    settings: Settings
    seed: int

    @property
    def identity(self) -> str:
        """A hash of architecture, settings, seed, vocabulary and data."""
        settings = replace(self.settings, threads=1, checkpoint_minutes=0.0)
        parts = [self.train.derivations, self.dev.derivations]
        data = [column.tobytes() for part in parts for column in (part.steps, part.words)]
        return digest(repr(self.architecture), repr(settings), str(self.seed), self.vocabulary.checksum, *data)

    @cached_property
    def inclusions(self) -> Numbers:
        """How probable each word is among the candidates of a batch; the end of a sentence is not a word."""
        probabilities = inclusions(self.vocabulary.counts, self.settings.candidates)
        probabilities[END_ID] = 0.0
        return probabilities

    def build(self) -> StructuredNetwork:
        """Return the network; the bias of its words starts at their frequencies."""
        unigrams = self.vocabulary.unigram_logprobs
        return build_structured(self.architecture, dropout=self.settings.dropout, unigrams=unigrams)

    def batches(self, epoch: int) -> list[Offsets]:
        """Return trees of like length side by side."""
        return batches_by_length(self.train.derivations.lengths, self.settings.tokens, self.order(epoch))

    def loss(self, network: nn.Module, batch: Offsets, step: Step) -> tuple[Tensor, int]:
        """Return the mean surprisal of a batch by word and end of sentence."""
        lesson = self.train.lesson(batch)
        with torch.autocast("cpu", torch.bfloat16, enabled=self.settings.bfloat16):
            loss = lesson_loss(_structured(network), lesson, draw(self.inclusions, self.stream(step)))
        return loss, lesson.events

    def perplexity(self, network: nn.Module) -> float:
        """Return the perplexity of the dev sentences together with their trees."""
        return joint_perplexity(_structured(network), self.dev)

    def describe(self, folder: Path) -> None:
        """Write the architecture and the vocabulary."""
        self.architecture.write(folder)
        self.vocabulary.write(folder)


def _structured(network: nn.Module) -> StructuredNetwork:
    if not isinstance(network, StructuredNetwork):
        raise UserError(f"A {type(network).__name__} is no network of sentences and trees.")
    return network


def joint_perplexity(network: StructuredNetwork, part: Part, budget: int = 8192) -> float:
    """Return the perplexity, by word and end of sentence, of sentences together with their trees.

    Trees that are too long for the network are left out; if all are, there is no perplexity.
    """
    context = network.architecture.context
    lengths = part.derivations.lengths
    fitting = np.flatnonzero(lengths <= context) if context else np.arange(len(lengths))
    if not len(fitting):
        raise UserError(
            f"All {len(lengths)} trees have more than {context} steps, the longest that the network reads.",
            remedy="Learn from sentences as long as those of dev.",
        )
    training, total, events = network.training, 0.0, 0
    network.eval()
    with torch.inference_mode():
        for rows in batches_by_length(lengths[fitting], budget):
            lesson = part.lesson(fitting[rows])
            total += lesson_logprob(network, lesson)
            events += lesson.events
    network.train(training)
    return float(np.exp(-total / events))


def train(
    kind: Kind,
    size: str,
    vocabulary: Vocabulary,
    train: tuple[Texts, Sequence[Tree]],
    dev: tuple[Texts, Sequence[Tree]],
    folder: Path,
    settings: Settings,
    seed: int = 1,
    watcher: Watcher | None = None,
) -> Trained:
    """Train a network on texts and their trees into a folder, or go on with the training that was begun there.

    The folder then holds the weights, the architecture with the labels, the vocabulary and `training.json`.
    """
    task = structured_task(kind, size, vocabulary, train, dev, settings, seed)
    return run(task, folder, watcher or Silent())


def structured_task(
    kind: Kind,
    size: str,
    vocabulary: Vocabulary,
    train: tuple[Texts, Sequence[Tree]],
    dev: tuple[Texts, Sequence[Tree]],
    settings: Settings,
    seed: int,
) -> _Trees:
    """Return what is to be learned; the labels and limits are those of the training trees and of dev."""
    names = labels_of(train[1], dev[1])
    learnt, tried = (_derivations(part, vocabulary, names) for part in (train, dev))
    part_limits = [limits_of(part, len(names)) for part in (learnt, tried)]
    limits = Limits(
        len(names),
        max(limit.chain for limit in part_limits),
        max(limit.depth for limit in part_limits),
    )
    longest = int(learnt.lengths.max())
    built = structured_architecture(kind, size, len(vocabulary), names, limits.chain, limits.depth, longest)
    return _Trees(built, vocabulary, Part(learnt, limits, kind), Part(tried, limits, kind), settings, seed)


def labels_of(*parts: Sequence[Tree]) -> tuple[str, ...]:
    """Return the labels of these trees, sorted."""
    labels = {tree.label for trees in parts for tree in trees}
    for trees in parts:
        for tree in trees:
            labels.update(part.label for part in tree.parts() if isinstance(part, Tree))
    return tuple(sorted(labels))


def _derivations(part: tuple[Texts, Sequence[Tree]], vocabulary: Vocabulary, names: Sequence[str]) -> Derivations:
    texts, trees = part
    if not len(texts) or not texts.segmented.all():
        raise UserError("The texts are empty or lack words.", remedy="Give texts.with_words().")
    ids, _ = vocabulary.encode(texts.words)
    numbers = {name: number for number, name in enumerate(names)}
    return derivations_of(trees, numbers, ids.astype(np.int64), texts.offsets)
