"""What does a report show of one analysis: figure, table, and how each number was made?"""

from __future__ import annotations

from collections.abc import Sequence

from hengliang.core.base_classes import Layout
from hengliang.core.records import Estimate, estimate_records
from hengliang.core.terms import LANGUAGES, Bilingual, Language, both
from hengliang.report import figures, words
from hengliang.report.content import AnalysisEntry, ReportContent
from hengliang.report.formats import is_missing, write_exact
from hengliang.report.html import LANGUAGE_TAGS, NOTHING, Html, bilingual, join, script_json, table_html, tag, text
from hengliang.report.pivot import estimate_table, factor_title, level_title, missing_reason, statistic_label
from hengliang.report.plots import FigurePlan, figure_plan, figure_sentence, figure_table
from hengliang.report.sections import Section, details, paragraph, scrolling, signature_list
from hengliang.statistics.results import DASH, p_remark, write_df

_MOST_TOLD = 3


def results_section(content: ReportContent) -> Section:
    """Return what follows, analysis by analysis."""
    numbered = [(f"analysis-{number + 1}", entry) for number, entry in enumerate(content.all_analyses())]
    parts = [_analysis(content, entry, anchor) for anchor, entry in numbered]
    listed = tuple((anchor, entry.title) for anchor, entry in numbered)
    # One key for all tables: beside each of them it would only be in the way.
    key = paragraph(words.TABLE_KEY if content.estimates.height else words.NO_ESTIMATES, "key")
    return Section("results", words.RESULTS, join([key, *parts]), listed)


def _analysis(content: ReportContent, entry: AnalysisEntry, anchor: str) -> Html:
    estimates = content.estimates_of(entry.name)
    parts = [tag("h3", {"id": f"{anchor}-title"}, bilingual(entry.title)), paragraph(entry.explanation)]
    if estimates.height:
        plan = figure_plan(estimates, entry.layout, simulated=content.simulated)
        table = table_html(estimate_table(estimates, entry.layout), anchor=anchor, caption=bilingual(entry.title))
        parts += [
            figure_html(plan, anchor, entry.title) if plan else NOTHING,
            scrolling(table, anchor),
            _sentences(entry.sentences),
            _numbers(list(estimate_records(estimates)), entry.layout, anchor),
        ]
    else:
        parts += [_sentences(entry.sentences), paragraph(words.NO_ESTIMATES, "key")]
    return tag("article", {"id": anchor, "aria-labelledby": f"{anchor}-title"}, join(parts))


def _sentences(sentences: Sequence[Bilingual]) -> Html:
    """Return what follows in words, a line each, ready to be taken over into a results section."""
    if not sentences:
        return NOTHING
    items = [tag("li", None, bilingual(sentence)) for sentence in sentences]
    return join([tag("h4", None, bilingual(words.SENTENCES)), tag("ul", {"class": "notes"}, *items)])


# --- the figure -------------------------------------------------------------------------------------------------------


def figure_html(plan: FigurePlan, anchor: str, title: Bilingual) -> Html:
    """Return the figure: a still picture that a script makes interactive, the same in words, and as a table."""
    sentence = figure_sentence(plan)
    if plan.is_too_large:
        picture = paragraph(words.FIGURE_TOO_LARGE, "key")
    elif not figures.figures_available():
        install = tag("code", None, text(figures.INSTALL))
        picture = tag("p", {"class": "key"}, bilingual(words.FIGURES_WANTED), install)
    else:
        picture = join(_drawing(plan, f"{title[key]}. {sentence[key]}", key) for key in LANGUAGES)
    # A sentence about many panels is long: it then goes with the table, where whoever needs it will look.
    short = len(plan.panels) <= _MOST_TOLD
    mark = paragraph(words.SIMULATED_MARK, "warning") if plan.simulated and not short else NOTHING
    told_below = [paragraph(sentence) if short else mark, paragraph(_undrawn(plan))]
    caption = tag("figcaption", None, join(told_below))
    table = scrolling(table_html(figure_table(plan)), anchor)
    told = NOTHING if short else paragraph(sentence, "key")
    return tag("figure", None, picture, caption, details(words.FIGURE_DATA, told, table))


def _undrawn(plan: FigurePlan) -> Bilingual:
    if not plan.undrawn:
        return Bilingual("", "")
    en, zh = ("; ".join(label.en for label in plan.undrawn), "；".join(label.zh for label in plan.undrawn))
    return Bilingual(f"{words.FIGURE_MISSING.en}{en}.", f"{words.FIGURE_MISSING.zh}{zh}。")


