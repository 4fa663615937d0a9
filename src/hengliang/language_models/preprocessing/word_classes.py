"""Word classes: exchange clustering (Brown-style class bigrams), and sentences as sequences of classes.

The classes are learned from the training texts: words that stand between the same words share one [1]. A word that
training saw too rarely has the class `<class:unknown>`, and so has every word that it did not see at all: what a model
learns of the rare words holds for the unknown ones.

[1] Brown, P. F., Della Pietra, V. J., de Souza, P. V., Lai, J. C., Mercer, R. L. (1992). Class-based n-gram models of
    natural language. Computational Linguistics 18.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import scipy

from hengliang.core.errors import UserError
from hengliang.core.labelling.texts import Texts
from hengliang.core.signature import Signature, code_checksum, digest
from hengliang.language_models.preprocessing.representation import Coarse, Representation, symbol, without_reserved
from hengliang.language_models.vocabulary import SEEN_AT_LEAST, UNKNOWN

# --- exchange clustering ----------------------------------------------------------------------------------------------
# Puts words that stand in the same places into one class.
#
# The exchange algorithm [1] moves one word after the other into the class where adjacent classes say most about each
# other: the mutual information of the classes of two neighbouring words [2]. It rises with every move, so that the
# search ends, at the latest when no single word can be moved for the better. That is a local optimum; which one depends
# on where the search starts.
#
# Text by text, a boundary stands before the first word and after the last, in a class of its own. So every word has one
# neighbour to each side, and the objective is
#
#     I = 1/N Σ N(c, d) log N(c, d) − 2/N Σ N(c) log N(c) + log N
#
# over all pairs of adjacent classes c and d, in nats, where N counts all pairs.
#
# [1] Martin, S., Liermann, J., Ney, H. (1998). Algorithms for bigram and trigram word clustering. Speech Communication
#     24.
# [2] Brown, P. F., Della Pietra, V. J., de Souza, P. V., Lai, J. C., Mercer, R. L. (1992). Class-based n-gram models of
#     natural language. Computational Linguistics 18.

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

ITERATIONS = 10
"""Passes over all words. With 100 classes of a million words the tenth adds a five-hundredth of what the first did."""

LEAST_GAIN = 1e-9
"""In units of N·I: less is rounding, and the word stays where it is."""


@dataclass(frozen=True, slots=True, eq=False)
class Clustering:
    """The class of every word, from 0; words seen too rarely are together in the class after the last.

    `information` is the mutual information of adjacent classes in nats, at the start and after each pass.
    """

    classes: Integers
    information: tuple[float, ...]


def exchange_clusters(
    ids: npt.ArrayLike,
    offsets: npt.ArrayLike,
    vocabulary_size: int,
    classes: int,
    *,
    iterations: int = ITERATIONS,
    least: int = 1,
    seed: int | None = None,
) -> Clustering:
    """Put the words of texts into classes, so that the classes of neighbours tell most about each other.

    The words of text `i` are `ids[offsets[i]:offsets[i + 1]]`, numbers below `vocabulary_size`. Words seen fewer than
    `least` times take no part and have the class number `classes` together. The others start in classes by frequency:
    the most frequent have one each, all the rest share the last. With a `seed` they start anywhere instead, which
    shows how far a result depends on its start. Words are visited in order of frequency, and one that is as well off
    where it is stays; so equal texts give equal classes.
    """
    words, edges = np.asarray(ids, np.int64), np.asarray(offsets, np.int64)
    _check(words, edges, vocabulary_size, classes, iterations)
    counts = np.bincount(words, minlength=vocabulary_size)
    order = np.lexsort((np.arange(vocabulary_size), -counts))
    order = order[counts[order] >= max(least, 1)]
    start = np.full(vocabulary_size, classes, np.int64)
    if seed is None:
        start[order] = np.minimum(np.arange(len(order)), classes - 1)
    else:
        start[order] = np.random.default_rng(seed).integers(0, classes, len(order))
    search = _Search(adjacent_pairs(words, edges, vocabulary_size), start, classes)
    objectives = [search.information]
    for _ in range(iterations):
        moved = sum(search.visit(word) for word in order.tolist())
        objectives.append(search.information)
        if not moved:
            break
    return Clustering(search.classes, tuple(objectives))


def _check(words: Integers, edges: Integers, vocabulary_size: int, classes: int, iterations: int) -> None:
    if classes < 1:
        raise UserError(f"{classes} classes cannot hold a word.", valid="classes is a whole number, 1 or more.")
    if iterations < 1:
        raise UserError(f"{iterations} passes find no class.", valid="iterations is a whole number, 1 or more.")
    if not len(words):
        raise UserError("There are no words to put into classes.", valid="Texts with words.")
    if words.min() < 0 or words.max() >= vocabulary_size:
        wrong = words[(words < 0) | (words >= vocabulary_size)][0]
        raise UserError(f"The word number {wrong} is not in the vocabulary.", valid=f"0 to {vocabulary_size - 1}.")
    if len(edges) < 2 or edges[0] != 0 or edges[-1] != len(words) or (np.diff(edges) < 0).any():
        raise UserError(f"The texts do not part the {len(words)} words.", valid=f"offsets rise from 0 to {len(words)}.")


def adjacent_pairs(ids: npt.ArrayLike, offsets: npt.ArrayLike, vocabulary_size: int) -> scipy.sparse.csr_array:
    """Count which word stands before which; the boundary of texts is the word with the number `vocabulary_size`."""
    words, edges = np.asarray(ids, np.int64), np.unique(np.asarray(offsets, np.int64))
    bounded = np.insert(words, edges, vocabulary_size)
    # Between two texts one boundary ends the first and begins the second, which is the same pairs as one for each.
    ones = np.ones(len(bounded) - 1, np.int64)
    size = vocabulary_size + 1
    return scipy.sparse.coo_array((ones, (bounded[:-1], bounded[1:])), shape=(size, size)).tocsr()


def mutual_information(pairs: scipy.sparse.csr_array, classes: npt.ArrayLike) -> float:
    """Return the mutual information of adjacent classes in nats, from pairs of words and the class of each word."""
    codes = np.asarray(classes, np.int64)
    codes = np.append(codes, codes.max(initial=-1) + 1)
    triplets = pairs.tocoo()
    size = int(codes.max()) + 1
    joint = np.zeros((size, size))
    np.add.at(joint, (codes[triplets.row], codes[triplets.col]), triplets.data)
    total = joint.sum()
    product = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    seen = joint > 0
    return float((joint[seen] * np.log(joint[seen] * total / product[seen])).sum() / total)


class _Search:
    """The classes of all words, with the counts of adjacent classes that go with them.

    Classes are the `candidates` that words may move to, then that of rare words and that of the boundary. `table` holds
    the counts of adjacent classes twice, so that a word's neighbours choose whole rows of it: row g says how often each
    candidate stands before class g, row `groups + g` how often after it.
    """

    def __init__(self, pairs: scipy.sparse.csr_array, start: Integers, candidates: int) -> None:
        self.candidates = candidates
        self.groups = candidates + 2
        size = pairs.shape[0]
        self.classes = start.copy()
        self._selves: Integers = pairs.diagonal()
        apart = pairs.tocoo()
        different = apart.row != apart.col
        apart = scipy.sparse.coo_array(
            (apart.data[different], (apart.row[different], apart.col[different])), shape=pairs.shape
        )
        self._neighbours = scipy.sparse.hstack([apart, apart.T]).tocsr()
        codes = np.append(start, candidates + 1)
        # The class of each word as a successor, and then of each as a predecessor.
        self._codes = np.concatenate([codes, codes + self.groups])
        self._size = size
        self._counts: Integers = np.asarray(pairs.sum(axis=1)).ravel()
        self.total = int(pairs.sum())
        self.sizes = np.bincount(codes, self._counts, self.groups).astype(np.int64)
        triplets = pairs.tocoo()
        joint = np.zeros((self.groups, self.groups), np.int64)
        np.add.at(joint, (codes[triplets.row], codes[triplets.col]), triplets.data)
        self.table: Integers = np.ascontiguousarray(np.concatenate([joint.T, joint])[:, :candidates])
        numbers = np.arange(self.total + 1, dtype=np.float64)
        # x log x of every count there can be: looking it up is three times as fast as computing it.
        self._entropies: Floats = numbers * np.log(np.maximum(numbers, 1))
        self.objective = float(self._entropies[joint].sum() - 2 * self._entropies[self.sizes].sum())

    @property
    def information(self) -> float:
        """The mutual information of adjacent classes, kept up to date move by move."""
        return self.objective / self.total + float(np.log(self.total))

    def visit(self, word: int) -> bool:
        """Move a word to the class that gains most by it, and say whether it is another than before."""
        row = slice(*self._neighbours.indptr[word : word + 2].tolist())
        codes = self._codes[self._neighbours.indices[row]]
        around = np.bincount(codes, self._neighbours.data[row], 2 * self.groups).astype(np.int64)
        itself, count, old = int(self._selves[word]), int(self._counts[word]), int(self.classes[word])
        self._change(old, -around, -itself, -count)
        gains = self._gains(around, itself, count)
        new = int(gains.argmax())
        if gains[new] <= gains[old] + LEAST_GAIN:
            new = old
        self._change(new, around, itself, count)
        if new == old:
            return False
        self.objective += float(gains[new] - gains[old])
        self.classes[word] = self._codes[word] = new
        self._codes[self._size + word] = self.groups + new
        return True

    def _gains(self, around: Integers, itself: int, count: int) -> Floats:
        """Return by how much N·I grows when a word that is in no class joins each of the candidates."""
        entropies, candidates = self._entropies, self.candidates
        rows = np.flatnonzero(around)
        block = self.table[rows]
        gains: Floats = (entropies.take(block + around[rows, None]) - entropies.take(block)).sum(axis=0)
        # A class beside itself is in the block twice, once for each side, but is one count, to which both are added.
        own = self.table.diagonal()
        after, before = around[:candidates], around[self.groups : self.groups + candidates]
        gains += entropies[own + after + before + itself] - entropies[own + after]
        gains += entropies[own] - entropies[own + before]
        sizes = self.sizes[:candidates]
        gains -= 2 * (entropies[sizes + count] - entropies[sizes])
        return gains

    def _change(self, own: int, around: Integers, itself: int, count: int) -> None:
        """Add the pairs of a word to those of a class, or take them away."""
        groups, candidates = self.groups, self.candidates
        self.table[:, own] += around
        self.table[own] += around[groups : groups + candidates]
        self.table[groups + own] += around[:candidates]
        self.table[own, own] += itself
        self.table[groups + own, own] += itself
        self.sizes[own] += count


# --- sentences of classes ---------------------------------------------------------------------------------------------


KIND = "class"
UNKNOWN_CLASS = symbol(KIND, "unknown")
"""The class of words that training saw too rarely or not at all."""


class WordClasses(Representation):
    """Sentences in which each word stands as the symbol of its class.

    `learned` is what `learn` returned for the training texts; without it there are no classes yet. Words seen fewer
    than `least` times are not put into one.
    """

    def __init__(
        self,
        classes: int = 100,
        learned: Mapping[str, Any] = MappingProxyType({}),
        least: int = SEEN_AT_LEAST,
        iterations: int = ITERATIONS,
    ) -> None:
        self.classes = classes
        self.learned = learned
        self.least = least
        self.iterations = iterations

    def learn(self, texts: Texts) -> dict[str, Any]:
        """Put the words of training texts into classes: `{"classes": n, "words": {word: class}}`, frequent words first.

        A million words and a hundred classes take some ten seconds.
        """
        words = without_reserved(texts).words
        counted = (
            pl.DataFrame({"word": words})
            .group_by("word")
            .agg(count=pl.len().cast(pl.Int64))
            .sort("count", "word", descending=[True, False])
            .with_row_index("id")
        )
        if not counted.height:
            raise UserError("The training texts have no words to put into classes.", valid="Texts with words.")
        ids = pl.DataFrame({"word": words}).join(counted, on="word", how="left", maintain_order="left")["id"]
        clustering = exchange_clusters(
            ids.to_numpy(), texts.offsets, counted.height, self.classes, iterations=self.iterations, least=self.least
        )
        classes_of_words = zip(counted["word"].to_list(), clustering.classes.tolist(), strict=True)
        kept = {word: number for word, number in classes_of_words if number < self.classes and word != UNKNOWN}
        return {"classes": self.classes, "words": kept}

    def coarsen(self, texts: Texts) -> Coarse:
        """Return the texts with the class of every word in its place; a class is one word, so no length changes."""
        known = self._known
        words = pl.DataFrame({"word": without_reserved(texts).words})
        symbols = words.join(known, on="word", how="left", maintain_order="left")["symbol"].fill_null(UNKNOWN_CLASS)
        counts = pl.Series("words", np.diff(texts.offsets))
        return Coarse(replace(texts, words=symbols.alias("word")), ("",) * len(texts), counts)

    def signature(self) -> Signature:
        """Return how many classes there are and a checksum of what was learned."""
        return Signature.of(
            replaced="words by classes",
            code=code_checksum(type(self)),
            classes=self.classes,
            least=self.least,
            iterations=self.iterations,
            learned=self._checksum,
        )

    @cached_property
    def _checksum(self) -> str:
        if not self.learned:
            return "nothing"
        return digest(json.dumps(dict(self.learned), sort_keys=True, ensure_ascii=False))

    @cached_property
    def _known(self) -> pl.DataFrame:
        """The words that have a class, each with its symbol."""
        if not self.learned:
            raise UserError(
                "No word has a class yet.",
                remedy="Learn the classes first: WordClasses(n, WordClasses(n).learn(training_texts)).",
            )
        words = self.learned.get("words")
        if self.learned.get("classes") != self.classes or not isinstance(words, Mapping):
            raise UserError(
                f"What was learned does not hold the words of {self.classes} classes, "
                f"but of {self.learned.get('classes', 'no')}.",
                valid="What learn() returned, with the same number of classes.",
                remedy="Train the model again, or copy its folder again.",
            )
        symbols = [symbol(KIND, str(number)) for number in words.values()]
        return pl.DataFrame({"word": list(words), "symbol": symbols}, schema={"word": pl.String, "symbol": pl.String})
