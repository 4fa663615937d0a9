"""How does one study's answer become one page that opens anywhere, offline?"""

from __future__ import annotations

from collections.abc import Sequence

from hengliang.report import figures, words
from hengliang.report.content import ReportContent
from hengliang.report.html import Html, bilingual, join, tag
from hengliang.report.results import results_section
from hengliang.report.sections import (
    Section,
    lead,
    making_section,
    materials_section,
    measures_section,
    notes_section,
    section_html,
    systems_section,
)
from hengliang.report.shell import document


def render_page(content: ReportContent) -> str:
    """Return the report as one HTML file that loads nothing; the same content gives the same bytes."""
    sections = [
        materials_section(content),
        # A table of numbers has neither; a heading over nothing would only puzzle.
        *([systems_section(content)] if content.systems else []),
        *([measures_section(content)] if content.measures else []),
        results_section(content),
        *(Section(view.anchor, view.title, Html(view.html), view.entries) for view in content.views),
        *([notes_section(content)] if content.notes else []),
        making_section(content),
    ]
    main = join([lead(content), *(section_html(section) for section in sections)])
    drawn = 'class="drawing"' in main
    scripts = [figures.library()] if drawn else []
    return document(content.name, main, contents=contents_html(sections), scripts=scripts)


def contents_html(sections: Sequence[Section]) -> Html:
    """Return the list of contents, with the parts of a section below it."""
    items = []
    for section in sections:
        parts = [_entry(anchor, bilingual(title)) for anchor, title in section.parts]
        inner = tag("ol", None, *parts) if parts else Html("")
        items.append(_entry(section.anchor, bilingual(section.title), inner))
    title = tag("p", {"id": "contents-title"}, bilingual(words.CONTENTS))
    button = tag("button", {"type": "button", "id": "open-all", "hidden": ""}, bilingual(words.OPEN_ALL))
    return tag("nav", {"aria-labelledby": "contents-title"}, title, tag("ol", None, *items), button)


def _entry(anchor: str, title: Html, inner: Html | None = None) -> Html:
    return tag("li", None, tag("a", {"href": f"#{anchor}"}, title), inner or Html(""))
