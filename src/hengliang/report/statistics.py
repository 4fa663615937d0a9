"""How do results of tests and models, of any kind, become one report?

A command computes results (`hengliang.statistics.results.Result`), groups them into sections, and hands them over:

    section = section_of_results("signed ranks", title, explanation, [({"comparison": "BERT − GE"}, result)])
    content = statistics_content("ratings.csv", question, [section], materials=[entry])
    write_report(content, Path("report.html"))
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from hengliang.analyses.model_analysis import STATISTICS
from hengliang.core.base_classes import FigureKind, Layout, StatisticLabel
from hengliang.core.errors import UserError
from hengliang.core.io.files import write_text
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.runs import now, package_versions
from hengliang.core.terms import Bilingual, Language, both
from hengliang.report.content import AnalysisEntry, MaterialEntry, MeasureEntry, ReportContent, SystemEntry
from hengliang.report.markdown import render_json, render_markdown
from hengliang.report.page import render_page
from hengliang.statistics.models.results import ModelFit
from hengliang.statistics.results import Result, TestResult

CONVENTION = "convention"
CHOSEN = "as chosen"
"""The level of the factor `convention` for a number that stands beside those of other conventions."""

TITLES: Mapping[str, Bilingual] = {
    CONVENTION: Bilingual("Convention", "惯例"),
    CHOSEN: Bilingual("as chosen", "所选惯例"),
    "comparison": Bilingual("Comparison", "比较"),
    "model": Bilingual("Model", "模型"),
    "term": Bilingual("Term", "项"),
    "test": Bilingual("Test", "检验"),
}
EFFECTS: Mapping[str, Bilingual] = {
    "cliff-delta": Bilingual("Cliff's δ", "Cliff δ"),
    "cohen-d": Bilingual("Cohen's d", "Cohen d"),
    "cohen-g": Bilingual("Cohen's g", "Cohen g"),
    "cramer-v": Bilingual("Cramér's V", "Cramér V"),
    "epsilon-squared": both("ε²"),
    "eta-squared": both("η²"),
    "hedges-g": Bilingual("Hedges' g", "Hedges g"),
    "kendall-w": Bilingual("Kendall's W", "Kendall W"),
    "mean difference": Bilingual("Mean difference", "平均差"),
    "mean difference where responses differ": Bilingual("Where responses differ", "回答不同处的平均差"),
    "net superiority": Bilingual("Net superiority", "净优势"),
    "odds-ratio": Bilingual("Odds ratio", "优势比"),
    "omega-squared": both("ω²"),
    "phi": both("φ"),
    "probability": both("P(X<Y)"),
    "rank-biserial": Bilingual("Rank-biserial r", "秩二列相关 r"),
    "share": Bilingual("Share of pairs in favour", "占优配对比例"),
}
"""How a table calls the effect sizes of the tests; one that is not here goes by its name and symbol."""
SUFFIXES = (".html", ".md", ".json")

_SAID = frozenset({CONVENTION, "comparison", "test"})

Placed = tuple[Mapping[str, str], Result]
"""A result and the levels of the factors by which it differs from others of its section."""


@dataclass(frozen=True, slots=True)
class StatisticsSection:
    """One part of a statistical report: numbers, how they are laid out, and what they say in words."""

    name: str
    title: Bilingual
    explanation: Bilingual
    layout: Layout
    estimates: tuple[Estimate, ...]
    sentences: tuple[Bilingual, ...] = ()


def section_of_results(
    name: str,
    title: Bilingual,
    explanation: Bilingual,
    results: Iterable[Placed],
    *,
    extra: Iterable[Estimate] = (),
    statistics: Mapping[str, StatisticLabel] | None = None,
    factors: Mapping[str, Bilingual] | None = None,
    levels: Mapping[str, Bilingual] | None = None,
    figure: FigureKind = "none",
    figure_statistics: tuple[str, ...] = (),
    further: Iterable[Bilingual] = (),
) -> StatisticsSection:
    """Return a section with a row a result, its statistic and effect sizes in columns, and the sentences below.

    `extra` are estimates that belong to the table without being part of a result (a p-value that was corrected for
    its family); `further` are sentences that belong below the others. Titles that are not given follow from the
    results.
    """
    placed = [(dict(by), result) for by, result in results]
    if any(isinstance(result, TestResult) and result.variants for _, result in placed):
        placed = [({**by, CONVENTION: CHOSEN}, result) for by, result in placed]
        extra = [replace(row, by={CONVENTION: CHOSEN, **row.by}) for row in extra]
    extra = tuple(extra)
    estimates = [estimate for by, result in placed for estimate in result.estimates(name, by)]
    known = {**_labels(result for _, result in placed), **(statistics or {})}
    places = [*(by for by, _ in placed), *(row.by for row in extra)]
    layout = Layout(
        rows=tuple(dict.fromkeys(factor for by in places for factor in by)),
        statistics=known,
        factors={**TITLES, **(factors or {})},
        levels={CHOSEN: TITLES[CHOSEN], **(levels or {})},
        figure=figure,
        figure_statistics=figure_statistics,
    )
    told = [_placed(sentence, by, layout) for by, result in placed for sentence in sentences_of(result)]
    return StatisticsSection(name, title, explanation, layout, (*estimates, *extra), (*told, *further))


def _placed(sentence: Bilingual, by: Mapping[str, str], layout: Layout) -> Bilingual:
    """Begin a sentence with what it is about; a comparison names its two sides itself."""
    levels = [layout.levels.get(level, both(level)) for factor, level in by.items() if factor not in _SAID]
    if not levels:
        return sentence
    english, chinese = (", ".join(level.en for level in levels), "，".join(level.zh for level in levels))
    return Bilingual(f"{english}: {sentence.en}", f"{chinese}：{sentence.zh}")


def section_of_models(
    name: str, title: Bilingual, explanation: Bilingual, fits: Mapping[str, ModelFit]
) -> StatisticsSection:
    """Return a section with the fitted models side by side, a column each under the name it has in `fits`."""
    estimates = [estimate for model, fit in fits.items() for estimate in fit.estimates(name, {"model": model})]
    layout = Layout(
        rows=("statistic", "term"),
        columns="model",
        statistics=STATISTICS,
        factors=TITLES,
        figure="none",
    )
    told = [sentence for fit in fits.values() for sentence in sentences_of(fit)]
    return StatisticsSection(name, title, explanation, layout, tuple(estimates), tuple(told))


def sentences_of(result: Result) -> tuple[Bilingual, ...]:
    """Return what a result says in words, with what its reader should beware of."""
    said = result.sentence()
    notes = result.notes if isinstance(result, TestResult) else ()
    english = "".join(f" Note: {note.en}" for note in notes)
    chinese = "".join(f"注：{note.zh}" for note in notes)
    return (Bilingual(said.en + english, said.zh + chinese),)


def _labels(results: Iterable[Result]) -> dict[str, StatisticLabel]:
    """Title the statistic of each test by its symbol where the section has one test, else by the test's name."""
    tests = [result for result in results if isinstance(result, TestResult)]
    several = len({result.test for result in tests}) > 1
    labels = {}
    for result in tests:
        sign = result.symbol or result.test
        both_names = Bilingual(f"{result.title.en}, {sign}", f"{result.title.zh}，{sign}")
        labels[result.test] = StatisticLabel(both_names if several else both(sign), "number", 2)
        for effect in result.effects:
            plain = effect.symbol if effect.symbol in effect.name else f"{effect.name}, {effect.symbol}"
            labels[effect.name] = StatisticLabel(EFFECTS.get(effect.name, both(plain)), "number", 2)
    return labels


