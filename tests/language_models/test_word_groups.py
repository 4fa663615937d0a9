"""Are the words as a model sees them the smallest stretches that begin and end together?"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hengliang import Item, Span
from hengliang.core import ScoredUnit, align, items_frame
from hengliang.language_models.measures import unit_groups, word_groups, words_of_items
from hengliang.language_models.regions import Regions
from hengliang.language_models.scores import scores_of


def regions(*texts: list[tuple[int, int]]) -> Regions:
    rows = [row for row, words in enumerate(texts) for _ in words]
    spans = np.array([word for words in texts for word in words], np.int64).reshape(-1, 2)
    return Regions(np.array(rows, np.int64), spans[:, 0], spans[:, 1])


def units(*spans: tuple[int, int]) -> list[ScoredUnit]:
    return [ScoredUnit(start, end, -float(end - start), -1.0) for start, end in spans]


def test_of_a_model_of_words_the_groups_are_its_units() -> None:
    found = word_groups(scores_of([units((0, 3), (3, 9), (9, 9))]), regions([(0, 3), (3, 9)]))
    assert found.starts.tolist() == [0, 3]
    assert found.ends.tolist() == [3, 9]
    assert found.logprobs.tolist() == [-3.0, -6.0]
    assert found.words.tolist() == [2]


def test_subwords_are_joined_and_an_entity_of_several_words_is_one() -> None:
    subwords = units((0, 1), (1, 3), (3, 9))
    entity = units((0, 9))
    found = word_groups(scores_of([subwords, entity]), regions([(0, 3), (3, 9)], [(0, 3), (3, 6), (6, 9)]))
    assert found.counts.tolist() == [2, 1]
    assert found.words.tolist() == [2, 3]
    assert found.logprobs.tolist() == [-3.0, -6.0, -9.0]


def test_a_text_without_words_has_no_groups_and_lends_none_to_its_neighbour() -> None:
    found = word_groups(scores_of([units((0, 3)), units((0, 3))]), regions([], [(0, 3)]))
    assert found.known.tolist() == [False, True]
    assert found.counts.tolist() == [0, 1]
    assert found.logprobs.tolist() == [-3.0]


def test_an_empty_text_has_no_words_and_that_is_known() -> None:
    found = word_groups(scores_of([units((0, 0)), "not scored"]), regions([], []))
    assert found.known.tolist() == [True, True]
    assert found.counts.tolist() == [0, 0]


def test_no_texts_give_no_groups() -> None:
    found = word_groups(scores_of([]), regions())
    assert len(found.counts) == 0
    assert len(found.logprobs) == 0


def cut(draw: st.DrawFn, length: int) -> list[tuple[int, int]]:
    edges = sorted(draw(st.sets(st.integers(1, length - 1), max_size=length - 1))) if length > 1 else []
    whole = [0, *edges, length]
    return list(pairwise(whole))


@st.composite
def batches(draw: st.DrawFn) -> list[tuple[list[tuple[int, int]], list[tuple[int, int]]]]:
    lengths = draw(st.lists(st.integers(1, 12), min_size=1, max_size=4))
    return [(cut(draw, length), cut(draw, length)) for length in lengths]


@given(batches())
def test_taken_for_words_the_units_are_the_groups(
    batch: list[tuple[list[tuple[int, int]], list[tuple[int, int]]]],
) -> None:
    scores = scores_of([units(*pieces) for pieces, _ in batch])
    found = unit_groups(scores, regions(*(words for _, words in batch)))
    alike = word_groups(scores, regions(*(pieces for pieces, _ in batch)))
    assert found.starts.tolist() == alike.starts.tolist()
    assert found.logprobs.tolist() == alike.logprobs.tolist()
    assert found.counts.tolist() == alike.counts.tolist()
    assert found.words.tolist() == [len(words) for _, words in batch]


@given(batches())
def test_groups_are_those_of_the_alignment_of_both_segmentations(
    batch: list[tuple[list[tuple[int, int]], list[tuple[int, int]]]],
) -> None:
    found = word_groups(scores_of([units(*pieces) for pieces, _ in batch]), regions(*(words for _, words in batch)))
    expected = [(pieces[ours.start][0], pieces[ours.stop - 1][1]) for pieces, words in batch
                for ours, _ in align(pieces, words)]  # fmt: skip
    assert list(zip(found.starts.tolist(), found.ends.tolist(), strict=True)) == expected
    assert np.allclose(found.logprobs, [start - end for start, end in expected])


def test_the_words_of_items_are_their_spans_of_that_name() -> None:
    items = items_frame(
        [
            Item("a", "a", "m", "", "他来", (Span("word", 0, 3), Span("target", 0, 6), Span("word", 3, 6))),
            Item("b", "b", "m", "", "他"),
        ]
    )
    found = words_of_items(items)
    assert found.rows.tolist() == [0, 0]
    assert list(zip(found.starts.tolist(), found.ends.tolist(), strict=True)) == [(0, 3), (3, 6)]
