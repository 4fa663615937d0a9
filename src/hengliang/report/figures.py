"""How is a plan drawn: as an interactive figure on screen, as a still picture on paper and without scripts?

The colours of a figure are the page's own (`var(--…)`), so that light and dark need no second drawing. Altair and
vl-convert come with the extra `figures`.
"""

from __future__ import annotations

import importlib.util
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from hengliang.core.errors import UserError
from hengliang.core.terms import Language
from hengliang.report import words
from hengliang.report.formats import Style
from hengliang.report.plots import SEPARATOR, FigurePlan, Panel, point_text

if TYPE_CHECKING:
    import altair

INSTALL = "pip install 'hengliang[figures]'"
FONT = (
    "system-ui, -apple-system, 'Segoe UI', 'PingFang SC', 'Source Han Sans SC', 'Noto Sans CJK SC', "
    "'Microsoft YaHei', sans-serif"
)
STILL_WIDTH = 700
"""The width of the still picture: the measure of an A4 page."""

_GAP = 28
_NARROWEST = 132
_LABEL_MARGIN = 14
_ENTRY_MARGIN = 34
_LINE_HEIGHT = 15
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
_INK, _MUTED, _LINE = "var(--ink)", "var(--muted)", "var(--line)"
_WARNING = "var(--accent)"


def figures_available() -> bool:
    """Return whether the extra `figures` is installed."""
    try:
        return all(importlib.util.find_spec(name) is not None for name in ("altair", "vl_convert"))
    except ValueError:
        return False


def _altair() -> Any:
    try:
        import altair
    except ImportError as error:
        raise UserError("Figures need Altair, which is not installed.", remedy=f"Install it: {INSTALL}") from error
    return altair


def _vl_convert() -> Any:
    try:
        import vl_convert
    except ImportError as error:
        raise UserError("Figures need vl-convert, which is not installed.", remedy=f"Install it: {INSTALL}") from error
    return vl_convert


def chart(plan: FigurePlan, language: Language, width: int = STILL_WIDTH) -> altair.ConcatChart:
    """Return the figure as an Altair chart: a panel for each statistic, a mark with its interval for each number."""
    alt = _altair()
    widths = text_widths(plan, language)
    label_width = min(widths.rows, label_limit(width))
    columns, panel_width = panel_grid(len(plan.panels), width, label_width)
    labels = [label_width if number % columns == 0 else 0 for number in range(len(plan.panels))]
    panels = [
        _panel(plan, panel, language, panel_width, label) for panel, label in zip(plan.panels, labels, strict=True)
    ]
    found: altair.ConcatChart = (
        alt.concat(*panels, columns=columns, spacing={"row": 22, "column": _GAP - 10})
        .resolve_scale(color="shared", shape="shared")
        .configure(**_configuration(legend_columns(width - label_width, widths)))
    )
    return found.properties(title=_mark(language)) if plan.simulated else found


def _mark(language: Language) -> Any:
    """Return the title of a figure of made-up answers: part of the picture, in whatever form it is taken along."""
    return _altair().Title(words.SIMULATED_MARK[language], anchor="start", color=_WARNING, fontSize=13, fontWeight=700)


@dataclass(frozen=True, slots=True)
class TextWidths:
    """Roughly how wide texts are, in pixels: the longest label of a row and of a series, the legend in one line."""

    rows: int
    series: int
    legend: int


def text_widths(plan: FigurePlan, language: Language) -> TextWidths:
    """Return the widths of the longest labels; a Chinese character is as wide as it is high."""
    rows = [line for label in plan.rows for line in label[language].split(SEPARATOR)]
    series = [_width(label[language]) + _ENTRY_MARGIN for label in plan.series]
    title = _width(plan.series_title[language]) + _LABEL_MARGIN
    return TextWidths(max(map(_width, rows)), max(series, default=0), sum(series, start=title))


def _width(label: str) -> int:
    wide = sum(unicodedata.east_asian_width(character) in {"W", "F"} for character in label)
    return round(12.5 * wide + 7.2 * (len(label) - wide))