def statistics_content(
    name: str,
    question: Bilingual,
    sections: Iterable[StatisticsSection],
    *,
    materials: Iterable[MaterialEntry] = (),
    systems: Iterable[SystemEntry] = (),
    measures: Iterable[MeasureEntry] = (),
    notes: Iterable[Bilingual] = (),
    simulated: bool = False,
) -> ReportContent:
    """Return everything that the report shows, made now with the packages that are installed."""
    held = list(sections)
    estimates = [replace(estimate, analysis=section.name) for section in held for estimate in section.estimates]
    return ReportContent(
        name=name,
        question=question,
        created=now(),
        simulated=simulated,
        materials=tuple(materials),
        systems=tuple(systems),
        measures=tuple(measures),
        analyses=tuple(
            AnalysisEntry(section.name, section.title, section.explanation, section.layout, section.sentences)
            for section in held
        ),
        estimates=estimates_frame(estimates),
        notes=tuple(notes),
        versions=package_versions(),
    )


def check_report_file(out: Path) -> None:
    """Refuse a report file whose ending names no form, before anything is computed."""
    if out.suffix.lower() not in SUFFIXES:
        raise UserError(
            f"The ending of '{out.name}' names no form of report.",
            valid="A file that ends in .html (a page in both languages), .md (Markdown) or .json.",
            remedy=f"For a page: --out {out.with_suffix('.html')}",
        )


def write_report(content: ReportContent, out: Path, language: Language = "en") -> Path:
    """Write the report in the form that the ending of the file names, and return where it is."""
    check_report_file(out)
    suffix = out.suffix.lower()
    if suffix == ".html":
        text = render_page(content)
    else:
        text = render_markdown(content, language) if suffix == ".md" else render_json(content)
    write_text(out, text)
    return out
