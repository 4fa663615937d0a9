"""Which form does a page show, and what may be filled in?

Only the standard library's parser is used, and only on the part of a page from `<form` to `</form>`: a load generator
must not eat the machine that it measures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser

_FORM = re.compile(r"<form\b.*?</form\s*>", re.DOTALL | re.IGNORECASE)
_INSIDE = r"""(?:[^>"']|"[^"]*"|'[^']*')*>"""
"""The rest of a tag; a `>` within quotes does not end it."""
_TAGS = re.compile(
    rf"<textarea\b{_INSIDE}.*?</textarea\s*>|<(?:form|input|select|option|button)\b{_INSIDE}|</select\s*>",
    re.DOTALL | re.IGNORECASE,
)
_LINK = re.compile(r"""<a\b[^>]*?\bhref=["']([^"']*)["']""", re.IGNORECASE)
_SILENT = ("submit", "button", "image", "reset")
"""Kinds of inputs that are only sent when they are pressed."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a form: all inputs of one name."""

    name: str
    kind: str
    """The type of the input, or `select` or `textarea`."""
    values: tuple[str, ...] = ()
    """What may be sent, for radios, boxes and lists; else what stands there."""
    attributes: Mapping[str, str] = field(default_factory=dict)

    @property
    def required(self) -> bool:
        """Whether a browser insists on it."""
        return "required" in self.attributes


@dataclass(frozen=True, slots=True)
class Form:
    """A form as a page shows it."""

    action: str
    method: str
    attributes: Mapping[str, str]
    fields: Mapping[str, Field]
    buttons: tuple[tuple[str, str], ...] = ()
    """Names and values of the buttons that send something."""

    @property
    def about(self) -> str:
        """The stimulus that the page shows, or nothing."""
        return self.attributes.get("data-about", "")

    @property
    def task(self) -> str:
        """The task of the page, or nothing."""
        return self.attributes.get("data-task", "")

    @property
    def step(self) -> int | None:
        """The number of the page, where it has one."""
        held = self.attributes.get("data-step", "")
        return int(held) if held.isdigit() else None

    def hidden(self) -> dict[str, str]:
        """Return what is sent as it stands."""
        return {name: held.values[0] for name, held in self.fields.items() if held.kind == "hidden" and held.values}

    def answers(self) -> dict[str, Field]:
        """Return the fields that answer a scale, by scale."""
        mark = "answer-"
        return {name.removeprefix(mark): held for name, held in self.fields.items() if name.startswith(mark)}


def forms_of(page: str) -> list[Form]:
    """Return all forms of a page, in order."""
    return [form for found in _FORM.finditer(page) for form in _parsed(found.group())]


def form_of(page: str, action: str = "") -> Form | None:
    """Return the first form of a page, or the first that is sent to an address."""
    for form in forms_of(page):
        if not action or form.action.partition("?")[0] == action:
            return form
    return None


def links_of(page: str) -> list[str]:
    """Return where the links of a page lead, in order."""
    return [unescape(found) for found in _LINK.findall(page)]


def _parsed(text: str) -> Iterator[Form]:
    reader = _Reader()
    # Labels and legends are most of a page, and nothing is sent for them.
    reader.feed("".join(_TAGS.findall(text)))
    reader.close()
    if reader.form is not None:
        yield Form(
            reader.form.get("action", ""),
            reader.form.get("method", "get").lower(),
            reader.form,
            {name: Field(name, kind, tuple(values), held) for name, (kind, values, held) in reader.fields.items()},
            tuple(reader.buttons),
        )


class _Reader(HTMLParser):
    """Collects the first form that it is fed."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.form: dict[str, str] | None = None
        self.fields: dict[str, tuple[str, list[str], dict[str, str]]] = {}
        self.buttons: list[tuple[str, str]] = []
        self._list = ""
        self._area = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note forms, fields and buttons."""
        held = {name: value or "" for name, value in attrs}
        name = held.get("name", "")
        if tag == "form" and self.form is None:
            self.form = held
        elif tag == "input" and name:
            kind = held.get("type", "text").lower()
            if kind in _SILENT:
                self.buttons.append((name, held.get("value", "")))
            elif "disabled" not in held:
                self._add(name, kind, held.get("value", "on" if kind in ("checkbox", "radio") else ""), held)
        elif tag == "button" and name and held.get("type", "submit") == "submit":
            self.buttons.append((name, held.get("value", "")))
        elif tag == "select" and name:
            self._list = name
            self.fields[name] = ("select", [], held)
        elif tag == "option" and self._list:
            self.fields[self._list][1].append(held.get("value", ""))
        elif tag == "textarea" and name:
            self._area = name
            self._add(name, "textarea", "", held)

    def handle_endtag(self, tag: str) -> None:
        """Leave a list or an area."""
        if tag == "select":
            self._list = ""
        elif tag == "textarea":
            self._area = ""

    def handle_data(self, data: str) -> None:
        """Keep what stands in an area."""
        if self._area:
            self.fields[self._area][1][0] += data

    def _add(self, name: str, kind: str, value: str, held: dict[str, str]) -> None:
        if name in self.fields:
            self.fields[name][1].append(value)
        else:
            self.fields[name] = (kind, [value], held)
