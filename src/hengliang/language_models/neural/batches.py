"""Batches and windows of sentences as word ids, and their order in training.

A text of n words has n + 1 targets, its words and the end of the sentence; the input before each is the word before
it, and <s> before the first. A network with a limit of context reads a longer text in windows: the first holds as many
inputs as fit, each further one starts `stride` words later, again with <s>, and adds the targets that no window before
it had. What a target sees depends on its place alone, not on what follows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hengliang.core.labelling.texts import edges_of
from hengliang.core.text.characters import Offsets
from hengliang.language_models.vocabulary import BEGIN_ID, END_ID


@dataclass(frozen=True, slots=True, eq=False)
class Sequences:
    """The windows of a batch of texts: `targets` holds all texts one after the other, each with its end.

    A window reads <s> and then the targets from `starts`; those from `firsts` to before `lasts` it is asked for.
    """

    targets: Offsets
    starts: Offsets
    firsts: Offsets
    lasts: Offsets

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def lengths(self) -> Offsets:
        """How many inputs each window has."""
        return self.lasts - self.starts


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some windows side by side, padded on the right.

    `inputs` are ids (window, place). `asked` are the places that are asked for, counted through all windows, and
    `answers` where in `Sequences.targets` their targets stand.
    """

    inputs: Offsets
    asked: Offsets
    answers: Offsets


def sequences_of(ids: npt.NDArray[np.int32], offsets: Offsets, context: int = 0, stride: int = 0) -> Sequences:
    """Return the windows of texts given as the ids of their words; a context of 0 has no limit."""
    counts = np.diff(offsets) + 1
    edges = edges_of(counts)
    targets = np.full(edges[-1], END_ID, np.int64)
    inner = np.ones(len(targets), np.bool_)
    inner[edges[1:] - 1] = False
    targets[inner] = ids
    if not context or counts.max(initial=0) <= context:
        return Sequences(targets, edges[:-1], edges[:-1], edges[1:])
    # A text of more targets than the context has one window more for each stride begun.
    windows = 1 + np.maximum(0, -(-(counts - context) // stride))
    text = np.repeat(np.arange(len(counts)), windows)
    number = np.arange(len(text)) - edges_of(windows)[:-1][text]
    firsts = np.where(number > 0, context + (number - 1) * stride, 0)
    lasts = np.minimum(context + number * stride, counts[text])
    return Sequences(targets, edges[text] + number * stride, edges[text] + firsts, edges[text] + lasts)


def last_windows(sequences: Sequences) -> Sequences:
    """Return the last window of each text, the one that predicts its end."""
    last = sequences.targets[sequences.lasts - 1] == END_ID
    return Sequences(sequences.targets, sequences.starts[last], sequences.firsts[last], sequences.lasts[last])


def batches_by_length(lengths: Offsets, budget: int, order: np.random.Generator | None = None) -> list[Offsets]:
    """Return the rows of each batch: windows of like length, at most `budget` places with the padding.

    Without a generator the batches go from short to long; with one, windows of a length are mixed, and so are the
    batches. A window longer than the budget is a batch by itself.
    """
    noise = order.random(len(lengths)) if order else np.arange(len(lengths))
    rows = np.lexsort((noise, lengths))
    batches, first = [], 0
    for position, length in enumerate(lengths[rows].tolist()):
        if position > first and (position - first + 1) * length > budget:
            batches.append(rows[first:position])
            first = position
    if len(rows):
        batches.append(rows[first:])
    if order:
        return [batches[position] for position in order.permutation(len(batches))]
    return batches


def padded(sequences: Sequences, rows: Offsets) -> Batch:
    """Return these windows side by side."""
    starts, lengths = sequences.starts[rows][:, None], sequences.lengths[rows][:, None]
    places = np.arange(int(lengths.max()))[None, :]
    answers = starts + places
    inputs = sequences.targets[np.minimum(answers, len(sequences.targets)) - 1]
    inputs = np.where(places < lengths, inputs, END_ID)
    inputs[:, 0] = BEGIN_ID
    asked = (answers >= sequences.firsts[rows][:, None]) & (places < lengths)
    return Batch(inputs, np.flatnonzero(asked), answers[asked])
