"""Do counts fall into the bands they should, whose names sort in order?"""

from __future__ import annotations

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from hengliang.materials.frequency_bands import BAND_NAMES, band, bands


def test_edges_of_the_bands() -> None:
    counts = [0, 1, 2, 4, 5, 9, 10, 49, 50, 12_000]
    named = ["00", "01", "02–04", "02–04", "05–09", "05–09", "10–49", "10–49", "50+", "50+"]
    assert [band(count) for count in counts] == named
    assert pl.DataFrame({"n": counts}).select(bands(pl.col("n")))["literal"].to_list() == named


def test_names_sort_in_their_order() -> None:
    assert sorted(BAND_NAMES) == list(BAND_NAMES)


@given(st.lists(st.integers(0, 200), min_size=1))
def test_a_larger_count_is_in_no_lower_band(counts: list[int]) -> None:
    ordered = [band(count) for count in sorted(counts)]
    assert ordered == sorted(ordered)
