"""Does every move raise the objective, and does the search end where no move is left?"""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, mutual_info_score

from hengliang import UserError
from hengliang.language_models.preprocessing import word_classes as module
from hengliang.language_models.preprocessing.word_classes import adjacent_pairs, exchange_clusters, mutual_information

TEXTS = st.lists(st.lists(st.integers(0, 6), max_size=12), min_size=1, max_size=5).filter(any)
Integers = npt.NDArray[np.int64]


def flat(texts: list[list[int]]) -> tuple[Integers, Integers]:
    ids = np.array([word for text in texts for word in text], np.int64)
    return ids, np.cumsum([0, *map(len, texts)])


def neighbours(texts: list[list[int]], boundary: int) -> list[tuple[int, int]]:
    """List all adjacent pairs the plain way."""
    pairs = []
    for text in filter(None, texts):
        bounded = [boundary, *text, boundary]
        pairs += list(pairwise(bounded))
    return pairs


@given(TEXTS)
def test_pairs_are_counted_within_texts_and_with_their_boundaries(texts: list[list[int]]) -> None:
    pairs = adjacent_pairs(*flat(texts), 7).toarray()
    expected = np.zeros((8, 8))
    for left, right in neighbours(texts, 7):
        expected[left, right] += 1
    assert (pairs == expected).all()
    assert (pairs.sum(axis=0) == pairs.sum(axis=1)).all()


@given(TEXTS, st.lists(st.integers(0, 3), min_size=7, max_size=7))
def test_the_objective_is_the_mutual_information_of_neighbours(texts: list[list[int]], classes: list[int]) -> None:
    # scikit-learn's mutual information of two labelings, which are the classes of left and of right neighbours.
    left, right = zip(*neighbours(texts, 7), strict=True)
    codes = np.array([*classes, 9])
    expected = mutual_info_score(codes[list(left)], codes[list(right)])
    assert mutual_information(adjacent_pairs(*flat(texts), 7), classes) == pytest.approx(expected, abs=1e-12)


@given(TEXTS, st.integers(1, 5), st.none() | st.integers(0, 9), st.integers(1, 3))
def test_what_is_summed_move_by_move_is_what_is_computed_at_once(
    texts: list[list[int]], classes: int, seed: int | None, least: int
) -> None:
    ids, offsets = flat(texts)
    found = exchange_clusters(ids, offsets, 7, classes, seed=seed, least=least)
    pairs = adjacent_pairs(ids, offsets, 7)
    assert found.information[-1] == pytest.approx(mutual_information(pairs, found.classes), abs=1e-9)
    assert all(later >= former - 1e-12 for former, later in pairwise(found.information))
    rare = np.bincount(ids, minlength=7) < least
    assert (found.classes[rare] == classes).all()
    assert (found.classes[~rare] < classes).all()


@given(TEXTS, st.integers(1, 4), st.integers(0, 9))
def test_it_ends_where_no_word_can_be_moved_for_the_better(texts: list[list[int]], classes: int, seed: int) -> None:
    ids, offsets = flat(texts)
    found = exchange_clusters(ids, offsets, 7, classes, seed=seed, iterations=50)
    pairs = adjacent_pairs(ids, offsets, 7)
    best = mutual_information(pairs, found.classes)
    for word, other in product(set(ids.tolist()), range(classes)):
        moved = found.classes.copy()
        moved[word] = other
        assert mutual_information(pairs, moved) <= best + 1e-9


def test_each_move_is_worth_what_it_was_said_to_be_worth() -> None:
    generator = np.random.default_rng(3)
    ids, offsets = generator.integers(0, 12, 200), np.array([0, 60, 60, 130, 200])
    pairs = adjacent_pairs(ids, offsets, 12)
    search = module._Search(pairs, generator.integers(0, 4, 12), 4)
    for word in generator.integers(0, 12, 60).tolist():
        search.visit(word)
        assert search.information == pytest.approx(mutual_information(pairs, search.classes), abs=1e-12)
        fresh = module._Search(pairs, search.classes, 4)
        assert (search.table == fresh.table).all()
        assert (search.sizes == fresh.sizes).all()


