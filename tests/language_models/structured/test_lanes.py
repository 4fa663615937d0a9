"""Which beginnings do sentences share, and which are read together?"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hengliang.language_models.structured.beam_search import Bundle, bundles

SENTENCES = st.lists(st.lists(st.integers(0, 3), max_size=5), max_size=12)


def words_of_lane(bundle: Bundle, length: int, lane: int) -> list[int]:
    """Return the words on the way to a lane, by its parents."""
    words = []
    for level in reversed(bundle.levels[:length]):
        words.append(int(level.words[lane]))
        lane = int(level.parents[lane])
    return list(reversed(words))


def test_shared_beginnings_are_one_lane() -> None:
    (bundle,) = bundles([[1, 2, 3], [4], [1, 2], [1, 5, 3]], 10)
    # In the order of words: 1 2, 1 2 3, 1 5 3, 4.
    assert bundle.sentences.tolist() == [2, 0, 3, 1]
    assert bundle.lengths.tolist() == [2, 3, 3, 1]
    assert [level.words.tolist() for level in bundle.levels] == [[1, 4], [2, 5], [3, 3]]
    assert [level.parents.tolist() for level in bundle.levels] == [[0, 0], [0, 0], [0, 1]]
    assert bundle.places.tolist() == [[0, 0, 0, -1], [0, 0, 0, 0], [0, 0, 1, 1], [0, 1, -1, -1]]


def test_a_full_level_ends_a_bundle() -> None:
    # Two lanes at most: 1, 2 fill the first level, 3 begins anew; a sentence that is there twice takes no lane.
    found = list(bundles([[1], [2], [3], [2]], 2))
    assert [bundle.sentences.tolist() for bundle in found] == [[0, 1, 3], [2]]


def test_nothing_to_read() -> None:
    assert list(bundles([], 3)) == []
    (empty,) = bundles([[], []], 3)
    assert empty.levels == ()
    assert empty.places.tolist() == [[0], [0]]


@given(SENTENCES, st.integers(1, 5))
def test_every_sentence_is_read_once(sentences: list[list[int]], lanes: int) -> None:
    found = list(bundles(sentences, lanes))
    assert sorted(number for bundle in found for number in bundle.sentences.tolist()) == list(range(len(sentences)))
    for bundle in found:
        assert all(len(level.words) <= lanes for level in bundle.levels)
        for row, number in enumerate(bundle.sentences.tolist()):
            words = sentences[number]
            assert bundle.lengths[row] == len(words)
            ways = [words_of_lane(bundle, length, int(bundle.places[row, length])) for length in range(len(words) + 1)]
            assert ways == [words[:length] for length in range(len(words) + 1)]
            assert (bundle.places[row, len(words) + 1 :] == -1).all()


@given(SENTENCES)
def test_each_beginning_is_one_lane(sentences: list[list[int]]) -> None:
    beginnings = {tuple(words[:length]) for words in sentences for length in range(1, len(words) + 1)}
    assert sum(len(level.words) for bundle in bundles(sentences, 1000) for level in bundle.levels) == len(beginnings)
