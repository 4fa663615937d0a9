"""What does a masked language model expect in each slot?

The slot becomes one hidden token for classifiers that are one token of the model, and as many hidden tokens as a longer
classifier has. A longer one gets the product of its tokens from left to right, those before it filled in already
("word-l2r" [1]).

A model says nothing about how many tokens a slot holds. So every number of tokens is taken to be as probable as any
other before the model is asked, and the classifiers share out what they get under their own number: the probability of
系列 in two hidden tokens stands beside that of 种 in one.

The first token of a longer classifier bounds the whole of it. Where that is a small share of what the others have
together the classifier is not followed further and gets 0; so most slots need one pass through the network for each
number of tokens, however many candidates there are.

[1] Kauf, C., Ivanova, A. (2023). A better way to do masked language model scoring. ACL 2023.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from hengliang.core.text.characters import Offsets
from hengliang.language_models.huggingface.loading import Loaded
from hengliang.language_models.huggingface.masked import (
    Frame,
    batches_of_one_length,
    expected_of,
    frame_of,
    window_start,
)
from hengliang.language_models.scores import Numbers

BATCH_TOKENS = 2048
"""How many tokens go through the network at once."""

Ids = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Gap:
    """The tokens before and after a slot."""

    left: Ids
    right: Ids

    def question(self, filled: Ids, hidden: int, mask: int) -> tuple[Ids, int]:
        """Return the tokens with some of the slot's filled in and the others hidden, and the first hidden place."""
        return (*self.left, *filled, *(mask,) * hidden, *self.right), len(self.left) + len(filled)


def gaps_of(loaded: Loaded, slots: pl.DataFrame, window: int | None = None) -> list[Gap | None]:
    """Return the tokens around each slot, at most `window` on each side; None where the model cannot read them."""
    frame = frame_of(loaded)
    backend = loaded.tokenizer.backend
    # Tokenizers treat what stands beside a special token in ways of their own, so the mask itself is written out.
    backend.encode_special_tokens = False
    mask = loaded.tokenizer.wrapper.mask_token
    texts, edges = [], []
    for sentence, slot in slots.select("sentence", "slot").iter_rows():
        raw = sentence.encode()
        left = raw[:slot].decode()
        texts.append(f"{left}{mask}{raw[slot:].decode()}")
        edges.append(len(left))
    encodings = backend.encode_batch(texts, add_special_tokens=False)
    return [
        _gap(encoding.ids, encoding.offsets, edge, frame, loaded.vocabulary, window)
        for encoding, edge in zip(encodings, edges, strict=True)
    ]


def _gap(
    ids: Sequence[int], offsets: Sequence[tuple[int, int]], edge: int, frame: Frame, vocabulary: int, window: int | None
) -> Gap | None:
    pairs = enumerate(zip(ids, offsets, strict=True))
    place = next((place for place, (number, (_, end)) in pairs if number == frame.mask and end > edge), None)
    if place is None or max(ids) >= vocabulary:
        return None
    first, last = (0, len(ids)) if window is None else (max(0, place - window), place + 1 + window)
    return Gap(tuple(ids[first:place]), tuple(ids[place + 1 : last]))


def slot_logprobs(
    loaded: Loaded, slots: pl.DataFrame, candidates: Sequence[str], *, window: int | None = None, floor: float = 0.0
) -> Numbers:
    """Return the log-probability of each candidate (columns) in each slot (rows).

    NaN is a candidate that the model does not know, or a slot that it cannot read. −inf is a candidate of several
    tokens that was not followed: its first token has less than `floor` of what the candidates of one token have
    together.
    """
    frame = frame_of(loaded)
    gaps = gaps_of(loaded, slots, window)
    readable = [row for row, gap in enumerate(gaps) if gap is not None]
    asked = [gap for gap in gaps if gap is not None]
    tokens = _tokens(loaded, candidates)
    found = np.full((len(gaps), len(candidates)), np.nan)
    mass = np.full(len(asked), -np.inf)
    for length in sorted({len(ids) for ids in tokens if ids}):
        columns = [column for column, ids in enumerate(tokens) if ids and len(ids) == length]
        wanted = np.array([tokens[column][0] for column in columns], np.int64)
        begun = _ask(loaded, frame, [gap.question((), length, frame.mask) for gap in asked], wanted)
        if length == 1:
            mass = np.logaddexp.reduce(begun, axis=1)
        else:
            least = mass + (np.log(floor) if floor > 0 else -np.inf)
            begun = _followed(loaded, frame, asked, [tokens[column] for column in columns], begun, least)
        found[np.ix_(readable, columns)] = begun
    return found


def _tokens(loaded: Loaded, candidates: Sequence[str]) -> list[Ids]:
    """Return the tokens of each candidate; none where the model does not know it."""
    tokenizer = loaded.tokenizer
    number = getattr(tokenizer.wrapper, "unk_token_id", None)
    unknown = -1 if number is None or tokenizer.spells_all else int(number)
    found = [tuple(tokens.ids.tolist()) for tokens in tokenizer.tokenise(list(candidates))]
    return [() if unknown in ids or any(token >= loaded.vocabulary for token in ids) else ids for ids in found]


def _followed(
    loaded: Loaded, frame: Frame, gaps: Sequence[Gap], tokens: Sequence[Ids], begun: Numbers, least: Numbers
) -> Numbers:
    """Return the log-probabilities of candidates of several tokens, from those of their first tokens."""
    found = np.where(begun >= least[:, None], begun, -np.inf)
    for step in range(1, len(tokens[0])):
        cells = np.argwhere(np.isfinite(found))
        if not len(cells):
            break
        keys = [(row, tokens[column][:step]) for row, column in cells.tolist()]
        places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
        hidden = len(tokens[0]) - step
        questions = [gaps[row].question(filled, hidden, frame.mask) for row, filled in places]
        wanted = np.array([ids[step] for ids in tokens], np.int64)
        following = _ask(loaded, frame, questions, wanted)
        for (row, column), key in zip(cells.tolist(), keys, strict=True):
            found[row, column] += following[places[key], column]
    return found


def _ask(loaded: Loaded, frame: Frame, questions: Sequence[tuple[Ids, int]], wanted: Offsets) -> Numbers:
    """Return the log-probabilities of the wanted tokens (columns) at one place of each sequence (rows)."""
    lengths = np.array([len(ids) for ids, _ in questions], np.int64)
    places = np.array([place for _, place in questions], np.int64)
    starts = window_start(places, lengths, frame.room)
    widths = lengths if frame.room is None else np.minimum(lengths, frame.room)
    found = np.full((len(questions), len(wanted)), np.nan)
    before, after = frame.before, frame.after
    for rows in batches_of_one_length(widths, BATCH_TOKENS, loaded.vocabulary):
        width = int(widths[rows[0]])
        cut = [(*before, *questions[row][0][starts[row] : starts[row] + width], *after) for row in rows.tolist()]
        at = places[rows] - starts[rows] + len(before)
        found[rows] = expected_of(loaded, np.array(cut, np.int64), at, np.tile(wanted, (len(rows), 1)))
    return found
