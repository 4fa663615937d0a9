"""Are sentences that come from one source found again, whatever is missing between them?"""

from __future__ import annotations

from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.materials.rated_sentences.smog import read_smog, translation_blocks
from hengliang.materials.rated_sentences.source_sentences import _Cosines, heaviest_chain, source_sentences

# Twelve sentences of our own, and each said again with other words and in another order.
ORIGINALS = (
    "The gardener watered the roses before breakfast .",
    "My uncle repairs old bicycles in his cellar .",
    "Nobody could find the key to the library .",
    "Seven ships left the harbour at midnight .",
    "The orchestra played a waltz by a forgotten composer .",
    "She painted the kitchen door bright yellow .",
    "Heavy snow closed the mountain road for a week .",
    "The baker sells bread made from rye and barley .",
    "A lighthouse keeper writes letters to his sister .",
    "They measured the temperature of the lake every hour .",
    "The judge postponed the hearing until Thursday .",
    "Our neighbours keep three goats and a donkey .",
)
AGAIN = (
    "Before breakfast roses were watered by a gardener .",
    "In cellar , uncle repaired the old bicycle .",
    "The library key , nobody finds .",
    "At midnight seven ship leaves harbour .",
    "Forgotten composer's waltz was played by orchestra .",
    "Kitchen door she painted in bright yellow color .",
    "A week the mountain road is closed of heavy snow .",
    "Bread of rye and barley sold by baker .",
    "Keeper of lighthouse write letter to the sister .",
    "Every hour the lake temperature is measured .",
    "Until Thursday hearing was postponed by judge .",
    "Three goats and donkey the neighbour keeps .",
)


def places(count: int) -> st.SearchStrategy[list[int]]:
    return st.sets(st.integers(0, count - 1), min_size=3).map(sorted)


@settings(max_examples=40)
@given(places(12), places(12), places(12))
def test_sources_are_found_whatever_is_missing(one: list[int], two: list[int], three: list[int]) -> None:
    kept = {"a": one, "b": two, "c": three}
    texts = {"a": ORIGINALS, "b": AGAIN, "c": [text.upper() for text in ORIGINALS]}
    found = source_sentences({name: [texts[name][place] for place in held] for name, held in kept.items()})
    # A block alone against all others still tells its own sources apart.
    labels = {(name, place): found.sources[name][n] for name, held in kept.items() for n, place in enumerate(held)}
    for (name, place), (other, there) in combinations(labels, 2):
        assert (labels[name, place] == labels[other, there]) == (place == there)
    assert found.count == len({*one, *two, *three})
    assert found.sources["a"].tolist() == list(range(len(one)))


def test_how_sure_it_is() -> None:
    found = source_sentences({"a": ORIGINALS[:4], "b": [*AGAIN[:3], "Quite another thing ."]})
    assert found.sources["b"].tolist() == [0, 1, 2, 4]
    assert found.count == 5
    assert np.isnan(found.similarity["a"][3]) and np.isnan(found.margin["b"][3])
    assert (found.similarity["a"][:3] > 0.2).all()
    assert (found.margin["a"][:3] > 0.2).all()


def test_two_sentences_of_a_block_never_share_a_source() -> None:
    same = ORIGINALS[0]
    found = source_sentences({"a": [same, same], "b": [same], "c": [same, same]})
    for labels in found.sources.values():
        assert len(set(labels.tolist())) == len(labels)


def test_empty_blocks_and_wrong_similarities() -> None:
    found = source_sentences({"a": ORIGINALS[:2], "b": []})
    assert (found.count, found.sources["b"].tolist()) == (2, [])
    assert source_sentences({}).count == 0
    with pytest.raises(UserError, match="is no least similarity"):
        source_sentences({}, least=0)


def best_by_enumeration(weights: np.ndarray) -> float:
    """Return the largest sum over all chains of pairs, by trying every one."""
    rows, columns = weights.shape
    best = 0.0
    for size in range(1, min(rows, columns) + 1):
        for left in combinations(range(rows), size):
            for right in combinations(range(columns), size):
                best = max(best, float(weights[list(left), list(right)].sum()))
    return best


@settings(max_examples=60)
@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_the_chain_is_the_heaviest_of_all(rows: int, columns: int, seed: int) -> None:
    weights = np.random.default_rng(seed).normal(size=(rows, columns))
    chain = heaviest_chain(weights)
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(chain))
    assert all(weights[pair] > 0 for pair in chain)
    assert sum(weights[pair] for pair in chain) == pytest.approx(best_by_enumeration(weights))


@pytest.mark.untraced
@pytest.mark.mirror
def test_the_blocks_of_the_bnc_are_parts_of_one_list_of_600(mirror: Path) -> None:
    blocks = translation_blocks(read_smog("bnc"))
    assert {name: len(block) for name, block in blocks.items()} == dict.fromkeys(("en", "es", "ja", "no", "zh"), 500)
    found = source_sentences(blocks)
    # If every block left out 100 of 600 at random, 241, 241, 96, 19, 2 sources would have 5, 4, 3, 2, 1 sentences.
    sizes = np.bincount(np.concatenate(list(found.sources.values())))
    assert found.count == 602
    assert np.bincount(sizes).tolist() == [0, 6, 29, 94, 211, 262]
    # The same whatever the least similarity within wide bounds.
    for least in (0.17, 0.26):
        other = source_sentences(blocks, least=least)
        assert all(np.array_equal(other.sources[name], found.sources[name]) for name in blocks)
    # A sentence that two blocks have word for word is of one source: 29 sentences, and none was told so.
    where: dict[str, set[int]] = {}
    for name, block in blocks.items():
        for sentence, source in zip(block, found.sources[name].tolist(), strict=True):
            where.setdefault(sentence, set()).add(source)
    assert all(len(held) == 1 for held in where.values())
    assert 2500 - len(where) == 31
    # How sure: nearly every sentence resembles one of its source far more than any other.
    margins = np.concatenate(list(found.margin.values()))
    assert np.isnan(margins).sum() == 6
    assert (margins < 0).sum() == 1 and (margins < 0.1).sum() == 11
    # No block holds the translations of all 500 originals: each lacks 80 to 85 of them and has as many others.
    originals = set(found.sources["en"].tolist())
    with_original = {name: len(originals & set(labels.tolist())) for name, labels in found.sources.items()}
    assert with_original == {"en": 500, "es": 420, "ja": 416, "no": 420, "zh": 415}


@pytest.mark.mirror
def test_the_blocks_of_the_bnc_keep_the_same_order(mirror: Path) -> None:
    # Without a look at the order: pairs of which each is the other's nearest, with a cosine of .3 or more.
    blocks = translation_blocks(read_smog("bnc"))
    cosines = _Cosines(blocks)
    pairs, in_order, strays = 0, 0, []
    for one, other in combinations(blocks, 2):
        table = cosines.between(one, other)
        nearest = table.argmax(axis=1)
        mutual = (table.argmax(axis=0)[nearest] == np.arange(500)) & (table.max(axis=1) >= 0.3)
        weights = np.where(mutual[:, None] & (np.arange(500) == nearest[:, None]), 1.0, -1.0)
        chain = heaviest_chain(weights)
        pairs, in_order = pairs + int(mutual.sum()), in_order + len(chain)
        strays += [float(table[row, nearest[row]]) for row in set(np.flatnonzero(mutual)) - {row for row, _ in chain}]
    # Of 4,156 such pairs 4,148 keep the order, and the other eight are no translations: they share a rare word.
    assert (pairs, in_order) == (4156, 4148)
    assert max(strays) < 0.39
