"""Which scores and regions are hard on sums and searches?"""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate, pairwise

import numpy as np
from hypothesis import strategies as st

from hengliang.core import ScoredUnit
from hengliang.language_models.regions import Regions
from hengliang.language_models.scores import Scores, scores_of

# Quarters, so that sums are exact in any order.
LOGPROBS = st.one_of(st.integers(-80, 0).map(lambda quarters: quarters / 4), st.just(-np.inf))
UNIGRAMS = st.one_of(st.none(), st.integers(-80, 0).map(lambda quarters: quarters / 4))


@st.composite
def units(draw: st.DrawFn) -> list[ScoredUnit]:
    """Return units that follow each other; some pieces share a span, and an end of no width may close them."""
    widths = draw(st.lists(st.integers(1, 4), max_size=6))
    spans = [
        span for span in pairwise(accumulate(widths, initial=0)) for _ in range(draw(st.sampled_from([1, 1, 1, 2])))
    ]
    size = sum(widths)
    ends = [(size, size)] if draw(st.booleans()) else []
    return [ScoredUnit(*span, draw(LOGPROBS), draw(UNIGRAMS)) for span in [*spans, *ends]]


ROW = st.one_of(units(), units(), st.sampled_from(["too long", "unknown script"]))


@st.composite
def scores(draw: st.DrawFn) -> Scores:
    """Return the scores of up to five texts, some of which have a problem."""
    found = scores_of(draw(st.lists(ROW, max_size=5)))
    flags = draw(st.lists(st.booleans(), min_size=len(found.starts), max_size=len(found.starts)))
    return replace(found, unknown=np.array(flags, np.bool_))


@st.composite
def scores_and_regions(draw: st.DrawFn) -> tuple[Scores, Regions]:
    """Return scores and regions of their texts, in any order: empty ones, crossing ones, some beyond the units."""
    found = draw(scores())
    place = st.integers(0, 26)
    spans = st.tuples(place, place).map(sorted)
    rows = st.integers(0, len(found) - 1) if len(found) else st.nothing()
    drawn = draw(st.lists(st.tuples(rows, spans), max_size=8)) if len(found) else []
    columns = [[row for row, _ in drawn], [span[0] for _, span in drawn], [span[1] for _, span in drawn]]
    return found, Regions(*(np.array(column, np.int64) for column in columns))
