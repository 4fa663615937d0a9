"""Which sentences of several blocks were made from the same source sentence, when the file does not say?

The BNC part of SMOG holds 500 original sentences and four blocks of 500 translations there and back, without the id of
the original. Two things give it away. Translations share words, and so the n-grams of their letters, with the original
and with each other; and each block keeps the order of one common list, of which it leaves out some entries. So every
two blocks are aligned as two texts are: the chain of pairs, each further on in both blocks, whose similarities above a
least one have the largest sum [1]. The pairs of all blocks then join into sources, the most similar first, and a
source has at most one sentence of each block.

[1] Needleman, S. B., Wunsch, C. D. (1970). A general method applicable to the search for similarities in the amino acid
    sequence of two proteins. Journal of Molecular Biology 48.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
import scipy

from hengliang.core.errors import UserError

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Pair = tuple[int, int]

LEAST = 0.2
"""The least cosine of two sentences of one source. On the BNC sentences 0.17 to 0.26 give the same sources."""

GRAMS = (3, 4, 5)
"""The lengths of the stretches of letters that are compared; a word counts with a space on either side."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, eq=False)
class SourceSentences:
    """The source of each sentence, by block, as numbers from 0 in the order in which sources are first met.

    `similarity` is the highest cosine with a sentence of the same source, NaN where there is no other one. `margin` is
    by how much it exceeds the highest cosine with a sentence of another block and another source.
    """

    sources: Mapping[str, Integers]
    similarity: Mapping[str, Floats]
    margin: Mapping[str, Floats]
    count: int


def source_sentences(blocks: Mapping[str, Sequence[str]], *, least: float = LEAST) -> SourceSentences:
    """Find which sentences belong together; the blocks list their sentences in a common order, with gaps.

    The numbers follow the order of the blocks and of the sentences in them: the sources of the first block are 0, 1, ….
    """
    if not 0 < least < 1:
        raise UserError(f"{least} is no least similarity.", valid="A number between 0 and 1.")
    cosines = _Cosines(blocks)
    names = list(blocks)
    links: list[tuple[float, int, int]] = []
    for one, other in combinations(names, 2):
        table = cosines.between(one, other)
        shift = cosines.starts[one], cosines.starts[other]
        links += [(float(table[a, b]), shift[0] + a, shift[1] + b) for a, b in heaviest_chain(table - least)]
    labels = _joined(links, cosines.block_of)
    sources = {name: labels[cosines.rows(name)] for name in names}
    similarity, margin = _certainty(cosines, sources)
    return SourceSentences(sources, similarity, margin, int(labels.max(initial=-1)) + 1)


def heaviest_chain(weights: Floats) -> list[Pair]:
    """Return the pairs of rows and columns, both ascending, whose weights have the largest sum.

    No row and no column is in two pairs, and no pair has a weight of zero or less. Of two equal sums the one that uses
    the earlier rows and columns is taken.
    """
    rows, columns = weights.shape
    best = np.zeros((rows + 1, columns + 1))
    for row in range(rows):
        # The best chain up to here without this row, or with it paired; then without the last column.
        here = np.maximum(best[row, 1:], best[row, :-1] + weights[row])
        best[row + 1, 1:] = np.maximum.accumulate(here)
    pairs, row, column = [], rows, columns
    while row and column:
        if best[row, column] == best[row - 1, column]:
            row -= 1
        elif best[row, column] == best[row, column - 1]:
            column -= 1
        else:
            row, column = row - 1, column - 1
            pairs.append((row, column))
    return pairs[::-1]


class _Cosines:
    """The sentences of all blocks as vectors of letter n-grams, weighted by how few sentences have them."""

    def __init__(self, blocks: Mapping[str, Sequence[str]]) -> None:
        sizes = [len(block) for block in blocks.values()]
        edges = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64).tolist()
        self.starts = dict(zip(blocks, edges, strict=False))
        self.sizes = dict(zip(blocks, sizes, strict=True))
        self.block_of = np.repeat(np.arange(len(sizes)), sizes)
        self.vectors = _vectors([sentence for block in blocks.values() for sentence in block])

    def rows(self, block: str) -> slice:
        return slice(self.starts[block], self.starts[block] + self.sizes[block])

    def between(self, one: str, other: str) -> Floats:
        product: Floats = (self.vectors[self.rows(one)] @ self.vectors[self.rows(other)].T).toarray()
        return product


def _vectors(sentences: Sequence[str]) -> scipy.sparse.csr_matrix:
    counts = [_grams(sentence) for sentence in sentences]
    columns: dict[str, int] = {}
    for held in counts:
        for gram in held:
            columns.setdefault(gram, len(columns))
    rows = np.repeat(np.arange(len(counts)), [len(held) for held in counts])
    places = np.array([columns[gram] for held in counts for gram in held], np.int64)
    often = np.array([count for held in counts for count in held.values()], np.float64)
    document_counts = np.bincount(places, minlength=len(columns))
    weights = (1 + np.log(often)) * np.log(len(counts) / document_counts[places]) if len(places) else often
    lengths = np.sqrt(np.bincount(rows, weights**2, minlength=len(counts)))
    # A sentence all of whose n-grams are in every sentence has the length 0 and is like none.
    scaled = weights / np.where(lengths > 0, lengths, 1.0)[rows]
    return scipy.sparse.csr_matrix((scaled, (rows, places)), shape=(len(counts), len(columns)))


def _grams(sentence: str) -> Counter[str]:
    padded = [f" {word} " for word in _WORD.findall(sentence.lower())]
    return Counter(
        word[start : start + size] for word in padded for size in GRAMS for start in range(len(word) - size + 1)
    )


def _joined(links: Sequence[tuple[float, int, int]], block_of: Integers) -> Integers:
    """Join sentences along the links, the most similar first; a link that would put two of a block together is cut."""
    members = {place: {place} for place in range(len(block_of))}
    home = list(range(len(block_of)))
    for _, one, other in sorted(links, key=_by_similarity):
        first, second = home[one], home[other]
        if first == second:
            continue
        together = members[first] | members[second]
        if len({int(block_of[place]) for place in together}) < len(together):
            continue
        members[first] = together
        for place in members.pop(second):
            home[place] = first
    numbers: dict[int, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in home], np.int64)


def _by_similarity(link: tuple[float, int, int]) -> tuple[float, int, int]:
    return (-link[0], link[1], link[2])


def _certainty(cosines: _Cosines, sources: Mapping[str, Integers]) -> tuple[dict[str, Floats], dict[str, Floats]]:
    similarity, margin = {}, {}
    for one in sources:
        mate = np.full(cosines.sizes[one], -np.inf)
        stranger = np.full(cosines.sizes[one], -np.inf)
        for other in sources:
            if other == one or not cosines.sizes[other]:
                continue
            table = cosines.between(one, other)
            same = sources[one][:, None] == sources[other][None, :]
            mate = np.maximum(mate, np.where(same, table, -np.inf).max(axis=1))
            stranger = np.maximum(stranger, np.where(same, -np.inf, table).max(axis=1))
        alone = np.isinf(mate)
        similarity[one] = np.where(alone, np.nan, mate)
        margin[one] = np.where(alone | np.isinf(stranger), np.nan, similarity[one] - np.where(alone, 0, stranger))
    return similarity, margin