def label_limit(width: int) -> int:
    """Return how wide a label may be before it is cut. The script of the page does the same three sums."""
    return max(80, min(190, width * 38 // 100))


def panel_grid(panels: int, width: int, label_width: int) -> tuple[int, int]:
    """Return how many panels stand side by side and how wide each is."""
    free = width - label_width - _LABEL_MARGIN
    fitting = max(1, free // (_NARROWEST + _GAP))
    rows = -(-panels // min(fitting, panels))
    columns = -(-panels // rows)
    return columns, max(_NARROWEST, (free - _GAP * columns) // columns)


def legend_columns(width: int, widths: TextWidths) -> int:
    """Return how many entries of the legend stand side by side, beside its title; 0 means all."""
    return 0 if widths.legend <= width else max(1, (width - 90) // widths.series)


def _panel(plan: FigurePlan, panel: Panel, language: Language, width: int, label_width: int) -> Any:
    alt = _altair()
    base = alt.Chart(alt.InlineData(values=_values(plan, panel, language)))
    place = _place_encodings(plan, language, label_width)
    series = _series_encodings(plan, language)
    colour = {key: value for key, value in series.items() if key == "color"}
    # Both bounds or no line: a line that ends at the value would look like a bound.
    spread = base.transform_filter("isValid(datum.low) && isValid(datum.high)")
    if plan.kind == "bars":
        mark = base.mark_bar(color="var(--series-1)", cursor="help").encode(x=_x("value", plan, panel, width), **place)
        line = spread.mark_rule(strokeWidth=1.5, color=_INK, cursor="help").encode(x2="high:Q", **place)
        layers = [mark.encode(**colour), line.encode(x=_x("low", plan, panel, width))]
    else:
        mark = base.mark_point(filled=True, size=60, opacity=1, color="var(--series-1)", shape="circle", cursor="help")
        line = spread.mark_rule(strokeWidth=2, color="var(--series-1)", cursor="help").encode(x2="high:Q", **place)
        layers = [
            line.encode(x=_x("low", plan, panel, width), **colour),
            mark.encode(x=_x("value", plan, panel, width), **place, **series),
        ]
    title = alt.Title(_plain(panel.title[language]), anchor="start", frame="group", limit=width + _GAP - 14)
    # A row is as high as its label, or as all its marks.
    room = 11 + _LINE_HEIGHT * _lines(plan)
    step = alt.Step(max(14, round(room / len(plan.series)))) if plan.series else alt.Step(room)
    return alt.layer(*layers).properties(width=width, height=step, title=title)


def _plain(label: str) -> str:
    """Return a label on one line: a line separator within would end an expression of the drawing library."""
    return "".join(" " if unicodedata.category(character) in {"Cc", "Zl", "Zp"} else character for character in label)


def _values(plan: FigurePlan, panel: Panel, language: Language) -> list[dict[str, Any]]:
    """Return the marks of a panel. Field names are ours alone: a name from a study could be read as a path."""
    return [
        {
            "row": _plain(plan.rows[point.row][language]),
            "series": _plain(plan.series[point.series][language]) if plan.series else "",
            "value": point.value,
            "low": point.low,
            "high": point.high,
            # One text and not a field a line: the tooltip library gives meaning to fields called title and image.
            "text": point_text(plan, panel, point, language),
        }
        for point in panel.points
    ]


def _lines(plan: FigurePlan) -> int:
    """Return how many lines a label has: one a factor."""
    return plan.row_title.en.count(SEPARATOR) + 1


def _place_encodings(plan: FigurePlan, language: Language, label_width: int) -> dict[str, Any]:
    alt = _altair()
    several = _lines(plan) - 1
    rows = [_plain(label[language]) for label in plan.rows]
    axis = alt.Axis(
        title=None,
        labels=label_width > 0,
        # A label that measures more than we guessed is not cut before the limit of all.
        labelLimit=label_limit(STILL_WIDTH),
        # The still picture is measured with other fonts than the reader's: keep the room that we guessed.
        minExtent=label_width,
        labelPadding=8,
        labelExpr=f"split(datum.label, '{SEPARATOR}')" if several else "datum.label",
        labelOffset=-several * _LINE_HEIGHT / 2,
        labelLineHeight=_LINE_HEIGHT,
        ticks=False,
        domain=False,
        grid=False,
    )
    scale = alt.Scale(domain=rows, paddingInner=0.25 if plan.series else 0.4, paddingOuter=0.2)
    found: dict[str, Any] = {"y": alt.Y("row:N", sort=None, axis=axis, scale=scale), "tooltip": alt.Tooltip("text:N")}
    if plan.series:
        names = [_plain(label[language]) for label in plan.series]
        found["yOffset"] = alt.YOffset("series:N", sort=None, scale=alt.Scale(domain=names))
    return found


def _series_encodings(plan: FigurePlan, language: Language) -> dict[str, Any]:
    """Return colour and shape: whoever cannot tell the colours apart can tell the shapes."""
    if not plan.series:
        return {}
    alt = _altair()
    names = [_plain(label[language]) for label in plan.series]
    colours = [f"var(--series-{number + 1})" for number in range(len(names))]
    title = _plain(plan.series_title[language])
    colour = alt.Scale(domain=names, range=colours)
    found = {"color": alt.Color("series:N", sort=None, scale=colour, title=title)}
    if plan.kind != "bars":
        shape = alt.Scale(domain=names, range=list(_SHAPES[: len(names)]))
        found["shape"] = alt.Shape("series:N", sort=None, scale=shape, title=title)
    return found


def _x(field: str, plan: FigurePlan, panel: Panel, width: int) -> Any:
    alt = _altair()
    scale = alt.Scale(domain=_domain(plan, panel), nice=False, zero=plan.kind == "bars", clamp=False)
    axis = alt.Axis(
        title=None, format=_axis_format(panel.style), tickCount=max(2, min(6, width // 42)), labelFlush=True
    )
    return alt.X(f"{field}:Q", scale=scale, axis=axis)


def _axis_format(style: Style) -> str:
    """Return the d3 format of the axis."""
    return {"percent": ".0%", "integer": ",.0f"}.get(style.format, "~g")


def _domain(plan: FigurePlan, panel: Panel) -> list[float]:
    """Return the range of the axis. All percentages of a figure share one, so that panels can be compared by eye."""
    percent = panel.style.format == "percent"
    panels = [other for other in plan.panels if other.style.format == "percent"] if percent else [panel]
    points = [point for other in panels for point in other.points]
    ends = [end for point in points for end in (point.value, point.low, point.high) if end is not None]
    low, high = min(ends), max(ends)
    if plan.kind == "bars":
        low, high = min(low, 0.0), max(high, 0.0)
    margin = (high - low) * 0.04 or abs(high) * 0.1 or 0.5
    # A range ends at zero where the numbers do, but a range of one point could not be drawn.
    low, high = (low if low == 0 else low - margin), (high if low < high == 0 else high + margin)
    return [max(low, 0.0) if min(ends) >= 0 else low, min(high, 1.0) if percent and max(ends) <= 1 else high]


def _configuration(columns: int) -> dict[str, Any]:
    label = {"labelColor": _MUTED, "labelFontSize": 11.5, "titleColor": _INK, "titleFontSize": 12}
    return {
        "background": "transparent",
        "font": FONT,
        "aria": False,  # the page names the figure as a whole and gives it as a table
        "padding": {"left": 8, "right": 4, "top": 2, "bottom": 2},
        "view": {"stroke": "transparent"},
        "axis": {**label, "gridColor": _LINE, "domainColor": _LINE, "tickColor": _LINE, "tickSize": 4},
        "axisY": {"labelColor": _INK, "labelFontSize": 12.5},
        "title": {"color": _INK, "fontSize": 12.5, "fontWeight": 600, "offset": 8},
        "legend": {
            "orient": "top",
            "columns": columns,
            "direction": "horizontal",
            "labelColor": _INK,
            "labelFontSize": 12.5,
            "titleColor": _MUTED,
            "titleFontSize": 12.5,
            "titleFontWeight": "normal",
            "titleOrient": "left",
            "titlePadding": 10,
            "rowPadding": 4,
            "symbolSize": 70,
            "offset": 10,
        },
    }


def specification(plan: FigurePlan, language: Language) -> dict[str, Any]:
    """Return the figure as a Vega-Lite specification; equal plans give equal specifications."""
    # Altair holds every part against its schema, which takes ten times as long as all the rest; tests do that for us.
    with _altair().utils.schemapi.debug_mode(False):
        found: dict[str, Any] = chart(plan, language).to_dict(validate=False)
    # The page's copy of the library knows its own version, and no address shall stand in the page.
    found.pop("$schema", None)
    return found


def _library_version() -> str:
    """Return the version of Vega-Lite for which Altair writes, or the newest that vl-convert has of the same series."""
    wanted = _altair().SCHEMA_VERSION.lstrip("v").split(".")
    known: list[str] = _vl_convert().get_vegalite_versions()
    exact = ".".join(wanted[:2])
    same = [version for version in known if version.split(".")[0] == wanted[0]]
    return exact if exact in known else (same or known)[-1]


@cache
def library() -> str:
    """Return the JavaScript that draws figures in a page, all in one."""
    return str(_vl_convert().javascript_bundle(vl_version=_library_version()))


def still_picture(found: dict[str, Any]) -> str:
    """Return a specification drawn as SVG, for paper and for readers without scripts."""
    return str(_vl_convert().vegalite_to_svg(found, vl_version=_library_version(), allowed_base_urls=[]))
