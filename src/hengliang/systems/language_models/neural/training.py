"""How does a network of words learn from a corpus?

AdamW, dropout, and the softmax over some words drawn anew for each batch; after each epoch the perplexity of the dev
sentences, exact and in single precision. How epochs follow each other and how a killed training goes on is told in
`hengliang.systems.language_models.neural.epochs`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from torch import Tensor, nn

from hengliang.errors import UserError
from hengliang.progress import Silent, Watcher
from hengliang.signature import digest
from hengliang.systems.language_models.neural.architectures import Architecture
from hengliang.systems.language_models.neural.batches import Sequences, batches_by_length, padded, sequences_of
from hengliang.systems.language_models.neural.epochs import FILE, Epoch, Task, Trained, run
from hengliang.systems.language_models.neural.losses import draw, inclusions
from hengliang.systems.language_models.neural.networks import WordNetwork, build_network
from hengliang.systems.language_models.neural.probabilities import target_logprobs
from hengliang.systems.language_models.neural.settings import Settings, usual_settings
from hengliang.systems.language_models.neural.steps import windows_loss
from hengliang.systems.language_models.scores import Numbers
from hengliang.systems.language_models.texts import Texts
from hengliang.systems.language_models.vocabulary import Vocabulary
from hengliang.text import Offsets

__all__ = ["FILE", "Epoch", "Trained", "dev_perplexity", "train"]


@dataclass(eq=False)
class _Words(Task):
    """To foretell the next word."""

    architecture: Architecture
    vocabulary: Vocabulary
    train: Sequences
    dev: Sequences
    settings: Settings
    seed: int

    @property
    def identity(self) -> str:
        """A hash of architecture, settings, seed, vocabulary and data."""
        settings = replace(self.settings, threads=1, checkpoint_minutes=0.0)
        data = (part.tobytes() for part in (self.train.targets, self.train.firsts, self.dev.targets))
        return digest(repr(self.architecture), repr(settings), str(self.seed), self.vocabulary.checksum, *data)

    @cached_property
    def inclusions(self) -> Numbers:
        """How probable each word is among the candidates of a batch."""
        return inclusions(self.vocabulary.counts, self.settings.candidates)

    def build(self) -> WordNetwork:
        """Return the network; its output bias starts at the frequencies of the words."""
        unigrams = self.vocabulary.unigram_logprobs
        return build_network(self.architecture, dropout=self.settings.dropout, unigrams=unigrams)

    def batches(self, epoch: int) -> list[Offsets]:
        """Return sentences of like length side by side."""
        return batches_by_length(self.train.lengths, self.settings.tokens, self.order(epoch))

    def loss(self, network: nn.Module, batch: Offsets, stream: np.random.Generator) -> tuple[Tensor, int]:
        """Return the mean surprisal of the words and ends of a batch."""
        among = draw(self.inclusions, stream)
        windows = padded(self.train, batch)
        loss = windows_loss(_words(network), self.train, windows, among, bfloat16=self.settings.bfloat16)
        return loss, len(windows.asked)

    def judge(self, network: nn.Module) -> float:
        """Return the perplexity of dev."""
        return dev_perplexity(_words(network), self.dev)

    def describe(self, folder: Path) -> None:
        """Write the architecture and the vocabulary."""
        self.architecture.write(folder)
        self.vocabulary.write(folder)


def _words(network: nn.Module) -> WordNetwork:
    if not isinstance(network, WordNetwork):
        raise UserError(f"A {type(network).__name__} is no network of words.")
    return network


def train(
    architecture: Architecture,
    vocabulary: Vocabulary,
    train: Texts,
    dev: Texts,
    folder: Path,
    settings: Settings | None = None,
    seed: int = 1,
    watcher: Watcher | None = None,
) -> Trained:
    """Train a network into a folder, or go on with the training that was begun there.

    The folder then holds the weights, the architecture, the vocabulary and `training.json`. The texts must carry their
    words. A Transformer's context shrinks to the longest training sentence, because it cannot know later places.
    """
    task = _task(architecture, vocabulary, train, dev, settings or usual_settings(architecture), seed)
    return run(task, folder, watcher or Silent())


def _task(
    architecture: Architecture, vocabulary: Vocabulary, train: Texts, dev: Texts, settings: Settings, seed: int
) -> _Words:
    if architecture.symbols != len(vocabulary):
        raise UserError(
            f"The architecture is for {architecture.symbols} symbols and the vocabulary has {len(vocabulary)}.",
            remedy="Make the architecture from this vocabulary: architecture(kind, size, len(vocabulary)).",
        )
    if seed < 0:
        raise UserError(f"The seed {seed} is not possible.", valid="A seed is a whole number from 0.")
    for name, texts in (("training", train), ("dev", dev)):
        if not len(texts) or not texts.segmented.all():
            raise UserError(f"The {name} texts are empty or lack words.", remedy="Give texts.with_words().")
    if architecture.kind == "transformer":
        longest = int(np.diff(train.offsets).max()) + 1
        architecture = replace(architecture, context=max(2, min(architecture.context, longest)))
    learnt, tried = (
        sequences_of(vocabulary.encode(texts.words)[0], texts.offsets, architecture.context, architecture.stride)
        for texts in (train, dev)
    )
    return _Words(architecture, vocabulary, learnt, tried, settings, seed)


def dev_perplexity(network: WordNetwork, sequences: Sequences) -> float:
    """Return the perplexity of these sentences, their ends included."""
    return float(np.exp(-target_logprobs(network, sequences).mean()))
