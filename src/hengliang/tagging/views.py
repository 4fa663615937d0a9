"""Views of tagging errors for reports: error pairs by word and sentence, and the error graph.

The views are plain data, from which `views_html` writes the page; the error graph is the drawing above them.

Items are grouped by pair and by word. A pair shows the words that most taggers miss most often, each with its sentences
and with what every tagger gave where the target stands; the others are counted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Self

import polars as pl

from hengliang.core.terms import Bilingual
from hengliang.core.text.characters import utf8
from hengliang.report import words
from hengliang.report.html import NOTHING, Html, bilingual, join, tag, text
from hengliang.tagging.labels import LABELS, NAME
from hengliang.tagging.test_sets.test_set import ErrorPair

# --- the views --------------------------------------------------------------------------------------------------------


WORDS_SHOWN, SENTENCES_SHOWN = 8, 1500
"""At most so many words of a pair are shown, and so many sentences on a page, of which each pair has its share."""

TITLE = Bilingual("Error pairs, words and sentences", "错误对、词例与句子")
COUNTS = Bilingual(
    "Of each tagger: right, wrong as the pair says, wrong otherwise (recorded), and after a minus without an answer.",
    "各标注器的数依次为：标对、按该模式标错、以其他方式标错（记录），减号后为无回答。",
)


@dataclass(frozen=True, slots=True)
class Tally:
    """How often a tagger was right, wrong as the pair says, wrong otherwise, and without an answer."""

    correct: int = 0
    wrong: int = 0
    record: int = 0
    failed: int = 0

    @property
    def total(self) -> int:
        """All answers that were judged."""
        return self.correct + self.wrong + self.record

    def to_json(self) -> list[int]:
        """Return the four counts."""
        return [self.correct, self.wrong, self.record, self.failed]

    @classmethod
    def from_json(cls, counts: Sequence[int]) -> Self:
        """Read back what `to_json` gave."""
        return cls(*counts)

    def __str__(self) -> str:
        return f"{self.correct}/{self.wrong}/{self.record}" + (f" (−{self.failed})" if self.failed else "")


@dataclass(frozen=True, slots=True)
class SentenceView:
    """A sentence in three pieces, the second of which is the target, and what each tagger gave there."""

    before: str
    target: str
    after: str
    gold: str
    given: Mapping[str, tuple[str, str]]

    def to_json(self) -> dict[str, Any]:
        """Return the sentence as a JSON object."""
        pieces = [self.before, self.target, self.after]
        return {"pieces": pieces, "gold": self.gold, "given": {name: list(pair) for name, pair in self.given.items()}}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """Read back what `to_json` gave."""
        before, target, after = value["pieces"]
        answers = {name: (pair[0], pair[1]) for name, pair in value["given"].items()}
        return cls(before, target, after, value["gold"], answers)


@dataclass(frozen=True, slots=True)
class WordView:
    """A word of a pair: how each tagger fares with it, and its sentences, if they are shown."""

    word: str
    tallies: Mapping[str, Tally]
    sentences: tuple[SentenceView, ...] = ()


@dataclass(frozen=True, slots=True)
class PairView:
    """An error pair: how many words it has, how each tagger fares with it, and the words that are shown."""

    pair: str
    n_words: int
    tallies: Mapping[str, Tally]
    words: tuple[WordView, ...]


# --- from the tables of a run ---------------------------------------------------------------------------------------


def pair_views(
    items: pl.DataFrame, responses: pl.DataFrame, judgements: pl.DataFrame, measure: str = NAME
) -> tuple[PairView, ...]:
    """Return the pairs of a run with the words that taggers miss; none when this measure judged no tagging items."""
    if not {"pair", "word", "gold_tags"} <= set(items.columns):
        return ()
    rows = _judged(items, responses, judgements.filter(pl.col("measure") == measure))
    if not rows.height:
        return ()
    share = SENTENCES_SHOWN // rows["pair"].n_unique()
    return tuple(_pair_view(pair, of_pair, share) for (pair,), of_pair in rows.group_by("pair", maintain_order=True))


def _pair_view(pair: object, rows: pl.DataFrame, left: int) -> PairView:
    """Return a pair with the words that are missed most, and `left` sentences at most."""
    views = []
    for word in _worst_words(rows):
        own = rows.filter(pl.col("word") == word)
        sentences = _sentence_views(own, left)
        left -= len(sentences)
        views.append(WordView(word, _counted(own), sentences))
    return PairView(str(pair), rows["word"].n_unique(), _counted(rows), tuple(views))


def _judged(items: pl.DataFrame, responses: pl.DataFrame, judgements: pl.DataFrame) -> pl.DataFrame:
    """Return one row per item and system: its place, the tagger's words and the label; failures have none."""
    asked = items.drop_nulls("pair").select(
        "pair", "word", "content", "gold", item="id", target=pl.col("spans").list.first()
    )
    answers = responses.select("item", "system", about="id", words="content")
    labels = judgements.select("about", "label", system="scored_system")
    rows = asked.join(answers, on="item", how="inner", maintain_order="left")
    return rows.join(labels.unique(), on=["about", "system"], how="inner", maintain_order="left")


def _counted(rows: pl.DataFrame) -> dict[str, Tally]:
    counted: dict[str, dict[str | None, int]] = {}
    for system, label, count in rows.group_by("system", "label", maintain_order=True).len().iter_rows():
        counted.setdefault(system, {})[label] = count
    return {system: Tally(*(counts.get(label, 0) for label in (*LABELS, None))) for system, counts in counted.items()}


def _worst_words(rows: pl.DataFrame) -> list[str]:
    missed = (pl.col("label") != LABELS[0]).fill_null(False)
    ranked = rows.group_by("word").agg(missed=missed.sum(), share=missed.mean())
    ranked = ranked.sort(["missed", "share", "word"], descending=[True, True, False])
    return ranked.filter(pl.col("missed") > 0)["word"].head(WORDS_SHOWN).to_list()


def _sentence_views(rows: pl.DataFrame, most: int) -> tuple[SentenceView, ...]:
    views = []
    for _, of_item in islice(rows.group_by("item", maintain_order=True), most):
        first = of_item.row(0, named=True)
        raw, start, end = utf8(first["content"]), first["target"]["start"], first["target"]["end"]
        answers = {
            row["system"]: (_given(raw, row["words"], start, end), row["label"] or "")
            for row in of_item.iter_rows(named=True)
        }
        before, target, after = raw[:start].decode(), raw[start:end].decode(), raw[end:].decode()
        views.append(SentenceView(before, target, after, first["gold"] or "", answers))
    return tuple(views)


def _given(raw: bytes, words: Sequence[Mapping[str, Any]] | None, start: int, end: int) -> str:
    touching = [word for word in words or () if word["end"] > start and word["start"] < end]
    return " ".join(f"{raw[word['start'] : word['end']].decode().strip()}/{word['tag']}" for word in touching)


# --- error graph ------------------------------------------------------------------------------------------------------
# A directed graph that shows at a glance which tags are taken for which others, as in the paper on fine-grained tagging
# tests [1, Figures 2 and 3]: a point is a tag, or several of words that the tagger ran together; an arrow leads from
# what the corpus has to what taggers give in its place. Here an arrow is the wider the more instances it stands for,
# and the points stand on a circle in the order of their families, so that errors within a family stay at the edge and
# those between families cross the middle.
#
# [1] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
#     Information Processing, 34(9), 9–18.

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
    label = f"{words.SIMULATED_MARK.en} · {words.SIMULATED_MARK.zh}"
    return tag("text", {"x": "6", "y": "18", "class": "simulated"}, text(label))


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
