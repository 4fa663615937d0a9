"""Is the graph of error pairs drawn as the pairs say?"""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import Bilingual
from hengliang.tagging.test_sets.test_set import ErrorPair, error_pair
from hengliang.tagging.views import arrow_width, error_graph, family, ordered_points

TITLE = Bilingual("Errors", "错误")
TAGS = st.sampled_from(["n", "v", "a", "Ng", "vn", "d", "p", "r", "xx"])
SIDES = st.lists(TAGS, min_size=1, max_size=3).map(tuple)
COUNTS = st.dictionaries(st.builds(ErrorPair, SIDES, SIDES), st.integers(1, 5000), min_size=1, max_size=12)


def drawn(counts: dict[ErrorPair, int]) -> ElementTree.Element:
    page = str(error_graph(counts, TITLE))
    return ElementTree.fromstring(re.search(r"<svg.*</svg>", page, re.S)[0])  # type: ignore[index]


def arrows(drawing: ElementTree.Element) -> dict[str, ElementTree.Element]:
    return {str(path.findtext("title")): path for path in drawing.findall("path") if path.get("marker-end") is not None}


def test_nothing_is_drawn_of_nothing() -> None:
    assert error_graph({}, TITLE) == ""


def test_points_stand_by_families() -> None:
    pairs = [error_pair(name) for name in ("v:n", "n:nr", "Ng:n", "a:ad", "d:v", "p+r:d", "xx:n")]
    # Families in the order of FAMILIES (n, v, a, d, p), the morpheme Ng among the nouns, a stranger at the end.
    assert ordered_points(pairs) == ["n", "Ng", "nr", "v", "a", "ad", "d", "p+r", "xx"]
    assert family("Ng") == "n"


def test_both_directions_are_two_arrows_apart() -> None:
    found = arrows(drawn({error_pair("n:v"): 4, error_pair("v:n"): 1}))
    assert set(found) == {"<[n], [v]>: 4", "<[v], [n]>: 1"}
    forth, back = (re.findall(r"Q([-\d.]+),([-\d.]+)", str(path.get("d")))[0] for path in found.values())
    assert forth != back


def test_width_goes_with_the_root_of_the_count() -> None:
    # sqrt(1/4) is half of the way from the narrowest (0.8) to the widest (6.0): 3.4.
    assert arrow_width(1, 4) == pytest.approx(3.4)
    assert arrow_width(4, 4) == pytest.approx(6.0)


def test_same_tags_with_other_boundaries_are_a_loop() -> None:
    path = arrows(drawn({ErrorPair(("n", "n"), ("n", "n")): 2}))["<[n+n], [n+n]>: 2"]
    assert " c" in str(path.get("d"))
    assert path.get("class") == "about-words"


@given(COUNTS)
def test_every_pair_has_its_arrow_and_every_tag_its_point(counts: dict[ErrorPair, int]) -> None:
    drawing = drawn(counts)
    assert set(arrows(drawing)) == {f"{pair}: {count:,}" for pair, count in counts.items()}
    points = [str(mark.findtext("text")) for mark in drawing.findall("g")]
    assert points == ordered_points(list(counts))
    size = float(str(drawing.get("width")))
    assert drawing.get("viewBox") == f"0 0 {size:.0f} {size:.0f}"
    marks = [(points, *measures(mark)) for points, mark in zip(points, drawing.findall("g"), strict=True)]
    for point, x, y, half in marks:
        assert half <= x <= size - half and 15 <= y <= size - 15
        # A letter of the label is less than 7 wide: the label fits into its mark.
        assert 2 * half >= 6.6 * len(point)
    # No two marks touch: two ellipses of equal height that are this far apart have no point in common.
    for place, (_, x, y, half) in enumerate(marks):
        for _, other_x, other_y, other_half in marks[:place]:
            assert math.hypot((x - other_x) / (half + other_half), (y - other_y) / 30) > 1


def measures(mark: ElementTree.Element) -> tuple[float, float, float]:
    drawn_mark = mark.find("ellipse")
    assert drawn_mark is not None
    return float(str(drawn_mark.get("cx"))), float(str(drawn_mark.get("cy"))), float(str(drawn_mark.get("rx")))


def test_each_kind_of_arrow_has_one_head() -> None:
    drawing = drawn({error_pair("n:v"): 4, error_pair("v:n"): 1, error_pair("p+r:d"): 2})
    heads = [head.get("id") for head in drawing.iter("marker")]
    assert heads == ["head-about-tags", "head-about-words"]
    assert {path.get("marker-end") for path in arrows(drawing).values()} == {f"url(#{head})" for head in heads}
    assert [head.get("id") for head in drawn({error_pair("n:v"): 4}).iter("marker")] == ["head-about-tags"]
