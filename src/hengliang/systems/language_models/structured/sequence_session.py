"""How does a Transformer over steps answer a search, many rows of steps at a time?

Every state is a row of steps, kept as its last place and the numbers of the places before it, so that hypotheses share
what they have in common: what a place offers to later ones (its keys and values) is computed once. A row that has
reached the longest row of the training cannot go on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from hengliang.systems.language_models.scores import Numbers
from hengliang.systems.language_models.structured.networks import BLOCK, Heads
from hengliang.systems.language_models.structured.transitions import CLOSE, OPEN, SHIFT, Limits
from hengliang.text import Offsets

if TYPE_CHECKING:
    from hengliang.systems.language_models.structured.sequence_network import SequenceNetwork

Paths = npt.NDArray[np.int32]

_STRIDE = 16
"""Rows are filled up to a multiple of this: products of few shapes, whatever stands beside a row."""


class SequenceSession:
    """The rows of steps of one search: `paths` holds the places of each row, its own last, and `lengths` how many."""

    def __init__(self, network: SequenceNetwork) -> None:
        self.network = network
        self.heads = Heads(network)
        built = network.architecture
        self.paths = np.zeros((0, built.context), np.int32)
        self.lengths = np.zeros(0, np.int64)
        self.offers = torch.zeros(0, built.layers, 2, built.width)
        self.outputs = torch.zeros(0, built.width)

    @property
    def limits(self) -> Limits:
        """Which steps there are."""
        return self.network.architecture.limits

    @property
    def words(self) -> int:
        """How many symbols there are."""
        return self.network.architecture.symbols

    def begin(self) -> int:
        """Return the empty row."""
        with torch.inference_mode():
            nothing = np.zeros((1, self.paths.shape[1]), np.int32)
            return int(self._grown(self.network.begin[None], nothing, np.zeros(1, np.int64))[0])

    def step_logits(self, states: Offsets) -> Numbers:
        """Return a logit for each step."""
        with torch.inference_mode():
            return self.heads.step_logits(self.outputs[torch.from_numpy(states)])

    def word_logprobs(self, states: Offsets, words: Offsets) -> Numbers:
        """Return the log-probability of one word after each row."""
        with torch.inference_mode():
            return self.heads.word_logprobs(self.outputs[torch.from_numpy(states)], words)

    def word_distributions(self, states: Offsets) -> Numbers:
        """Return the log-probabilities of all words after each row."""
        with torch.inference_mode():
            return self.heads.word_distributions(self.outputs[torch.from_numpy(states)])

    def advance(self, states: Offsets, steps: Offsets, words: Offsets) -> Offsets:
        """Return the rows after one step each; -1 for a row that is as long as any in training."""
        found = np.full(len(states), -1, np.int64)
        fitting = np.flatnonzero(self.lengths[states] < self.paths.shape[1])
        if not len(fitting):
            return found
        steps, words, states = steps[fitting], words[fitting], states[fitting]
        with torch.inference_mode():
            vectors = torch.empty(len(states), self.network.architecture.width)
            shifts, opens, closes = (np.flatnonzero(kind) for kind in (steps == SHIFT, steps >= OPEN, steps == CLOSE))
            vectors[shifts] = self.network.embedding(torch.from_numpy(words[shifts]))
            vectors[opens] = self.network.opens(torch.from_numpy(steps[opens] - OPEN))
            vectors[closes] = self.network.close
            found[fitting] = self._grown(vectors, self.paths[states], self.lengths[states])
        return found

    def _grown(self, vectors: Tensor, paths: Paths, lengths: Offsets) -> Offsets:
        """Add a place with this vector to each row, and return the new rows."""
        count, first = len(vectors), len(self.lengths)
        offers = torch.empty(count, *self.offers.shape[1:])
        outputs = torch.empty(count, self.outputs.shape[1])
        sizes = -(-lengths // _STRIDE) * _STRIDE
        for size in np.unique(sizes).tolist():
            rows = np.flatnonzero(sizes == size)
            for start in range(0, len(rows), BLOCK):
                block = rows[start : start + BLOCK]
                filled = np.concatenate([block, np.full(BLOCK - len(block), block[0])])
                read, offered = self._read(vectors[filled], paths[filled][:, :size], lengths[filled])
                outputs[block], offers[block] = read[: len(block)], offered[: len(block)]
        numbers = np.arange(first, first + count)
        grown = paths.copy()
        grown[np.arange(count), lengths] = numbers
        self.paths = np.concatenate([self.paths, grown])
        self.lengths = np.concatenate([self.lengths, lengths + 1])
        self.offers = torch.cat([self.offers, offers])
        self.outputs = torch.cat([self.outputs, outputs])
        return numbers

    def _read(self, vectors: Tensor, paths: Paths, lengths: Offsets) -> tuple[Tensor, Tensor]:
        """Return what the Transformer makes of one more place of each row, and what the place offers to later ones."""
        network, built = self.network, self.network.architecture
        heads, size = built.heads, built.width // built.heads
        held = self.offers[torch.from_numpy(paths.astype(np.int64))]
        beyond = torch.from_numpy(np.arange(paths.shape[1])[None, :] >= lengths[:, None])[:, None, None, :]
        hidden = vectors + network.gpt2.wpe(torch.from_numpy(lengths))
        offered = []
        block: Any
        for layer, block in enumerate(network.gpt2.h):
            asked, key, value = block.attn.c_attn(block.ln_1(hidden)).split(built.width, 1)
            offered.append(torch.stack([key, value], 1))
            keys = torch.cat([held[:, :, layer, 0], key[:, None]], 1).view(len(vectors), -1, heads, size)
            values = torch.cat([held[:, :, layer, 1], value[:, None]], 1).view(len(vectors), -1, heads, size)
            weights = asked.view(-1, heads, 1, size) @ keys.permute(0, 2, 3, 1) / size**0.5
            weights[..., :-1].masked_fill_(beyond, -torch.inf)
            mixed = torch.softmax(weights, -1) @ values.transpose(1, 2)
            hidden = hidden + block.attn.c_proj(mixed.reshape(len(vectors), -1))
            hidden = hidden + block.mlp(block.ln_2(hidden))
        return network.gpt2.ln_f(hidden), torch.stack(offered, 1)

    def keep(self, states: Offsets) -> Offsets:
        """Forget all rows but these and the places in them."""
        chosen = np.unique(states)
        inside = np.arange(self.paths.shape[1])[None, :] < self.lengths[chosen][:, None]
        needed = np.unique(self.paths[chosen][inside])
        numbers = np.zeros(len(self.lengths), np.int32)
        numbers[needed] = np.arange(len(needed))
        paths = self.paths[needed]
        within = np.arange(paths.shape[1])[None, :] < self.lengths[needed][:, None]
        self.paths = np.where(within, numbers[paths], 0).astype(np.int32)
        self.lengths = self.lengths[needed]
        rows = torch.from_numpy(needed.astype(np.int64))
        self.offers, self.outputs = self.offers[rows], self.outputs[rows]
        return numbers[states].astype(np.int64)
