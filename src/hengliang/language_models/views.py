"""Tables and charts of language models: perplexity tables, surprisal bars in a terminal, as rows and as SVG.

First perplexities as estimates and as a table, then the surprisal of each word of a sentence, drawn for a terminal, as
JSON rows and as a picture, and the most probable next units.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl
from rich.cells import cell_len, set_cell_size

from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.settings import json_number
from hengliang.core.terms import Bilingual, both
from hengliang.language_models.opening import Division, ModelSurprisals, SentenceSurprisals
from hengliang.language_models.perplexity import CorpusPerplexity, Per
from hengliang.language_models.sampling import Continuation
from hengliang.report.figures import FONT, still_picture
from hengliang.report.formats import Style
from hengliang.report.tables import Column, Table, text_table

# --- perplexity as estimates and as a table ---------------------------------------------------------------------------


ANALYSIS = "perplexity"

_TWO, _COUNT = Style("number", 2), Style("integer")

_COUNTED: Mapping[Per, str] = {"word": "words", "character": "characters", "unit": "units of the model"}


def perplexity_estimates(found: Mapping[str, CorpusPerplexity]) -> pl.DataFrame:
    """Return the perplexities of each model as estimates: per word, per character, per unit, with what is unknown.

    `n` counts the words, characters or units, ends of sentences left out; `n_missing` the texts without a score.
    """
    rows = []
    for name, result in found.items():
        numbers = result.perplexity
        missing, signature = numbers.unscored, str(result.signature)
        counts: Mapping[Per, int] = {
            "word": numbers.words,
            "character": numbers.characters,
            "unit": numbers.units - numbers.ends,
        }
        statistics: list[tuple[str, float, int, str]] = [
            (view, numbers.per(view), counts[view], f"exp(−Σ log p / N), N = {_COUNTED[view]} and ends of sentences")
            for view in counts
        ]
        share = "units outside of the vocabulary / units, ends of sentences left out"
        statistics += [
            ("unknown", numbers.unknown_share, counts["unit"], share),
            ("logprob", numbers.logprob if numbers.texts else math.nan, numbers.texts, "Σ log p over all texts"),
        ]
        rows += [
            Estimate(
                ANALYSIS,
                {"system": name},
                statistic,
                None if math.isnan(value) else value,
                n=n,
                n_missing=missing,
                method=method,
                signature=signature,
            )
            for statistic, value, n, method in statistics
        ]
    return estimates_frame(rows)


def perplexity_table(found: Mapping[str, CorpusPerplexity]) -> Table:
    """Return perplexities and the counts behind them, one column per model."""
    rows = [
        (Bilingual("perplexity per word", "每词困惑度"), _TWO),
        (Bilingual("perplexity per character", "每字困惑度"), _TWO),
        (Bilingual("perplexity per unit", "每单元困惑度"), _TWO),
        (Bilingual("unknown units (%)", "未知单元（%）"), Style("percent", 2)),
        (Bilingual("words", "词"), _COUNT),
        (Bilingual("characters", "字"), _COUNT),
        (Bilingual("units of the model", "模型单元"), _COUNT),
        (Bilingual("ends of sentences", "句末"), _COUNT),
        (Bilingual("texts with a score", "已评分文本"), _COUNT),
        (Bilingual("texts without a score", "未评分文本"), _COUNT),
    ]
    names = [str(row) for row in range(len(rows))]
    labels = {name: title for name, (title, _) in zip(names, rows, strict=True)}
    styles = tuple(style for _, style in rows)
    header = Column("quantity", Bilingual("", ""), header=True, labels=labels)
    columns = [(Column(f"model {name}", both(name), _TWO, styles), _numbers(result)) for name, result in found.items()]
    return text_table([(header, names), *columns])


def _numbers(held: CorpusPerplexity) -> list[float | None]:
    sums = held.perplexity
    ratios = [*(sums.per(view) for view in _COUNTED), sums.unknown_share]
    counts = [sums.words, sums.characters, sums.units - sums.ends, sums.ends, sums.texts, sums.unscored]
    return [None if math.isnan(value) else value for value in (*ratios, *counts)]


# --- surprisal of each word as bars -----------------------------------------------------------------------------------
# One row per word, top to bottom; one column per model. All bars of a drawing share one scale. In a terminal a Chinese
# character is two cells wide, and everything is measured in cells.

END_LABEL = "</s>"
UNKNOWN_MARK = "?"
MISSING = "—"

_EIGHTHS = " ▏▎▍▌▋▊▉"
_GAP = 2
_SHORTEST_BAR = 6
_LONGEST_BAR = 40
_COLOURS = ("#1f5f8b", "#b0472a", "#2f7a4d", "#7a4f9e", "#8a6a00", "#4d5763")
_INK, _MUTED, _LINE = "#1d2329", "#59636e", "#d5dae0"

_ROW_NAMES: dict[Division, str] = {"words": "word", "units": "unit", "joined words": "group of words"}


def unit_name(bits: bool) -> str:
    """Return what surprisal is counted in."""
    return "bits" if bits else "nats"


def _in_unit(nats: float, bits: bool) -> float:
    return nats / math.log(2) if bits else nats


def _has_ends(view: SentenceSurprisals) -> bool:
    return any(not math.isnan(model.end) for model in view.models)


def _column(model: ModelSurprisals, *, ends: bool, bits: bool) -> list[float]:
    return [_in_unit(value, bits) for value in (*model.surprisals, *([model.end] if ends else []))]


# --- in a terminal ----------------------------------------------------------------------------------------------------


def draw_surprisals(view: SentenceSurprisals, *, width: int = 80, bits: bool = False) -> str:
    """Return a table of at most `width` cells, with words, numbers and bars, then totals and remarks as long lines.

    Where the columns of several models do not fit beside each other, they stand one under the other.
    """
    ends = _has_ends(view)
    labels = [*map(visible, view.rows), *([END_LABEL] if ends else [])]
    label_width = min(max(map(cell_len, labels)), max(4, width // 3))
    numbers = [_written_numbers(model, ends=ends, bits=bits) for model in view.models]
    free = [
        (width - label_width) // count - _GAP - max(cell_len(text) for column in numbers for text in column) - _GAP
        for count in (len(view.models), 1)
    ]
    beside = len(view.models) == 1 or free[0] >= _SHORTEST_BAR
    groups = [range(len(view.models))] if beside else [range(index, index + 1) for index in range(len(view.models))]
    room = max(1, min(_LONGEST_BAR, free[0] if beside else free[1]))
    scale = _scale(view, room, ends=ends, bits=bits)
    lines: list[str] = []
    for group in groups:
        if len(view.models) > 1:
            lines.append(_heading(view, group, numbers, label_width, room))
        columns = [_column(view.models[index], ends=ends, bits=bits) for index in group]
        for row, label in enumerate(labels):
            cells = [fitted(label, label_width)]
            for index, values in zip(group, columns, strict=True):
                cells += [numbers[index][row], set_cell_size(bar(values[row] * scale, room), room)]
            lines.append((" " * _GAP).join(cells).rstrip())
        lines.append("")
    return "\n".join([*lines, *_remarks(view, bits)])


def _written_numbers(model: ModelSurprisals, *, ends: bool, bits: bool) -> list[str]:
    """Return the numbers of a model, right-justified; the column of marks is there only where a word is unknown."""
    unknown = [*model.unknown, *([False] if ends else [])]
    marks = [UNKNOWN_MARK if flag else " " for flag in unknown] if any(unknown) else [""] * len(unknown)
    texts = [write_surprisal(value) for value in _column(model, ends=ends, bits=bits)]
    wide = max(map(len, texts))
    return [text.rjust(wide) + mark for text, mark in zip(texts, marks, strict=True)]


def write_surprisal(value: float) -> str:
    """Write a surprisal with one decimal; what there is not is a dash."""
    if math.isnan(value):
        return MISSING
    return "∞" if math.isinf(value) else f"{value:.1f}"


def _scale(view: SentenceSurprisals, room: int, *, ends: bool, bits: bool) -> float:
    """Return how many cells one nat or bit is wide: one, or less where the largest would not fit."""
    values = [value for model in view.models for value in _column(model, ends=ends, bits=bits)]
    largest = max((value for value in values if math.isfinite(value)), default=0.0)
    return min(1.0, room / largest) if largest > 0 else 1.0


def bar(cells: float, room: int) -> str:
    """Return a bar of so many cells, to an eighth, and of no more than there is room for."""
    if math.isnan(cells):
        return ""
    eighths = room * 8 if math.isinf(cells) else round(cells * 8)
    whole, rest = divmod(min(max(eighths, 0), room * 8), 8)
    return "█" * whole + (_EIGHTHS[rest] if rest else "")


def _heading(view: SentenceSurprisals, group: range, numbers: list[list[str]], label_width: int, room: int) -> str:
    cells = [" " * label_width]
    cells += [fitted(view.models[index].name, cell_len(numbers[index][0]) + _GAP + room) for index in group]
    return (" " * _GAP).join(cells).rstrip()


def visible(text: str) -> str:
    """Return a text that does nothing to the terminal: control characters are escaped."""
    return "".join(
        repr(character)[1:-1] if unicodedata.category(character) == "Cc" else character for character in text
    )


def begun(text: str, width: int) -> str:
    """Return the beginning of a text in so many cells, with a mark where it is cut."""
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    return set_cell_size(text, width - 1).rstrip() + "…"


def fitted(text: str, width: int) -> str:
    """Return the text in so many cells; of one that is too long the end is kept, for paths differ there."""
    while cell_len(text) > width:
        text = "…" + text.removeprefix("…")[1:]
    return set_cell_size(text, width)


def _remarks(view: SentenceSurprisals, bits: bool) -> Iterator[str]:
    yield f"Surprisal in {unit_name(bits)} by {_ROW_NAMES[view.division]}."
    for model in view.models:
        yield f"{model.name}: {_total(model, bits)}"
    if view.crossing:
        verb = "has units that cross" if len(view.crossing) == 1 else "have units that cross"
        shown = "its own units are shown" if view.division == "units" else "the words they join are shown together"
        yield f"{', '.join(view.crossing)} {verb} the edges of words: {shown}."
    kinds = dict.fromkeys(model.conventions.unknown for model in view.models if any(model.unknown))
    if kinds:
        yield f"{UNKNOWN_MARK} a word that the model does not know, scored as: {'; '.join(kinds)}."
    if any(model.conventions.scoring == "masked" for model in view.models):
        yield "A masked model sees both sides of a word: its numbers compare with those of masked models only."


def _total(model: ModelSurprisals, bits: bool) -> str:
    if model.problem:
        return f"no score: {model.problem}"
    parts = [f"{write_surprisal(_in_unit(model.total, bits))} {unit_name(bits)} in all"]
    for view in ("word", "character"):
        value = model.perplexity.per(view)
        if not math.isnan(value):
            parts.append(f"perplexity {value:,.1f} per {view}")
    end = "the end included" if not math.isnan(model.end) else "the end not scored"
    return f"{', '.join(parts)} ({end})."


def draw_continuations(found: Sequence[Continuation], *, width: int = 80) -> str:
    """Return the most probable next units as lines: rank, unit, probability, and a bar on a scale from 0 to 1."""
    units = [visible(continuation.unit).replace(" ", "␣") for continuation in found]
    wide = min(max(map(cell_len, units)), max(4, width // 3))
    rank = len(str(len(found)))
    room = max(1, min(_LONGEST_BAR, width - rank - wide - len("0.0000") - 3 * _GAP))
    lines = []
    for number, (unit, continuation) in enumerate(zip(units, found, strict=True), start=1):
        cells = [str(number).rjust(rank), fitted(unit, wide), f"{continuation.probability:.4f}"]
        lines.append((" " * _GAP).join([*cells, bar(continuation.probability * room, room)]).rstrip())
    return "\n".join(lines)


# --- as rows ----------------------------------------------------------------------------------------------------------


def surprisal_rows(view: SentenceSurprisals, *, bits: bool = False) -> list[dict[str, Any]]:
    """Return one object per model, as JSON can hold it: its rows with their byte spans, the end, the total."""
    return [
        {
            "model": model.name,
            "unit": unit_name(bits),
            "shown_by": view.division,
            "rows": [
                {
                    "text": text,
                    "start": start,
                    "end": end,
                    "surprisal": json_number(_in_unit(value, bits)),
                    "unknown": unknown,
                }
                for text, (start, end), value, unknown in zip(
                    view.rows, view.spans, model.surprisals, model.unknown, strict=True
                )
            ],
            "end_of_sentence": json_number(_in_unit(model.end, bits)),
            "total": json_number(_in_unit(model.total, bits)),
            "perplexity_per_word": json_number(model.perplexity.per("word")),
            "perplexity_per_character": json_number(model.perplexity.per("character")),
            "problem": model.problem,
            "cut_by": view.cut_by or "given",
            "folded": model.folded,
            "signature": model.signature,
        }
        for model in view.models
    ]


# --- as a picture -----------------------------------------------------------------------------------------------------


def surprisal_svg(view: SentenceSurprisals, *, bits: bool = False) -> str:
    """Return the sentence as a picture in SVG (extra `figures`): words down, surprisal to the right, models by colour.

    Bars of unknown words are pale. A number that is infinite or not there has no bar, and is written instead.
    """
    return still_picture(_specification(view, bits))


def _specification(view: SentenceSurprisals, bits: bool) -> dict[str, Any]:
    several = len(view.models) > 1
    names = [model.name for model in view.models]
    place: dict[str, Any] = {
        "y": {
            "field": "row",
            "type": "nominal",
            "sort": None,
            # A word may occur twice, so a row is known by its number, which the label leaves out.
            "axis": {
                "title": None,
                "labelExpr": "slice(datum.label, 5)",
                "labelPadding": 8,
                # The still picture is measured with other fonts than the reader's: keep the room that we guess.
                "minExtent": 7 * max(cell_len(label) for label in (*view.rows, END_LABEL)) + 8,
                "ticks": False,
                "domain": False,
            },
            "scale": {"paddingInner": 0.25},
        }
    }
    if several:
        place["yOffset"] = {"field": "model", "type": "nominal", "sort": None, "scale": {"domain": names}}
    colour = {
        "field": "model",
        "type": "nominal",
        "scale": {"domain": names, "range": [_COLOURS[place % len(_COLOURS)] for place in range(len(names))]},
        "legend": {"title": None, "orient": "top", "symbolType": "square"} if several else None,
    }
    title = f"surprisal ({unit_name(bits)})" + ("" if several else f", {names[0]}")
    x = {"field": "value", "type": "quantitative", "axis": {"title": title, "tickCount": 6}, "scale": {"zero": True}}
    bars = {
        "mark": {"type": "bar"},
        "encoding": {
            **place,
            "x": x,
            "color": colour,
            "opacity": {"field": "opacity", "type": "quantitative", "scale": None, "legend": None},
        },
    }
    texts = {
        "mark": {"type": "text", "align": "left", "baseline": "middle", "dx": 4, "fontSize": 11, "color": _MUTED},
        "encoding": {**place, "x": {**x, "field": "place"}, "text": {"field": "text", "type": "nominal"}},
    }
    return {
        "data": {"values": _marks(view, bits)},
        "layer": [bars, texts],
        "width": 460,
        "height": {"step": 14 if several else 22},
        "background": "white",
        "padding": 10,
        "title": {"text": view.content, "anchor": "start", "frame": "group", "limit": 620},
        "config": _configuration(),
    }


def _marks(view: SentenceSurprisals, bits: bool) -> list[dict[str, Any]]:
    ends = _has_ends(view)
    marks = []
    for model in view.models:
        rows = [*zip(view.rows, model.unknown, strict=True), *([(END_LABEL, False)] if ends else [])]
        for number, ((label, unknown), value) in enumerate(
            zip(rows, _column(model, ends=ends, bits=bits), strict=True)
        ):
            finite = math.isfinite(value)
            marks.append(
                {
                    "row": f"{number:04d} {label}",
                    "model": model.name,
                    "value": value if finite else None,
                    "place": value if finite else 0.0,
                    "text": write_surprisal(value) + (UNKNOWN_MARK if unknown else ""),
                    "opacity": 0.45 if unknown else 1.0,
                }
            )
    return marks


def _configuration() -> dict[str, Any]:
    return {
        "font": FONT,
        "view": {"stroke": "transparent"},
        "axis": {
            "labelColor": _INK,
            "labelFontSize": 13,
            "titleColor": _MUTED,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "gridColor": _LINE,
            "domainColor": _LINE,
            "tickColor": _LINE,
        },
        "axisX": {"labelFontSize": 11, "labelColor": _MUTED},
        "title": {"color": _INK, "fontSize": 14, "fontWeight": 600, "offset": 10},
        "legend": {"labelColor": _INK, "labelFontSize": 12},
    }
