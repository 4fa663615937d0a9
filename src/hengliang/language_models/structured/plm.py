"""Parsing as language modelling (PLM): a Transformer over the actions of a derivation, and its states for the search.

A sentence and its tree are one row of steps [1]: each OPEN with its label, each word and each CLOSE is a place, and the
decoder of GPT-2 looks back on all places before. It keeps no stack; what belongs together it has to find out by itself.

[1] Qian, P., Naseem, T., Levy, R., Fernandez Astudillo, R. (2021). Structural guidance for Transformer language models.
    ACL 2021.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from hengliang.core.labelling.texts import edges_of, ranges
from hengliang.core.text.characters import Offsets
from hengliang.language_models.neural.networks import Attentive
from hengliang.language_models.neural.settings import Architecture
from hengliang.language_models.scores import Numbers
from hengliang.language_models.structured.architectures import StructuredArchitecture
from hengliang.language_models.structured.derivations import CLOSE, OPEN, SHIFT, Allowed, Derivations, Limits, Session
from hengliang.language_models.structured.networks import BLOCK, Heads, Lesson, StructuredNetwork

# --- the network ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class SequenceBatch:
    """A batch of rows of steps, padded on the right.

    `opened` are the labels of the OPENs. Vectors are counted so: 0 is the begin, 1 that of all CLOSEs, then the words
    in the order of the text, then the OPENs. `vectors` says which is read at each place of each sentence, `asked` which
    places predict the steps, one after the other.
    """

    opened: Offsets
    vectors: Offsets
    asked: Offsets


def sequence_batch(derivations: Derivations, rows: Offsets) -> SequenceBatch:
    """Return the derivations of these trees as a batch."""
    counts = derivations.lengths[rows]
    steps = derivations.steps[ranges(derivations.offsets[:-1][rows], counts)]
    words, opens = steps == SHIFT, steps >= OPEN
    vectors = np.ones(len(steps), np.int64)
    vectors[words] = 2 + np.arange(words.sum())
    vectors[opens] = 2 + words.sum() + np.arange(opens.sum())
    edges = edges_of(counts)
    # Before each step stands the one before it, and the begin before the first.
    read = np.concatenate([[0], vectors[:-1]])
    read[edges[:-1]] = 0
    longest = int(counts.max())
    places = np.arange(longest)[None, :]
    inside = places < counts[:, None]
    table = np.zeros((len(rows), longest), np.int64)
    table[inside] = read
    return SequenceBatch(steps[opens] - OPEN, table, np.flatnonzero(inside))


class SequenceNetwork(StructuredNetwork):
    """A Transformer over the steps of a derivation."""

    def __init__(self, architecture: StructuredArchitecture, dropout: float) -> None:
        super().__init__(architecture, dropout)
        # Of the words it needs none: their vectors come from our own table.
        plain = Architecture(
            "transformer",
            architecture.size,
            4,
            architecture.layers,
            architecture.width,
            architecture.heads,
            architecture.context,
        )
        self.gpt2 = Attentive(plain, dropout).gpt2
        del self.gpt2.wte
        self.opens = nn.Embedding(len(architecture.labels), architecture.width)
        self.close = nn.Parameter(torch.empty(architecture.width))
        nn.init.normal_(self.opens.weight, std=0.05)
        nn.init.normal_(self.close, std=0.05)

    def features(self, lesson: Lesson, words: Tensor) -> Tensor:
        """Return what the Transformer makes of everything before each step."""
        batch: SequenceBatch = lesson.body
        opened = self.opens(torch.from_numpy(batch.opened))
        vectors = torch.cat([self.begin[None], self.close[None], words, opened])
        read = nn.functional.embedding(torch.from_numpy(batch.vectors), vectors)
        states = self.gpt2(inputs_embeds=read).last_hidden_state.flatten(0, 1)
        asked: Tensor = self.dropout(states[torch.from_numpy(batch.asked)])
        return asked

    def session(self) -> Session:
        """Return a session for a search."""

        return SequenceSession(self)


# --- rows of steps of a search ----------------------------------------------------------------------------------------
# Answers a search for many rows of steps at a time. Every state is a row of steps and stands for its last place; what a
# place offers to later ones (its keys and values) is computed once and shared by all rows through it. A row is cut into
# pieces of one size, always at the same lengths. The hypotheses of a search have their full pieces in common and differ
# in the last one, so the attention of a place has two parts: on the full pieces, for all rows at once that share them,
# and on the last piece, row by row. Both are joined by how much weight each has. Where a row is cut depends on nothing
# but its length, and products are filled up to fixed shapes: what stands beside a row does not change its answer. A row
# that has reached the longest row of the training cannot go on.

_PIECE = 16
"""So many places are a piece: of smaller pieces fewer rows share all full ones, in larger ones more is left to each
row."""

_SHARERS = 16
"""So many rows look at their common pieces in one product; in a search, about 7 have all of them in common."""

_NONE = -1
"""The number of no place."""


class _Places:
    """All places, with room for more, so that adding some does not copy those that are there.

    `lengths` says how many places the row of each has. `recent` are the places of its last piece, itself the last, and
    then zeros; `anchors` is the last place of the piece before, or none. `offers` are keys and values by layer.
    """

    def __init__(self, layers: int, width: int) -> None:
        self.count = 0
        self.lengths = np.zeros(0, np.int64)
        self.anchors = np.zeros(0, np.int64)
        self.recent = np.zeros((0, _PIECE), np.int64)
        self.outputs = torch.zeros(0, width)
        self.offers = [torch.zeros(0, 2 * width) for _ in range(layers)]

    def anchors_after(self, before: Offsets) -> Offsets:
        """Return the anchors of the places that come next in these rows."""
        anchors: Offsets = np.where(self.lengths[before] % _PIECE == 0, before, self.anchors[before])
        return anchors

    def add(self, before: Offsets) -> slice:
        """Add a place to each row, or begin one after none; what they offer and put out is still to be written."""
        added = slice(self.count, self.count + len(before))
        self._make_room(added.stop)
        numbers = np.arange(added.start, added.stop)
        lengths = np.where(before == _NONE, 0, self.lengths[before])
        inside = lengths % _PIECE
        self.lengths[added] = lengths + 1
        self.anchors[added] = np.where(inside == 0, before, self.anchors[before])
        self.recent[added] = np.where(inside[:, None] == 0, 0, self.recent[before])
        self.recent[numbers, inside] = numbers
        self.count = added.stop
        return added

    def _make_room(self, needed: int) -> None:
        missing = needed - len(self.lengths)
        if missing > 0:
            more = max(missing, len(self.lengths), BLOCK)
            self.lengths = np.concatenate([self.lengths, np.zeros(more, np.int64)])
            self.anchors = np.concatenate([self.anchors, np.zeros(more, np.int64)])
            self.recent = np.concatenate([self.recent, np.zeros((more, _PIECE), np.int64)])
            self.outputs = torch.cat([self.outputs, self.outputs.new_zeros(more, self.outputs.shape[1])])
            self.offers = [torch.cat([layer, layer.new_zeros(more, layer.shape[1])]) for layer in self.offers]

    def beyond(self, states: Offsets | slice) -> Allowed:
        """Tell which columns of `recent` are after the last place."""
        last = (self.lengths[states] - 1) % _PIECE
        is_beyond: Allowed = np.arange(_PIECE)[None, :] > last[:, None]
        return is_beyond

    def pieces(self, anchors: Offsets) -> Offsets:
        """Return all places of the rows that end in these anchors, a row for each; the shorter ones go on with 0."""
        lengths = self.lengths[anchors]
        table = np.zeros((len(anchors), lengths.max(initial=0)), np.int64)
        rows, here = np.arange(len(anchors)), anchors
        while len(here):
            first = self.lengths[here] - _PIECE
            table[rows[:, None], first[:, None] + np.arange(_PIECE)] = self.recent[here]
            rows, here = rows[first > 0], self.anchors[here[first > 0]]
        return table

    def keep(self, states: Offsets) -> Offsets:
        """Forget all places but those of these rows, and return the new numbers of the rows."""
        needed = np.zeros(self.count, np.bool_)
        here = np.unique(states)
        while len(here):
            needed[self.recent[here][~self.beyond(here)]] = True
            before = np.unique(self.anchors[here])
            here = before[before != _NONE]
        kept = np.flatnonzero(needed)
        self.count = len(kept)
        numbers = np.zeros(len(needed) + 1, np.int64)
        numbers[kept] = np.arange(len(kept))
        numbers[_NONE] = _NONE  # the last, which is not a place
        self.lengths[: len(kept)] = self.lengths[kept]
        self.anchors[: len(kept)] = numbers[self.anchors[kept]]
        self.recent[: len(kept)] = numbers[self.recent[kept]]
        rows = torch.from_numpy(kept)
        for table in (self.outputs, *self.offers):
            table[: len(kept)] = table.index_select(0, rows)
        new_numbers: Offsets = numbers[states]
        return new_numbers


class SequenceSession:
    """The rows of steps of one search."""

    def __init__(self, network: SequenceNetwork) -> None:
        self.network = network
        self.heads = Heads(network)
        self.places = _Places(network.architecture.layers, network.architecture.width)

    @property
    def limits(self) -> Limits:
        """Which steps there are."""
        return self.network.architecture.limits

    @property
    def words(self) -> int:
        """How many symbols there are."""
        return self.network.architecture.symbols

    @property
    def lengths(self) -> Offsets:
        """How many places each row has, its begin among them."""
        return self.places.lengths[: self.places.count]

    def begin(self) -> int:
        """Return the empty row."""
        with torch.inference_mode():
            return int(self._grown(self.network.begin[None], np.array([_NONE])).start)

    def step_logits(self, states: Offsets) -> Numbers:
        """Return a logit for each step."""
        with torch.inference_mode():
            return self.heads.step_logits(self._features(states))

    def word_logprobs(self, states: Offsets, words: Offsets) -> Numbers:
        """Return the log-probability of one word after each row."""
        with torch.inference_mode():
            return self.heads.word_logprobs(self._features(states), words)

    def word_distributions(self, states: Offsets) -> Numbers:
        """Return the log-probabilities of all words after each row."""
        with torch.inference_mode():
            return self.heads.word_distributions(self._features(states))

    def _features(self, states: Offsets) -> Tensor:
        return self.places.outputs[torch.from_numpy(states)]

    def advance(self, states: Offsets, steps: Offsets, words: Offsets) -> Offsets:
        """Return the rows after one step each; -1 for a row that is as long as any in training."""
        successors = np.full(len(states), _NONE, np.int64)
        fitting = np.flatnonzero(self.lengths[states] < self.network.architecture.context)
        if not len(fitting):
            return successors
        # Rows with the same pieces before the last one become neighbours.
        fitting = fitting[np.argsort(self.places.anchors_after(states[fitting]), kind="stable")]
        steps, words, states = steps[fitting], words[fitting], states[fitting]
        with torch.inference_mode():
            vectors = torch.empty(len(states), self.network.architecture.width)
            shifts, opens, closes = (np.flatnonzero(kind) for kind in (steps == SHIFT, steps >= OPEN, steps == CLOSE))
            vectors[shifts] = self.network.embedding(torch.from_numpy(words[shifts]))
            vectors[opens] = self.network.opens(torch.from_numpy(steps[opens] - OPEN))
            vectors[closes] = self.network.close
            added = self._grown(vectors, states)
        successors[fitting] = np.arange(added.start, added.stop)
        return successors

    def _grown(self, vectors: Tensor, before: Offsets) -> slice:
        """Add a place with this vector to each row, rows with the same anchor side by side; return the new places."""
        added = self.places.add(before)
        reading = _Reading(self.network, self.places, added)
        hidden = vectors + self.network.gpt2.wpe(torch.from_numpy(self.places.lengths[added] - 1))
        hidden = torch.cat([hidden, hidden.new_zeros(reading.filled - len(hidden), hidden.shape[1])])
        for layer in range(len(self.places.offers)):
            hidden = reading.layer(layer, hidden)
        self.places.outputs[added] = self.network.gpt2.ln_f(hidden)[: len(vectors)]
        return added

    def keep(self, states: Offsets) -> Offsets:
        """Forget all rows but these and the places in them."""
        with torch.inference_mode():
            return self.places.keep(states)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """The attention of rows to a part of the places before them (rows × heads × size).

    Weights are counted relative to the greatest, whose logarithm is `top`; `total` is their sum, by which `mixed`, what
    the rows find there, is not divided yet.
    """

    top: Tensor
    total: Tensor
    mixed: Tensor

    def take(self, rows: slice) -> _Part:
        """Return the attention of some of the rows."""
        return _Part(self.top[rows], self.total[rows], self.mixed[rows])

    def joined(self, other: _Part) -> Tensor:
        """Return what the rows find in both parts."""
        top = torch.maximum(self.top, other.top)
        mine, others = torch.exp(self.top - top), torch.exp(other.top - top)
        total = self.total * mine + other.total * others
        return (self.mixed * mine + other.mixed * others) / total


class _Reading:
    """One more place of each of some rows on its way through the layers.

    There are `filled` rows, a multiple of the rows that are asked at once; those at the end belong to nobody.
    """

    def __init__(self, network: SequenceNetwork, places: _Places, added: slice) -> None:
        self.network = network
        self.places = places
        self.added = added
        self.count = added.stop - added.start
        self.filled = -(-self.count // BLOCK) * BLOCK
        self.blocks = [slice(first, first + BLOCK) for first in range(0, self.filled, BLOCK)]
        built = network.architecture
        self.heads, self.size = built.heads, built.width // built.heads
        recent = np.zeros((self.filled, _PIECE), np.int64)
        recent[: self.count] = places.recent[added]
        beyond = np.zeros((self.filled, _PIECE), np.bool_)
        beyond[: self.count] = places.beyond(added)
        self.recent, self.beyond = torch.from_numpy(recent), torch.from_numpy(beyond)[:, None]
        self.groups = list(self._grouped())

    def _grouped(self) -> Iterator[tuple[int, int, Tensor]]:
        """Yield from where to where rows have the same pieces before the last one, and the places of these."""
        anchors = self.places.anchors[self.added]
        starts = np.flatnonzero(np.diff(anchors, prepend=_NONE))  # rows without anchor stand first, and are not a group
        ends = np.append(starts, self.count)[1:]
        table = torch.from_numpy(self.places.pieces(anchors[starts]))
        lengths = self.places.lengths[anchors[starts]]
        for row, (first, last, length) in enumerate(zip(starts.tolist(), ends.tolist(), lengths.tolist(), strict=True)):
            yield first, last, table[row, :length]

    def layer(self, number: int, hidden: Tensor) -> Tensor:
        """Return the rows after one layer, and note what their new places offer."""
        block: Any = self.network.gpt2.h[number]
        read = torch.cat([block.attn.c_attn(block.ln_1(hidden[rows])) for rows in self.blocks])
        width = hidden.shape[1]
        offers = self.places.offers[number]
        offers[self.added] = read[: self.count, width:]
        asked = (read[:, :width] / self.size**0.5).view(-1, self.heads, self.size)
        shared = self._shared(offers, asked)
        after = []
        for rows in self.blocks:
            mixed = self._own(offers, asked, rows).joined(shared.take(rows))
            part = hidden[rows] + block.attn.c_proj(mixed.view(-1, width))
            after.append(part + block.mlp(block.ln_2(part)))
        return torch.cat(after)

    def _own(self, offers: Tensor, asked: Tensor, rows: slice) -> _Part:
        """Return the attention of some rows to the places of their last pieces, themselves among them."""
        own_offers = offers.index_select(0, self.recent[rows].flatten()).view(-1, _PIECE, 2, self.heads, self.size)
        # Head by head: these products read what is held as it lies, one product of all heads would copy it.
        weights = torch.cat(
            [asked[rows, head, None] @ own_offers[:, :, 0, head].transpose(1, 2) for head in range(self.heads)], 1
        )
        weights.masked_fill_(self.beyond[rows], -torch.inf)
        top = weights.amax(-1, keepdim=True)
        weights.sub_(top).exp_()
        mixed = torch.cat([weights[:, head, None] @ own_offers[:, :, 1, head] for head in range(self.heads)], 1)
        return _Part(top, weights.sum(-1, keepdim=True), mixed)

    def _shared(self, offers: Tensor, asked: Tensor) -> _Part:
        """Return the attention of all rows to the places before their last pieces, a group of rows at a time."""
        wide = min(_SHARERS, BLOCK)
        none = torch.zeros(self.filled, self.heads, 1)
        attended = _Part(none - torch.inf, none, torch.zeros(self.filled, self.heads, self.size))
        # A product takes the rows after a group along to have its shape; what they find is left out.
        asked = torch.cat([asked, asked.new_zeros(wide, *asked.shape[1:])]).transpose(0, 1)
        for start, end, places in self.groups:
            shared_offers = offers.index_select(0, places).view(-1, 2, self.heads, self.size)
            keys, values = shared_offers[:, 0].permute(1, 2, 0), shared_offers[:, 1].transpose(0, 1)
            for first in range(start, end, wide):
                last = min(first + wide, end)
                weights = asked[:, first : first + wide] @ keys
                top = weights.amax(-1, keepdim=True)
                weights.sub_(top).exp_()
                attended.top[first:last] = top[:, : last - first].transpose(0, 1)
                attended.total[first:last] = weights.sum(-1, keepdim=True)[:, : last - first].transpose(0, 1)
                attended.mixed[first:last] = (weights @ values)[:, : last - first].transpose(0, 1)
        return attended