def _drawing(plan: FigurePlan, name: str, language: Language) -> Html:
    """Return the figure in one language: the picture, and the specification from which the script draws it live."""
    found = figures.specification(plan, language)
    # The pictures are hidden from screen readers: their marks have no names, and the image as a whole has one.
    still = tag("div", {"class": "still", "aria-hidden": "true"}, Html(figures.still_picture(found)))
    live = tag("div", {"class": "live", "aria-hidden": "true"})
    image = tag("div", {"role": "img", "aria-label": name}, still, live)
    data = tag("script", {"type": "application/json"}, script_json(found))
    widths = figures.text_widths(plan, language)
    measures = {f"data-{name}": str(getattr(widths, name)) for name in ("rows", "series", "legend")}
    return tag("div", {"class": "drawing", "lang": LANGUAGE_TAGS[language], **measures}, image, data)


# --- every number and its signature -----------------------------------------------------------------------------------


def _numbers(rows: Sequence[Estimate], layout: Layout, anchor: str) -> Html:
    """Return all numbers with their methods; signatures are long and often shared, so each stands once, below."""
    lines = {
        line: number + 1 for number, line in enumerate(dict.fromkeys(row.signature for row in rows if row.signature))
    }
    factors = list(dict.fromkeys(factor for row in rows for factor in row.by))
    left = [*(factor_title(layout, factor) for factor in factors), words.STATISTIC]
    right = [words.VALUE, words.INTERVAL, words.N, words.MISSING]
    titles = [*((title, None) for title in left), *((title, "number") for title in right)]
    titles += [(words.METHOD, None), (words.SIGNATURE, None)]
    head = tag("tr", None, *(tag("th", {"scope": "col", "class": kind}, bilingual(title)) for title, kind in titles))
    body = [
        tag(
            "tr",
            {"id": f"{anchor}-number-{number}", "tabindex": "-1"},
            *_number_cells(row, layout, factors, lines, anchor),
        )
        for number, row in enumerate(rows)
    ]
    table = tag("table", {"class": "numbers"}, tag("thead", None, head), tag("tbody", None, join(body)))
    listed = [(f"{anchor}-signature-{number}", both(f"S{number}"), line) for line, number in lines.items()]
    return details(
        words.DETAILS,
        scrolling(table, anchor),
        paragraph(words.EXACT_KEY, "key"),
        signature_list(listed),
        remark=str(len(rows)),
    )


def _number_cells(
    row: Estimate, layout: Layout, factors: Sequence[str], lines: dict[str, int], anchor: str
) -> list[Html]:
    levels = [bilingual(level_title(layout, row.by.get(factor))) for factor in factors]
    headers = [*levels, bilingual(statistic_label(layout, row.statistic).title)]
    number = lines.get(row.signature)
    link = tag("a", {"href": f"#{anchor}-signature-{number}"}, text(f"S{number}")) if number else text(DASH)
    cells = [_value(row), text(_bounds(row)), _count(row.n), _count(row.n_missing)]
    return [
        *(tag("th", {"scope": "row"}, header) for header in headers),
        *(tag("td", {"class": "number"}, cell) for cell in cells),
        tag("td", {"class": "method"}, text(row.method or DASH)),
        tag("td", None, link),
    ]


def _value(row: Estimate) -> Html:
    remarks = [f"df = {write_df(row.df)}"] if row.df else []
    remarks += [p_remark(row.p)] if row.p is not None and not is_missing(row.p) else []
    if row.value is None or is_missing(row.value):
        reason = words.REASONS[missing_reason(row) or "not_computable"]
        shown = join([text(DASH), tag("span", {"class": "reason"}, bilingual(reason))], " ")
    else:
        shown = text(write_exact(row.value))
    return join([shown, *(tag("span", {"class": "remark"}, text(remark)) for remark in remarks)], " ")


def _bounds(row: Estimate) -> str:
    if is_missing(row.low) and is_missing(row.high):
        return DASH
    low, high = (DASH if bound is None or is_missing(bound) else write_exact(bound) for bound in (row.low, row.high))
    return f"[{low}, {high}]"


def _count(count: int | None) -> Html:
    return text(DASH if count is None else f"{count:,}")
