"""Shared parts of networks over derivations: step and word heads with tied vectors, joint probability.

A body turns the steps so far into features; two heads read them. The first says which step comes next, over the steps
that are possible; the second, for a SHIFT, which word. The table of word vectors serves as input and as output. The
probability of a sentence with its tree is the product of all of these, and the probabilities of all sentences with all
trees sum to one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from hengliang.core.text.characters import Offsets
from hengliang.language_models.neural.networks import Candidates, surprisal
from hengliang.language_models.scores import Numbers
from hengliang.language_models.structured.architectures import StructuredArchitecture
from hengliang.language_models.structured.derivations import SHIFT, Allowed, Session
from hengliang.language_models.vocabulary import BEGIN_ID, END_ID

BLOCK = 64
"""So many states are asked at once, filled up where there are fewer: a product of another shape may be rounded
otherwise, and a hypothesis must not win or lose by what stands beside it."""


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """The steps of some sentences, one after the other, and which were possible; `body` is the network's own."""

    steps: Offsets
    words: Offsets
    possible: Allowed
    sentences: int
    body: Any

    @property
    def events(self) -> int:
        """How many words and ends of sentences there are."""
        return len(self.words) + self.sentences


class StructuredNetwork(nn.Module, ABC):
    """A network over steps: a body, a head for the next step and one for the next word."""

    def __init__(self, architecture: StructuredArchitecture, dropout: float) -> None:
        super().__init__()
        width = architecture.width
        self.architecture = architecture
        self.embedding = nn.Embedding(architecture.symbols, width)
        self.bias = nn.Parameter(torch.zeros(architecture.symbols))
        self.step_head = nn.Linear(width, architecture.limits.steps)
        self.begin = nn.Parameter(torch.empty(width))
        self.dropout = nn.Dropout(dropout)
        nn.init.normal_(self.embedding.weight, std=0.05)
        nn.init.normal_(self.begin, std=0.05)

    @abstractmethod
    def features(self, lesson: Lesson, words: Tensor) -> Tensor:
        """Return the features before each step of a lesson, given the vectors of its words."""

    @abstractmethod
    def session(self) -> Session:
        """Return a session for a search."""

    def begin_with(self, unigrams: Numbers) -> None:
        """Let the bias of the words be their log frequencies; a symbol without one begins with 0."""
        with torch.no_grad():
            self.bias.copy_(torch.from_numpy(np.nan_to_num(unigrams, nan=0.0)))

    def word_logits(self, features: Tensor) -> Tensor:
        """Return the logits of all symbols; <s> and the end of a sentence are not words."""
        logits = nn.functional.linear(features, self.embedding.weight, self.bias)
        logits[..., [BEGIN_ID, END_ID]] = -torch.inf
        return logits


def lesson_loss(network: StructuredNetwork, lesson: Lesson, among: Candidates) -> Tensor:
    """Return the surprisal of the steps and words of a lesson by word and end of sentence, words by candidates."""
    targets, candidates = torch.from_numpy(lesson.words), torch.from_numpy(among.ids)
    vectors = nn.functional.embedding(torch.cat([targets, candidates]), network.embedding.weight)
    right, offered = torch.split(vectors, [len(targets), len(candidates)])
    features = network.features(lesson, right)
    by_steps = step_surprisal(network, lesson, features)
    shifts = torch.from_numpy(np.flatnonzero(lesson.steps == SHIFT))
    by_words = surprisal(features[shifts].float(), right, offered, network.bias, targets, among) * len(targets)
    return (by_steps + by_words) / lesson.events


def step_surprisal(network: StructuredNetwork, lesson: Lesson, features: Tensor) -> Tensor:
    """Return the summed surprisal of the steps, each among those that were possible."""
    impossible = torch.from_numpy(~lesson.possible)
    logits = network.step_head(features).float().masked_fill(impossible, -torch.inf)
    return nn.functional.cross_entropy(logits, torch.from_numpy(lesson.steps), reduction="sum")


def lesson_logprob(network: StructuredNetwork, lesson: Lesson) -> float:
    """Return the log-probability of the sentences of a lesson with their trees, exactly and over all words."""
    targets = torch.from_numpy(lesson.words)
    features = network.features(lesson, nn.functional.embedding(targets, network.embedding.weight))
    total = -step_surprisal(network, lesson, features).double()
    shifts = np.flatnonzero(lesson.steps == SHIFT)
    rows = max(1, (1 << 23) // len(network.bias))
    for first in range(0, len(shifts), rows):
        logits = network.word_logits(features[torch.from_numpy(shifts[first : first + rows])])
        own = logits.gather(1, targets[first : first + rows, None])[:, 0]
        total += (own.double() - torch.logsumexp(logits, 1).double()).sum()
    return float(total)


def in_blocks(ask: Callable[[Tensor], Tensor], rows: Tensor) -> Tensor:
    """Ask about the rows of a matrix in blocks of one size, so that no answer depends on what stands beside it."""
    count = len(rows)
    answers = []
    for first in range(0, count, BLOCK):
        block = rows[first : first + BLOCK]
        missing = BLOCK - len(block)
        if missing:
            block = torch.cat([block, block.new_zeros(missing, *block.shape[1:])])
        answer = ask(block)
        answers.append(answer[: BLOCK - missing])
    return torch.cat(answers) if answers else ask(rows.new_zeros(BLOCK, *rows.shape[1:]))[:0]


class Heads:
    """What a session says of features: the two heads, asked in blocks."""

    def __init__(self, network: StructuredNetwork) -> None:
        self.network = network

    def step_logits(self, features: Tensor) -> Numbers:
        """Return a logit for each step."""
        answers: Numbers = in_blocks(self.network.step_head, features).double().numpy()
        return answers

    def word_logprobs(self, features: Tensor, words: Offsets) -> Numbers:
        """Return the log-probability of one word for each row."""
        logprobs = np.empty(len(words))
        for first in range(0, len(words), BLOCK):
            logits = in_blocks(self.network.word_logits, features[first : first + BLOCK])
            own = logits.gather(1, torch.from_numpy(words[first : first + BLOCK])[:, None])[:, 0]
            logprobs[first : first + BLOCK] = (own.double() - torch.logsumexp(logits, 1).double()).numpy()
        return logprobs

    def word_distributions(self, features: Tensor) -> Numbers:
        """Return the log-probabilities of all words for each row."""
        logits = in_blocks(self.network.word_logits, features).double()
        answers: Numbers = torch.log_softmax(logits, 1).numpy()
        return answers
