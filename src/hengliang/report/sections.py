"""What does a report say about the study besides its results?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hengliang.core.terms import LANGUAGES, Bilingual, both
from hengliang.report import words
from hengliang.report.content import MaterialEntry, ReportContent, StageEntry
from hengliang.report.formats import Style, write_date, write_seconds
from hengliang.report.html import NOTHING, Html, bilingual, in_languages, join, signature_line, table_html, tag, text
from hengliang.report.tables import Column, Table, text_table


@dataclass(frozen=True, slots=True)
class Section:
    """One section: where it is, what it is called, what is in it, and the parts of it that the contents list."""

    anchor: str
    title: Bilingual
    body: Html
    parts: tuple[tuple[str, Bilingual], ...] = ()


def section_html(section: Section) -> Html:
    """Return the section under its heading."""
    heading = tag("h2", {"id": f"{section.anchor}-title"}, bilingual(section.title))
    return tag(
        "section",
        {"id": section.anchor, "aria-labelledby": f"{section.anchor}-title"},
        heading,
        Html("\n"),
        section.body,
    )


def paragraph(words_: Bilingual, kind: str | None = None) -> Html:
    """Return a paragraph, or nothing when there is nothing to say."""
    return tag("p", {"class": kind}, bilingual(words_)) if words_.en or words_.zh else NOTHING


def scrolling(table: Html, heading: str) -> Html:
    """Return a table that scrolls by itself on a narrow screen; it is named by the heading with this anchor."""
    return tag(
        "div", {"class": "scroll", "role": "group", "tabindex": "0", "aria-labelledby": f"{heading}-title"}, table
    )


def details(summary: Bilingual, *content: Html, remark: str = "") -> Html:
    """Return something that opens on demand."""
    counted = tag("span", {"class": "count"}, text(remark)) if remark else NOTHING
    return tag("details", None, tag("summary", None, bilingual(summary), counted), *content)


def signature_list(lines: Iterable[tuple[str, Bilingual, str]]) -> Html:
    """Return signatures with an anchor and a name each."""
    items = [
        tag(
            "li",
            {"id": anchor or None},
            tag("span", {"class": "label"}, bilingual(name)),
            Html(" "),
            signature_line(line),
        )
        for anchor, name, line in lines
    ]
    return tag("ul", {"class": "signatures"}, *items)


# --- what was asked, who answered, how it was judged ------------------------------------------------------------------


def lead(content: ReportContent) -> Html:
    """Return the top of the page: the study, its question, whether its people are real and whether it is a trial."""
    when = tag(
        "time",
        {"datetime": content.created},
        in_languages({key: text(write_date(content.created, key)) for key in LANGUAGES}),
    )
    counts: list[tuple[Bilingual, int]] = [
        (words.ITEMS, sum(entry.n_items for entry in content.materials)),
        (words.SYSTEMS, len(content.systems)),
        (words.MEASURES, len(content.measures)),
        (words.NUMBERS, content.estimates.height),
    ]
    facts = [tag("div", None, tag("dt", None, bilingual(words.CREATED)), tag("dd", None, when))]
    facts += [
        tag("div", None, tag("dt", None, bilingual(name)), tag("dd", None, text(f"{count:,}")))
        for name, count in counts
        if count or name is words.NUMBERS
    ]
    told = [*([words.SIMULATED] if content.simulated else []), *([words.QUICK] if content.form == "quick" else [])]
    warnings = [tag("p", {"class": "warning", "role": "note"}, bilingual(warning)) for warning in told]
    question = tag("p", {"class": "question"}, bilingual(content.question))
    return join([tag("h1", None, text(content.name)), question, *warnings, tag("dl", {"class": "facts"}, *facts)])


def materials_section(content: ReportContent) -> Section:
    """Return what was asked."""
    body = [_material(entry) for entry in content.materials]
    signatures = [("", both(entry.name), entry.signature) for entry in content.materials if entry.signature]
    body += [details(words.SIGNATURES, signature_list(signatures))] if signatures else []
    return Section("materials", words.MATERIALS, join(body) or paragraph(words.NO_MATERIALS))


def _material(entry: MaterialEntry) -> Html:
    pairs = [(words.ITEMS, f"{entry.n_items:,}")]
    pairs += [
        (title, value) for title, value in ((words.LICENCE, entry.licence), (words.CITATION, entry.citation)) if value
    ]
    lines = [(title, text(value)) for title, value in (*pairs, *entry.facts)]
    listed = [tag("div", None, tag("dt", None, bilingual(title)), tag("dd", None, value)) for title, value in lines]
    heading = tag("h3", None, bilingual(entry.title), Html(" "), _name(entry.name, entry.title))
    return tag("div", {"class": "entry"}, heading, tag("dl", {"class": "lines"}, *listed))


def _name(name: str, title: Bilingual) -> Html:
    return NOTHING if name in (title.en, title.zh) else tag("code", None, text(name))


def systems_section(content: ReportContent) -> Section:
    """Return who answered."""
    entries = content.systems
    columns: list[tuple[Column, list[object]]] = [
        (Column("name", words.NAME, header=True), [entry.name for entry in entries]),
        (
            _titles("title", words.DESCRIPTION, [entry.title for entry in entries]),
            [str(row) for row in range(len(entries))],
        ),
        (Column("n_responses", words.RESPONSES, Style("integer")), [entry.n_responses for entry in entries]),
        (Column("n_missing", words.MISSING_ANSWERS, Style("integer")), [entry.n_missing for entry in entries]),
    ]
    if any(entry.seed is not None for entry in entries):
        seeds = [None if entry.seed is None else str(entry.seed) for entry in entries]
        columns.insert(2, (Column("seed", words.SEED), list(seeds)))
    if any(entry.traits for entry in entries):
        traits = ["; ".join(f"{key}: {value}" for key, value in entry.traits.items()) or None for entry in entries]
        columns.insert(2, (Column("traits", words.TRAITS), list(traits)))
    signatures = [("", both(entry.name), entry.signature) for entry in entries if entry.signature]
    return _listed("systems", words.SYSTEMS, text_table(columns), signatures)


def measures_section(content: ReportContent) -> Section:
    """Return how the answers were judged."""
    entries = content.measures
    columns: list[tuple[Column, list[object]]] = [
        (Column("name", words.NAME, header=True), [entry.name for entry in entries]),
        (
            _titles("title", words.DESCRIPTION, [entry.title for entry in entries]),
            [str(row) for row in range(len(entries))],
        ),
        (Column("judge_kind", words.JUDGE, labels=words.JUDGE_KINDS), [entry.judge_kind for entry in entries]),
    ]
    signatures = [("", both(entry.name), entry.signature) for entry in entries if entry.signature]
    return _listed("measures", words.MEASURES, text_table(columns), signatures)


def _titles(name: str, title: Bilingual, titles: Sequence[Bilingual]) -> Column:
    return Column(name, title, labels={str(row): label for row, label in enumerate(titles)})


def _listed(anchor: str, title: Bilingual, table: Table, signatures: Sequence[tuple[str, Bilingual, str]]) -> Section:
    if not len(table):
        return Section(anchor, title, paragraph(words.NO_MATERIALS))
    body = [scrolling(table_html(table), anchor)]
    body += [details(words.SIGNATURES, signature_list(signatures))] if signatures else []
    return Section(anchor, title, join(body))


# --- how it was made --------------------------------------------------------------------------------------------------


def notes_section(content: ReportContent) -> Section:
    """Return the notes on method."""
    items = [tag("li", None, bilingual(note)) for note in content.notes]
    return Section("notes", words.NOTES, tag("ul", {"class": "notes"}, *items))


def making_section(content: ReportContent) -> Section:
    """Return the stages of the run and the software that ran."""
    stages = [StageEntry(*stage) for stage in content.stages]
    durations = {
        str(row): Bilingual(*(write_seconds(stage.seconds, key) for key in LANGUAGES))
        for row, stage in enumerate(stages)
    }
    table = text_table(
        [
            (Column("name", words.STAGE, header=True, labels=words.STAGES), [stage.name for stage in stages]),
            (Column("rows", words.ROWS, Style("integer")), [stage.rows for stage in stages]),
            (Column("seconds", words.DURATION, labels=durations), list(durations)),
        ]
    )
    signatures = [
        ("", words.STAGES.get(stage.name, both(stage.name)), stage.signature) for stage in stages if stage.signature
    ]
    body = [scrolling(table_html(table), "making")] if stages else []
    body += [details(words.SIGNATURES, signature_list(signatures))] if signatures else []
    pairs = [
        tag("div", None, tag("dt", None, text(name)), tag("dd", None, text(version)))
        for name, version in content.versions.items()
    ]
    body += [tag("h3", None, bilingual(words.SOFTWARE)), tag("dl", {"class": "facts"}, *pairs)] if pairs else []
    return Section("making", words.MAKING, join(body) or paragraph(words.NO_MATERIALS))
