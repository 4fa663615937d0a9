"""THULAC tagger, with weights mapped from the model file and Viterbi decoding in numpy.

The first part makes the library's decoder quick without changing its results; the second is the tagger.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from hengliang.core.errors import file_errors
from hengliang.core.labelling.taggers import WordwiseTagger
from hengliang.core.labelling.words import Word
from hengliang.core.registry import register
from hengliang.core.signature import Signature, constructor_signature, file_checksum
from hengliang.core.terms import Bilingual
from hengliang.tagging.taggers.libraries import library, library_folder, library_version, quietly

# --- decoding ---------------------------------------------------------------------------------------------------------
# THULAC's Python reads its 92 million weights into as many Python numbers and searches the best path in nested loops:
# 1.3 GB and some 1,700 characters a second. Here the weights are mapped from the file (processes share them) and each
# step of the search is a few calls of numpy. Weights are whole numbers and ties go to the same label as in the library,
# so the path is the same; the library still cleans the text, looks features up and corrects times and place names.

Scores = npt.NDArray[np.int64]
Labels = npt.NDArray[np.int64]

_LOST = -(1 << 40)  # far below every score, and far enough above the smallest number for sums
_BOUNDARY = "#"
# The features of a character, as the library numbers them: which stretch (how far from the character) under which code.
_ALONE = ((1, 49), (0, 50), (2, 51))
_PAIRS = ((1, 49), (2, 50), (0, 51), (3, 52))


class MappedModel:
    """The weights of THULAC as they lie in its file: of label after label, and of each feature for each label."""

    def __init__(self, filename: str) -> None:
        with file_errors(filename, "read"):
            self.l_size, self.f_size = (int(size) for size in np.fromfile(filename, "<i4", 2))
            numbers = np.memmap(filename, "<i4", "r", offset=8)
        steps = self.l_size * self.l_size
        self.ll_weights: list[int] = numbers[:steps].tolist()
        self.fl_weights = numbers[steps : steps + self.f_size * self.l_size]


@contextmanager
def mapped_weights(decoding: Any) -> Iterator[None]:
    """Let the library read its weights through `MappedModel` meanwhile; `decoding` is its module CBTaggingDecoder."""
    own, decoding.CBModel = decoding.CBModel, MappedModel
    try:
        yield
    finally:
        decoding.CBModel = own


def quicken(decoder: Any) -> None:
    """Let a decoder of the library look up weights and search the best path by numpy; nothing else of it changes."""
    model = decoder.model
    tables = _Tables(
        np.asarray(model.fl_weights).reshape(-1, model.l_size),
        transitions(model.ll_weights, decoder.labelTransPre),
    )
    decoder.putValues = partial(_put_values, decoder, tables)
    decoder.dp = partial(_search, decoder, tables)


@dataclass(frozen=True, eq=False)
class _Tables:
    weights: npt.NDArray[np.int32]
    into: Scores


def transitions(weights: Sequence[int], before: Sequence[Sequence[int]]) -> Scores:
    """Return the score of label j after label k at `[j, k]`; `before[j]` lists the k that may precede, and then -1."""
    size = len(before)
    into = np.full((size, size), _LOST, np.int64)
    table = np.asarray(weights, np.int64).reshape(size, size)
    for label, labels in enumerate(before):
        into[label, labels[:-1]] = table[labels[:-1], label]
    return into


def best_labels(values: Scores, allowed: npt.NDArray[np.bool_], into: Scores) -> list[int]:
    """Return the labels of the best path, from the first character on; of equal ones the label that comes first.

    Where no path leads to the last character the library takes the best last label alone and 0 for all others.
    """
    came_from = np.zeros(values.shape, np.int64)
    rows = np.arange(into.shape[0])
    arriving = np.zeros(into.shape[0], np.int64)
    reached = np.where(allowed[0], values[0], _LOST)
    for step in range(1, len(values)):
        scores = into + reached
        source = scores.argmax(axis=1)
        arriving = scores[rows, source]
        came_from[step] = source
        reached = np.where(allowed[step] & (arriving > _LOST // 2), arriving + values[step], _LOST)
    stranded = (arriving <= _LOST // 2) & allowed[-1]
    last = int(np.where(stranded, values[-1], reached).argmax())
    if stranded[last]:
        return [0] * (len(values) - 1) + [last]
    labels = [last]
    for step in range(len(values) - 1, 0, -1):
        labels.append(int(came_from[step, labels[-1]]))
    return labels[::-1]


def _put_values(decoder: Any, tables: _Tables) -> None:
    """Set how well each label fits each character of the decoder's sentence."""
    ids = feature_ids(decoder.nGramFeature, decoder.sequence)
    values = np.zeros((decoder.len, tables.weights.shape[1]), np.int64)
    for feature in ids:
        known = feature >= 0
        values[known] += tables.weights[feature[known]]
    decoder.values = values


def feature_ids(features: Any, text: str) -> Labels:
    """Return the number of each of the seven features (row) of each character (column), -1 where it has no weights."""
    size, dat, find = features.datSize, features.dat, features.findBases
    padded = [_BOUNDARY, *text, _BOUNDARY, _BOUNDARY]
    bases = [find(size, left, right) for left, right in pairwise(padded)]
    alone = [base for base, _ in bases]
    pairs = [find(size, _BOUNDARY, _BOUNDARY)[1], *(base for _, base in bases)]

    def number(base: int, code: int) -> int:
        if base == -1:
            return -1
        place = dat[2 * base] + code
        return -1 if place >= size or dat[2 * place + 1] != base else int(dat[2 * place])

    rows = [
        [number(table[place + shift], code) for place in range(len(text))]
        for table, shapes in ((alone, _ALONE), (pairs, _PAIRS))
        for shift, code in shapes
    ]
    return np.array(rows, np.int64)


def _search(decoder: Any, tables: _Tables) -> None:
    allowed = np.zeros(decoder.values.shape, bool)
    for position in range(decoder.len):
        allowed[position, decoder.allowedLabelLists[position][:-1]] = True
    decoder.result = dict(enumerate(best_labels(decoder.values, allowed, tables.into)))
    # The library forgets the first and the last list of a sentence here.
    decoder.allowedLabelLists[0] = decoder.allowedLabelLists[decoder.len - 1] = None


# --- the tagger -------------------------------------------------------------------------------------------------------


_EXTRA = "taggers"
_LOCK = Lock()  # the library keeps the sentence in its decoder: two threads would mix theirs


@register("thulac")
class ThulacTagger(WordwiseTagger):
    """Words and tags by THULAC with its defaults: traditional characters are left as they are."""

    name = "thulac"
    title = Bilingual("THULAC", "THULAC")

    def words(self, sentence: str) -> Iterable[Word]:
        """Return the words of one sentence with THULAC's tags."""
        with _LOCK:
            return [(word, tag) for word, tag in _model().cut(sentence)]

    def signature(self) -> Signature:
        """Return the class and its code, the version of the library and the checksum of its model."""
        model = library_folder("thulac", _EXTRA) / "models" / "model_c_model.bin"
        version = library_version("thulac", _EXTRA)
        return constructor_signature(self).and_(thulac=version, model=file_checksum(model)[:16])


@cache
def _model() -> Any:
    thulac, decoding = library("thulac", _EXTRA), library("thulac.character.CBTaggingDecoder", _EXTRA)
    with quietly(), mapped_weights(decoding):
        model = thulac.thulac()
    quicken(model._thulac__tagging_decoder)
    return model
