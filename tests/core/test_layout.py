"""Does a layout travel as JSON without losing a title or an order?"""

from __future__ import annotations

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.core.base_classes import FigureKind, Layout, StatisticFormat, StatisticLabel
from hengliang.core.errors import UserError
from hengliang.core.settings import from_json, to_json
from hengliang.core.terms import Bilingual

names = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
titles = st.builds(Bilingual, names, names)
labels = st.builds(StatisticLabel, titles, st.sampled_from(get_args(StatisticFormat)), st.integers(0, 6))
layouts = st.builds(
    Layout,
    rows=st.lists(names, max_size=3).map(tuple),
    columns=names,
    statistics=st.dictionaries(names, labels, max_size=4),
    factors=st.dictionaries(names, titles, max_size=4),
    levels=st.dictionaries(names, titles, max_size=4),
    figure=st.sampled_from(get_args(FigureKind)),
    figure_statistics=st.lists(names, max_size=3).map(tuple),
)


@given(layouts)
def test_a_layout_comes_back_from_json(layout: Layout) -> None:
    back = from_json(Layout, json.loads(json.dumps(to_json(layout))), "It")
    assert back == layout
    # Equal mappings may differ in their order, and the order of the statistics is that of the columns.
    assert list(back.statistics) == list(layout.statistics)


def test_a_layout_as_json() -> None:
    accuracy = StatisticLabel(Bilingual("Accuracy", "准确率"), "percent", 1)
    layout = Layout(("system",), statistics={"accuracy": accuracy}, levels={"GE": Bilingual("always 个", "总是“个”")})
    assert to_json(layout) == {
        "rows": ["system"],
        "columns": "statistic",
        "statistics": {
            "accuracy": {"title": {"en": "Accuracy", "zh": "准确率"}, "format": "percent", "digits": 1},
        },
        "factors": {},
        "levels": {"GE": {"en": "always 个", "zh": "总是“个”"}},
        "figure": "intervals",
        "figure_statistics": [],
    }


def test_the_plain_layout_has_statistics_as_columns_and_draws_them_all() -> None:
    plain = Layout(())
    assert (plain.columns, plain.figure, plain.figure_statistics) == ("statistic", "intervals", ())
    assert (StatisticLabel(Bilingual("x", "x")).format, StatisticLabel(Bilingual("x", "x")).digits) == ("number", 3)


def test_two_layouts_do_not_share_their_titles() -> None:
    assert Layout(()).levels is not Layout(()).levels


@pytest.mark.parametrize("part", ["rows", "columns", "statistics", "factors", "levels", "figure", "figure_statistics"])
def test_a_layout_that_lacks_a_part_is_not_filled_up_by_guessing(part: str) -> None:
    value = to_json(Layout(("system",)))
    del value[part]
    with pytest.raises(UserError, match=rf"It has no {part}\."):
        from_json(Layout, value, "It")
