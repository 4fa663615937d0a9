"""Which reports are there, and what does each say in one line?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from urllib.parse import quote

from hengliang.core.errors import UserError
from hengliang.core.terms import LANGUAGES, Bilingual, Language
from hengliang.report import words
from hengliang.report.content import ReportContent
from hengliang.report.formats import with_unit, write_date, write_interval, write_seconds
from hengliang.report.html import NOTHING, Html, bilingual, in_languages, join, tag, text
from hengliang.report.plots import FigurePlan, figure_plan, point_name
from hengliang.report.shell import document

_MOST_NAMED = 4


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One report in the index; `href` is its path relative to the index page."""

    name: str
    question: Bilingual
    headline: Bilingual
    href: str
    created: str
    seconds: float | None = None
    simulated: bool = False
    quick: bool = False


def index_entry(content: ReportContent, href: str) -> IndexEntry:
    """Return the line that the index has of a report."""
    seconds = sum(stage[2] for stage in content.stages) if content.stages else None
    return IndexEntry(
        name=content.name,
        question=content.question,
        headline=headline(content),
        href=href,
        created=content.created,
        seconds=seconds,
        simulated=content.simulated,
        quick=content.form == "quick",
    )


def headline(content: ReportContent) -> Bilingual:
    """Return the first statistic of the first analysis that has numbers, for its first rows."""
    for entry in content.all_analyses():
        plan = figure_plan(content.estimates_of(entry.name), replace(entry.layout, figure="intervals"))
        if plan is not None:
            return Bilingual(_headline(plan, "en"), _headline(plan, "zh"))
    return Bilingual("", "")


def _headline(plan: FigurePlan, language: Language) -> str:
    panel = plan.panels[0]
    named = [
        f"{point_name(plan, point, language)} {with_unit(point.value, panel.style)} "
        f"{write_interval(point.low, point.high, panel.style)}".rstrip()
        for point in panel.points[:_MOST_NAMED]
    ]
    more = "" if len(panel.points) <= _MOST_NAMED else ", …" if language == "en" else "……"
    title = panel.title[language]
    return f"{title}: {', '.join(named)}{more}" if language == "en" else f"{title}：{'，'.join(named)}{more}"


def render_index(entries: Sequence[IndexEntry], unfinished: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return one page over several reports, in the order given; `unfinished` are studies without one, and why."""
    listed = [_entry(entry) for entry in entries]
    body = join(listed) if listed else tag("p", {"class": "key"}, bilingual(words.NO_REPORTS))
    lead = [tag("h1", None, bilingual(words.REPORTS)), tag("p", {"class": "question"}, bilingual(words.REPORTS_LEAD))]
    if any(entry.quick for entry in entries):
        lead.append(tag("p", {"class": "warning", "role": "note"}, bilingual(words.QUICK)))
    return document(f"{words.REPORTS.en} · {words.REPORTS.zh}", join([*lead, body, _unfinished(unfinished)]))


def _unfinished(unfinished: Mapping[str, str]) -> Html:
    lines = [tag("li", None, text(f"{name}: {reason}")) for name, reason in unfinished.items()]
    heading = tag("h2", None, bilingual(words.NOT_FINISHED))
    return tag("section", None, heading, tag("ul", None, *lines)) if lines else NOTHING


def _entry(entry: IndexEntry) -> Html:
    when = in_languages({key: text(write_date(entry.created, key)) for key in LANGUAGES})
    facts = [tag("time", {"datetime": entry.created}, when)]
    if entry.seconds is not None:
        seconds = entry.seconds
        facts.append(in_languages({key: text(write_seconds(seconds, key)) for key in LANGUAGES}))
    meta = [tag("span", None, fact) for fact in facts]
    told = [*([words.SIMULATED] if entry.simulated else []), *([words.QUICK_INDEX] if entry.quick else [])]
    warnings = [tag("p", {"class": "warning"}, bilingual(warning)) for warning in told]
    result = tag("p", {"class": "headline"}, bilingual(entry.headline)) if entry.headline.en else NOTHING
    return tag(
        "article",
        {"class": "card"},
        tag("h2", None, tag("a", {"href": link_to(entry.href)}, text(entry.name))),
        tag("p", None, bilingual(entry.question)),
        *warnings,
        result,
        tag("p", {"class": "meta"}, *meta),
    )


def link_to(path: str) -> str:
    """Return the link to a report's path, with everything quoted that could make it an address or a script."""
    if not path or path.startswith(("//", "\\\\")):
        raise UserError(
            f"'{path}' is no path to a report.",
            valid="A path relative to the index page, such as 'classifier_choice/report.html'.",
        )
    return quote(path, safe="/")
