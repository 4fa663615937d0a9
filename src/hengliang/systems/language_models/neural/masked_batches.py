"""Which tokens of a sentence are hidden, and which sentences are learned from together?

Whole words are hidden [1]: the model sees none of the characters of a word that it has to find. Of some words only one
token is, for that is how a pseudo-log-likelihood asks later on; for the same reason every hidden token is [MASK], never
another token. What is hidden in a step depends on the
seed and the number of the step alone, so that training can stop and go on.

[1] Cui, Y., Che, W., Liu, T., Qin, B., Yang, Z. (2021). Pre-training with whole word masking for Chinese BERT.
    TASLP 29.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hengliang.core.errors import UserError
from hengliang.core.labelling.texts import Texts, edges_of, ranges
from hengliang.core.text.characters import Offsets
from hengliang.systems.language_models.hugging_face.tokens import SpanTokenizer

Ids = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """Sentences as tokens: `ids` and, for each, the number of its word within the sentence.

    `dropped` counts the sentences that the tokenizer cannot read or that are longer than the model.
    """

    offsets: Offsets
    ids: Ids
    words: Ids
    dropped: int

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Offsets:
        """How many tokens each sentence has."""
        return np.diff(self.offsets)

    def take(self, rows: npt.ArrayLike) -> Encoded:
        """Return the sentences of these row numbers, in this order."""
        wanted = np.asarray(rows, np.int64)
        counts = self.lengths[wanted]
        places = ranges(self.offsets[:-1][wanted], counts)
        return Encoded(edges_of(counts), self.ids[places], self.words[places], self.dropped)


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """A padded batch: the tokens as the model sees them, which places are tokens, which are hidden, and their ids."""

    seen: Ids
    present: npt.NDArray[np.bool_]
    hidden: npt.NDArray[np.bool_]
    targets: Ids


@dataclass(frozen=True, slots=True)
class SpecialIds:
    """The ids of the tokens that are put around a sentence, into gaps and in place of what is hidden."""

    pad: int
    begin: int
    end: int
    mask: int


def encode(texts: Texts, tokenizer: SpanTokenizer, longest: int) -> Encoded:
    """Return the texts, which carry their words, as tokens; a token belongs to the word in which it starts."""
    if not texts.segmented.all():
        raise UserError("Some texts do not say what their words are.", remedy="Call with_words(segmenter) on them.")
    ids, words, counts = [], [], []
    edges = texts.offsets.tolist()
    for row, tokens in enumerate(tokenizer.tokenise(texts.contents.to_list())):
        if tokens.problem or not 0 < len(tokens.ids) <= longest:
            continue
        ends = texts.ends[edges[row] : edges[row + 1]]
        ids.append(tokens.ids)
        words.append(np.searchsorted(ends, tokens.starts[tokens.units], "right"))
        counts.append(len(tokens.ids))
    if not ids:
        raise UserError("No sentence is left to learn from.", valid=f"Sentences of 1 to {longest} tokens.")
    return Encoded(edges_of(counts), np.concatenate(ids), np.concatenate(words), len(texts) - len(ids))


def batches_of(lengths: Offsets, tokens: int, stream: np.random.Generator | None = None) -> list[Ids]:
    """Return the rows of each batch: sentences of like length, at most `tokens` places a batch, with the gaps.

    A stream of random numbers shuffles sentences of like length, and the batches.
    """
    jitter = stream.uniform(-2, 2, len(lengths)) if stream else np.zeros(len(lengths))
    order = np.argsort(lengths + jitter, kind="stable")
    batches, begin, widest = [], 0, 0
    for place, row in enumerate(order.tolist()):
        width = max(widest, int(lengths[row]) + 2)
        if place > begin and width * (place + 1 - begin) > tokens:
            batches.append(order[begin:place])
            begin, width = place, int(lengths[row]) + 2
        widest = width
    batches.append(order[begin:])
    if stream:
        stream.shuffle(batches)
    return batches


def mask_words(
    sentences: Encoded, rate: float, special: SpecialIds, stream: np.random.Generator, whole: float = 1.0
) -> Batch:
    """Return a batch in which each word is drawn with the probability `rate`, and at least one word is.

    A word that is drawn is hidden as a whole with the probability `whole`, else one token of it is.
    """
    lengths = sentences.lengths
    rows = np.repeat(np.arange(len(sentences)), lengths)
    places = 1 + np.arange(len(rows)) - np.repeat(sentences.offsets[:-1], lengths)
    shape = (len(sentences), int(lengths.max()) + 2)
    seen = np.full(shape, special.pad, np.int64)
    seen[rows, places] = sentences.ids
    seen[:, 0] = special.begin
    seen[np.arange(len(sentences)), lengths + 1] = special.end
    present = np.arange(shape[1]) < (lengths + 2)[:, None]
    hidden = np.zeros(shape, np.bool_)
    hidden[rows, places] = _drawn(rows, sentences.words, rate, whole, stream)
    targets = seen[hidden]
    seen[hidden] = special.mask
    return Batch(seen, present, hidden, targets)


def _drawn(rows: Ids, words: Ids, rate: float, whole: float, stream: np.random.Generator) -> npt.NDArray[np.bool_]:
    """Return which tokens are hidden; those of a word follow each other."""
    begins = np.flatnonzero((np.diff(rows, prepend=-1) != 0) | (np.diff(words, prepend=-1) != 0))
    sizes = np.diff(begins, append=len(rows))
    draws, wholly = stream.random(len(begins)), stream.random(len(begins)) < whole
    chosen = (draws < rate) | (draws == draws.min())
    tokens = stream.random(len(rows))
    first = tokens == np.repeat(np.maximum.reduceat(tokens, begins), sizes)
    hidden: npt.NDArray[np.bool_] = np.repeat(chosen, sizes) & (np.repeat(wholly, sizes) | first)
    return hidden
