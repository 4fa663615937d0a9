"""How does a Transformer read a sentence and its tree?

As one row of steps [1]: each OPEN with its label, each word and each CLOSE is a place, and the decoder of GPT-2 looks
back on all places before. It keeps no stack; what belongs together it has to find out by itself.

[1] Qian, P., Naseem, T., Levy, R., Fernandez Astudillo, R. (2021). Structural guidance for Transformer language models.
    ACL 2021.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from hengliang.core.labelling.texts import edges_of, ranges
from hengliang.core.text.characters import Offsets
from hengliang.systems.language_models.neural.architectures import Architecture
from hengliang.systems.language_models.neural.networks import Attentive
from hengliang.systems.language_models.structured.architectures import StructuredArchitecture
from hengliang.systems.language_models.structured.derivations import Derivations
from hengliang.systems.language_models.structured.networks import Lesson, StructuredNetwork
from hengliang.systems.language_models.structured.sessions import Session
from hengliang.systems.language_models.structured.transitions import OPEN, SHIFT


@dataclass(frozen=True, slots=True, eq=False)
class SequenceBatch:
    """A batch of rows of steps, padded on the right.

    `opened` are the labels of the OPENs. Vectors are counted so: 0 is the begin, 1 that of all CLOSEs, then the words
    in the order of the text, then the OPENs. `vectors` says which is read at each place of each sentence, `asked` which
    places foretell the steps, one after the other.
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
        from hengliang.systems.language_models.structured.sequence_session import SequenceSession

        return SequenceSession(self)
