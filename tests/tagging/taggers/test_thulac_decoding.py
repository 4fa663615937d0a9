"""Is our search for the best path that of THULAC, dead ends and ties included?"""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.tagging.taggers.thulac import MappedModel, best_labels, mapped_weights, transitions

pytest.importorskip("thulac")
from thulac.base.AlphaBeta import AlphaBeta
from thulac.character import CBModel, CBTaggingDecoder

SIZE = 4


def by_the_library(
    weights: list[int], before: list[list[int]], values: list[list[int]], allowed: list[list[int]]
) -> list[int]:
    count = len(values)
    nodes = [SimpleNamespace(predecessors=place - 1, successors=place + 1, type=0) for place in range(count)]
    nodes[0].type += 1
    nodes[-1].type += 2
    result: dict[int, int] = {}
    flat = [value for row in values for value in row]
    AlphaBeta().dbDecode(SIZE, weights, count, nodes, flat, [], result, before, allowed)
    return [result.get(place, 0) for place in range(count)]


labels = st.sets(st.integers(0, SIZE - 1)).map(lambda found: [*sorted(found), -1])


@settings(max_examples=400)
@given(st.data(), st.integers(1, 5))
def test_the_path_is_that_of_the_library(data: st.DataObject, count: int) -> None:
    # Few different scores make ties, and few allowed labels make dead ends.
    score = st.integers(-2, 2)
    weights = data.draw(st.lists(score, min_size=SIZE * SIZE, max_size=SIZE * SIZE))
    before = data.draw(st.lists(labels, min_size=SIZE, max_size=SIZE))
    values = data.draw(st.lists(st.lists(score, min_size=SIZE, max_size=SIZE), min_size=count, max_size=count))
    allowed = data.draw(st.lists(labels.filter(lambda found: len(found) > 1), min_size=count, max_size=count))
    mask = np.zeros((count, SIZE), bool)
    for place, row in enumerate(allowed):
        mask[place, row[:-1]] = True
    ours = best_labels(np.array(values, np.int64), mask, transitions(weights, before))
    assert ours == by_the_library(weights, before, values, allowed)


def test_weights_are_read_as_the_library_reads_them(tmp_path: Path) -> None:
    # Two labels, three features: 2 · 2 weights of label after label, 3 · 2 of features.
    file = tmp_path / "model.bin"
    np.array([2, 3, *range(-4, 6)], "<i4").tofile(file)
    ours, library = MappedModel(str(file)), CBModel.CBModel(str(file))
    assert (ours.l_size, ours.f_size) == (library.l_size, library.f_size) == (2, 3)
    assert ours.ll_weights == list(library.ll_weights) == [-4, -3, -2, -1]
    assert ours.fl_weights.tolist() == list(library.fl_weights) == [0, 1, 2, 3, 4, 5]


def test_the_library_gets_its_own_reader_back() -> None:
    own = CBTaggingDecoder.CBModel
    with pytest.raises(UserError, match="Cannot read"), mapped_weights(CBTaggingDecoder):
        assert CBTaggingDecoder.CBModel is MappedModel
        CBTaggingDecoder.CBModel("no such file")
    assert CBTaggingDecoder.CBModel is own
    assert sys.modules["thulac.character.CBTaggingDecoder"] is CBTaggingDecoder
