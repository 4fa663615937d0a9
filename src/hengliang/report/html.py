"""How is HTML written so that no text of a study can become markup?

`Html` is text that is safe to put into a page. Only the functions here make it, and they escape; the type checker
refuses plain text where `Html` is wanted.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import NewType

from hengliang.core.terms import LANGUAGES, Bilingual, Language
from hengliang.report.formats import CellText
from hengliang.report.tables import Column, Table

Html = NewType("Html", str)

NOTHING = Html("")
LANGUAGE_TAGS: Mapping[Language, str] = {"en": "en", "zh": "zh-Hans"}

_VOID = frozenset({"input", "link", "meta", "br", "wbr"})
# Characters that may end a script or a line of JavaScript early.
_JSON_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def text(plain: str) -> Html:
    """Return plain text as HTML."""
    return Html(html.escape(plain, quote=True))


def tag(name: str, attributes: Mapping[str, str | None] | None = None, *children: Html) -> Html:
    """Return an element. An attribute with the value `None` is left out, one with an empty value stands alone."""
    given = "".join(
        f' {key}="{html.escape(value, quote=True)}"' if value else f" {key}"
        for key, value in (attributes or {}).items()
        if value is not None
    )
    if name in _VOID:
        return Html(f"<{name}{given}>")
    return Html(f"<{name}{given}>{''.join(children)}</{name}>")


def join(parts: Iterable[Html], between: str = "\n") -> Html:
    """Return the parts one after the other."""
    return Html(html.escape(between).join(parts))


def bilingual(words: Bilingual, languages: Sequence[Language] = LANGUAGES) -> Html:
    """Return a text in every language of the page; the page shows one of them."""
    return in_languages({language: text(words[language]) for language in languages})


def in_languages(versions: Mapping[Language, Html]) -> Html:
    """Return versions of the same thing, each marked with its language; equal versions are written once."""
    if len(set(versions.values())) == 1:
        return next(iter(versions.values()))
    return join((tag("span", {"lang": LANGUAGE_TAGS[key]}, part) for key, part in versions.items()), "")


def script_json(value: object) -> Html:
    """Return JSON that may stand inside a script element whatever texts it holds."""
    plain = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Html("".join(_JSON_ESCAPES.get(character, character) for character in plain))


def signature_line(line: str) -> Html:
    """Return a signature that may break between its pairs."""
    pairs = [text(pair) for pair in line.split("|")]
    return tag("code", {"class": "signature"}, Html("|<wbr>".join(pairs)))


# --- tables ---------------------------------------------------------------------------------------------------------


def table_html(
    table: Table, *, languages: Sequence[Language] = LANGUAGES, anchor: str = "", caption: Html = NOTHING
) -> Html:
    """Return a table with its headers marked as such. With an `anchor`, a number links to `#ANCHOR-number-N`."""
    head = [_column_header(column, languages) for column in table.columns]
    versions = {language: table.in_language(language).cells() for language in languages}
    spans = _row_spans(table)
    body = []
    for row in range(len(table)):
        cells = []
        for place, column in enumerate(table.columns):
            span = spans[row][place]
            if span:
                shown = {language: versions[language][row][place] for language in languages}
                cells.append(_cell(shown, column, span, _target(column, row, anchor)))
        body.append(tag("tr", {"class": "group" if row and spans[row][0] > 1 else None}, *cells))
    parts = [tag("thead", None, tag("tr", None, *head)), tag("tbody", None, join(body))]
    if caption:
        parts.insert(0, tag("caption", None, caption))
    return tag("table", None, *parts)


def _column_header(column: Column, languages: Sequence[Language]) -> Html:
    kind = None if column.is_text else "number"
    return tag("th", {"scope": "col", "class": kind}, bilingual(column.title, languages))


def _target(column: Column, row: int, anchor: str) -> str | None:
    if not anchor or not column.keys or column.keys[row] is None:
        return None
    return f"#{anchor}-number-{column.keys[row]}"


def _row_spans(table: Table) -> list[list[int]]:
    """Return how many rows each cell covers: a leading header that repeats is written once, and 0 marks the repeats."""
    leading = 0
    while leading < len(table.columns) - 1 and table.columns[leading].header and table.columns[leading + 1].header:
        leading += 1
    spans = [[1] * len(table.columns) for _ in range(len(table))]
    for place in range(leading):
        names = [column.name for column in table.columns[: place + 1]]
        levels = table.frame.select(names).rows()
        first = 0
        for row in range(1, len(table)):
            if levels[row] == levels[first]:
                spans[first][place] += 1
                spans[row][place] = 0
            else:
                first = row
    return spans


def _cell(versions: Mapping[Language, CellText], column: Column, span: int, target: str | None) -> Html:
    content = _cell_parts(versions, target)
    rowspan = str(span) if span > 1 else None
    if column.header:
        scope = "rowgroup" if span > 1 else "row"
        return tag("th", {"scope": scope, "rowspan": rowspan}, content)
    return tag("td", {"class": None if column.is_text else "number"}, content)


def _cell_parts(versions: Mapping[Language, CellText], target: str | None) -> Html:
    """Return value, interval, reason and remarks; only what differs between the languages is written twice."""
    value = in_languages({key: text(cell.value) for key, cell in versions.items()})
    if target:
        # No stop for the keyboard, for there would be hundreds; it reaches the same list by its summary.
        value = tag("a", {"class": "value", "href": target, "tabindex": "-1"}, value)
    parts = [("interval", {key: text(cell.interval) for key, cell in versions.items()})]
    parts.append(("reason", {key: text(cell.reason) for key, cell in versions.items()}))
    remarks = range(max(len(cell.remarks) for cell in versions.values()))
    parts += [("remark", {key: text(cell.remarks[number]) for key, cell in versions.items()}) for number in remarks]
    shown = [tag("span", {"class": kind}, in_languages(part)) for kind, part in parts if any(part.values())]
    return join([value, *shown], " ")