def test_the_best_of_several_starts_is_the_best_of_all_partitions() -> None:
    # Six words in three classes have 3^6 = 729 assignments, all of which are tried.
    generator = np.random.default_rng(11)
    for _ in range(3):
        ids, offsets = generator.choice(6, 40, p=[0.3, 0.2, 0.2, 0.1, 0.1, 0.1]), np.array([0, 15, 40])
        pairs = adjacent_pairs(ids, offsets, 6)
        every = max(mutual_information(pairs, classes) for classes in product(range(3), repeat=6))
        starts = [None, *range(12)]
        found = max(exchange_clusters(ids, offsets, 6, 3, seed=seed).information[-1] for seed in starts)
        assert found == pytest.approx(every, abs=1e-9)


def planted(texts: int, seed: int = 5) -> tuple[Integers, Integers, Integers]:
    """Write texts of a grammar of four classes of ten words each: A B C, with a D before it now and then."""
    generator = np.random.default_rng(seed)
    ids: list[int] = []
    offsets = [0]
    for _ in range(texts):
        order = ([3] if generator.random() < 0.5 else []) + [0, 1, 2] * int(generator.integers(1, 3))
        ids += [10 * kind + int(generator.integers(10)) for kind in order]
        offsets.append(len(ids))
    return np.array(ids), np.array(offsets), np.repeat(np.arange(4), 10)


def test_planted_classes_are_found() -> None:
    ids, offsets, classes = planted(600)
    tried = [exchange_clusters(ids, offsets, 40, 4, seed=seed) for seed in (None, *range(8))]
    best = max(tried, key=lambda found: found.information[-1])
    assert adjusted_rand_score(classes, best.classes) == 1.0
    # The search by itself ends in a local optimum, here one of many with two of the classes as one.
    assert len({round(found.information[-1], 6) for found in tried}) > 1


def test_as_many_classes_as_words_keep_all_that_words_say() -> None:
    ids, offsets, _ = planted(50)
    found = exchange_clusters(ids, offsets, 40, 60)
    pairs = adjacent_pairs(ids, offsets, 40)
    assert found.information[-1] == pytest.approx(mutual_information(pairs, np.arange(40)), abs=1e-9)


def test_the_same_texts_give_the_same_classes() -> None:
    ids, offsets, _ = planted(80)
    one, two = (exchange_clusters(ids, offsets, 40, 5).classes for _ in range(2))
    assert (one == two).all()


def test_frequent_words_start_with_a_class_each() -> None:
    # One pass cannot move the word that is alone in a text of its own repetitions.
    found = exchange_clusters([0, 0, 0, 1, 1, 2], [0, 6], 3, 3, iterations=1)
    assert sorted(found.classes.tolist()) == [0, 1, 2]


@pytest.mark.parametrize(
    ("ids", "offsets", "size", "classes", "iterations", "said"),
    [
        ([], [0, 0], 3, 2, 5, "no words"),
        ([0, 1], [0, 2], 3, 0, 5, "0 classes"),
        ([0, 1], [0, 2], 3, 2, 0, "0 passes"),
        ([0, 3], [0, 2], 3, 2, 5, "word number 3"),
        ([0, -1], [0, 2], 3, 2, 5, "word number -1"),
        ([0, 1], [0, 1], 3, 2, 5, "do not part"),
        ([0, 1], [0, 2, 1, 2], 3, 2, 5, "do not part"),
    ],
)
def test_what_cannot_be_clustered_is_said(
    ids: list[int], offsets: list[int], size: int, classes: int, iterations: int, said: str
) -> None:
    with pytest.raises(UserError, match=said):
        exchange_clusters(ids, offsets, size, classes, iterations=iterations)
