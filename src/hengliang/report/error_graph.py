"""Which tags are taken for which others, seen at a glance?

A directed graph as in the paper on fine-grained tagging tests [1, Figures 2 and 3]: a point is a tag, or several of
words that the tagger ran together; an arrow leads from what the corpus has to what taggers give in its place. Here an
arrow is the wider the more instances it stands for, and the points stand on a circle in the order of their families,
so that errors within a family stay at the edge and those between families cross the middle.

[1] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
    Information Processing, 34(9), 9–18.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hengliang.core.terms import Bilingual
from hengliang.materials.error_pairs import ErrorPair
from hengliang.report import words
from hengliang.report.html import NOTHING, Html, bilingual, join, tag, text

FAMILIES = ("n", "t", "s", "f", "m", "q", "r", "v", "a", "b", "z", "d", "p", "c", "u", "y", "e", "o", "i", "l", "j")
"""The families of tags in the order in which they stand on the circle; others follow."""

_SIZE, _EDGE, _POINT = 640, 46, 15
_LETTER, _GAP = 6.7, 6.0
_WIDEST, _NARROWEST = 6.0, 0.8


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a point stands, half its width, and where the middle of the circle is."""

    x: float
    y: float
    half: float
    middle: float


def family(tags: str) -> str:
    """Return the family of a tag: that of its first letter; a morpheme belongs to its class (Ng to n)."""
    return tags[:1].lower()


def ordered_points(pairs: Sequence[ErrorPair]) -> list[str]:
    """Return the points of the graph in the order in which they stand on the circle."""
    points = {"+".join(side) for pair in pairs for side in (pair.gold, pair.predicted)}

    def place(point: str) -> tuple[int, str, int, str]:
        first = family(point)
        rank = FAMILIES.index(first) if first in FAMILIES else len(FAMILIES)
        return rank, first, len(point), point

    return sorted(points, key=place)


def error_graph(counts: Mapping[ErrorPair, int], title: Bilingual, *, simulated: bool = False) -> Html:
    """Return the graph as a drawing; pairs in both directions are two arrows that bow apart.

    Where answers are made up, the drawing and what is said of it say so.
    """
    if not counts:
        return Html("")
    pairs = sorted(counts)
    if simulated:
        mark = words.SIMULATED_MARK
        title = Bilingual(f"{mark.en}. {title.en}", f"{mark.zh}。{title.zh}")
    points = ordered_points(pairs)
    size = _size(points)
    places = _circle(points, size)
    largest = max(counts.values())
    arrows = [_arrow(pair, counts[pair], largest, places) for pair in pairs]
    marks = [_point(point, places[point]) for point in points]
    drawing = tag(
        "svg",
        {
            "viewBox": f"0 0 {size} {size}",
            "width": f"{size}",
            "role": "img",
            "class": "error-graph",
            "aria-label": f"{title.en}: {len(pairs)} arrows between {len(points)} tags",
        },
        tag("defs", None, *(_arrow_head(kind) for kind in sorted({_kind(pair) for pair in pairs}))),
        join(arrows),
        join(marks),
        _mark() if simulated else NOTHING,
    )
    return tag("figure", None, drawing, tag("figcaption", None, bilingual(title)))


def _mark() -> Html:
    """Return the words inside the drawing that its data are made up, in both languages."""
    said = f"{words.SIMULATED_MARK.en} · {words.SIMULATED_MARK.zh}"
    return tag("text", {"x": "6", "y": "18", "class": "simulated"}, text(said))


def _half(point: str) -> float:
    """Return half the width of the mark of a point, into which its tags fit."""
    return max(_POINT, len(point) * _LETTER / 2 + 5)


def _size(points: Sequence[str]) -> int:
    """Return how large the drawing must be so that the marks do not touch each other."""
    widest = max(_half(point) for point in points)
    return max(_SIZE, math.ceil(len(points) * (2 * widest + _GAP) / math.pi + 2 * _edge(points)))


def _edge(points: Sequence[str]) -> float:
    """Return how far from the edge of the drawing the circle lies: no mark and no loop may be cut off."""
    return max(_EDGE, *(_half(point) + _GAP for point in points))


def _circle(points: Sequence[str], size: int) -> dict[str, _Place]:
    middle, radius = size / 2, size / 2 - _edge(points)
    if len(points) == 1:
        return {points[0]: _Place(middle, middle, _half(points[0]), middle)}
    angles = [2 * math.pi * number / len(points) - math.pi / 2 for number in range(len(points))]
    return {
        point: _Place(middle + radius * math.cos(angle), middle + radius * math.sin(angle), _half(point), middle)
        for point, angle in zip(points, angles, strict=True)
    }


def _kind(pair: ErrorPair) -> str:
    return "about-words" if pair.about_words else "about-tags"


def _arrow_head(kind: str) -> Html:
    """Return the head of the arrows of a kind; two graphs of one page share none, so that each id stands there once."""
    measures = {"markerWidth": "9", "markerHeight": "9", "refX": "7", "refY": "4.5"}
    shape = tag("path", {"d": "M0,0 L9,4.5 L0,9 z"})
    drawn = {"id": f"head-{kind}", "class": kind, "orient": "auto", "markerUnits": "userSpaceOnUse", **measures}
    return tag("marker", drawn, shape)


def arrow_width(count: int, largest: int) -> float:
    """Return the width of an arrow: its area, not its width, goes with the count, so that rare pairs stay visible."""
    return _NARROWEST + (_WIDEST - _NARROWEST) * math.sqrt(count / largest)


def _arrow(pair: ErrorPair, count: int, largest: int, places: Mapping[str, _Place]) -> Html:
    start, end = places["+".join(pair.gold)], places["+".join(pair.predicted)]
    label = tag("title", None, text(f"{pair}: {count:,}"))
    stroke = {
        "class": _kind(pair),
        "stroke-width": f"{arrow_width(count, largest):.2f}",
        "fill": "none",
        "marker-end": f"url(#head-{_kind(pair)})",
    }
    return tag("path", {"d": _bow(start, end), **stroke}, label)


def _bow(start: _Place, end: _Place) -> str:
    """Return a curve that bends towards the middle and, of two arrows in opposite directions, to its own side."""
    across_x, across_y = end.x - start.x, end.y - start.y
    length = math.hypot(across_x, across_y)
    if not length:  # the same tags with other boundaries: a loop
        return (
            f"M{start.x:.1f},{start.y - _POINT:.1f} c-26,-34 26,-34 0,0"  # one curve that leaves and comes back above
        )
    unit_x, unit_y = across_x / length, across_y / length
    middle = start.middle
    inward = 0.25
    control_x = (start.x + end.x) / 2 * (1 - inward) + middle * inward - unit_y * length * 0.08
    control_y = (start.y + end.y) / 2 * (1 - inward) + middle * inward + unit_x * length * 0.08
    from_x, from_y = _towards(start, control_x, control_y)
    to_x, to_y = _towards(end, control_x, control_y)
    return f"M{from_x:.1f},{from_y:.1f} Q{control_x:.1f},{control_y:.1f} {to_x:.1f},{to_y:.1f}"


def _towards(place: _Place, x: float, y: float) -> tuple[float, float]:
    """Return where a curve leaves the mark of a point on its way to (x, y)."""
    away = math.hypot(x - place.x, y - place.y) or 1.0
    across, down = (x - place.x) / away, (y - place.y) / away
    edge = 1 / math.hypot(across / (place.half + 2), down / (_POINT + 2))
    return place.x + across * edge, place.y + down * edge


def _point(point: str, place: _Place) -> Html:
    centre = {"cx": f"{place.x:.1f}", "cy": f"{place.y:.1f}"}
    mark = tag("ellipse", {**centre, "rx": f"{place.half:.1f}", "ry": f"{_POINT}"})
    label = tag(
        "text",
        {"x": f"{place.x:.1f}", "y": f"{place.y:.1f}", "dy": "0.35em", "text-anchor": "middle"},
        text(point),
    )
    return tag("g", {"class": "tag-point"}, mark, label)
