"""How does a page become HTML?

Templates lie in `templates/`; everything that they are given is escaped unless it is `Markup`. Each page gets the words
of its language (`words.…`), the language itself, and addresses of styles and scripts that change with their content, so
that browsers may keep them for ever.

A task's template, `templates/tasks/NAME.html`, is a part of a trial's form and knows only what it is given: the entries
of what the task's `shown` returned, and besides `language`, `tag` (the language as HTML calls it), `text` (the stimulus
as safe HTML, its target words marked), `stimulus`, `screen`, `highlighted`, `fields` (what was sent, when a form comes
back with problems, by field), `problems` (what is wrong, by field), `example` (whether it is for illustration only) and
`shown`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse

from hengliang.core.terms import Bilingual, Language
from hengliang.people.pages.words import words_of

HERE = Path(__file__).parent
STATIC = HERE / "static"
LANGUAGE_TAGS: dict[Language, str] = {"en": "en", "zh": "zh-Hans"}
"""How HTML calls our languages."""

_EMPTY_LINE = re.compile(r"\n\s*\n")
_LINE_END = re.compile(r"\s*\n\s*")
_CHINESE_LINE_END = re.compile(r"(?<=[\u2e80-\u9fff\uff00-\uffef])\s*\n\s*|\s*\n\s*(?=[\u2e80-\u9fff\uff00-\uffef])")


@lru_cache
def static_address(name: str) -> str:
    """Return the address of a file under `static/`, with a word that changes with its content."""
    file = STATIC / name
    mark = sha256(file.read_bytes()).hexdigest()[:12] if file.is_file() else "absent"
    return f"/static/{name}?{mark}"


@cache
def environment_of(folder: Path) -> Environment:
    """Return the templates of a folder; compiled once, however many apps use them."""
    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
        # All of them stay compiled: a survey has few.
        cache_size=-1,
    )

    def part(template: str, given: Mapping[str, Any]) -> Markup:
        """Return a part of a page, whose template knows only what it is given."""
        return Markup(environment.get_template(template).render(given))

    environment.globals["static"] = static_address
    environment.globals["part"] = part
    environment.filters["paragraphs"] = paragraphs
    return environment


@dataclass(frozen=True, slots=True)
class Pages:
    """Makes pages from templates."""

    folder: Path = HERE / "templates"

    def render(self, template: str, language: Language, **context: Any) -> str:
        """Return a page in one language; a Bilingual among the entries can be said with `entry[language]`."""
        shared = {"language": language, "tag": LANGUAGE_TAGS[language], "words": words_of(language)}
        return environment_of(self.folder).get_template(template).render({**shared, **context})

    def respond(
        self,
        template: str,
        language: Language,
        *,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        **context: Any,
    ) -> HTMLResponse:
        """Return a page as a response."""
        return HTMLResponse(self.render(template, language, **context), status, headers)


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text, which empty lines part; a line end is a space, but not beside Chinese."""
    parts = (_LINE_END.sub(" ", _CHINESE_LINE_END.sub("", part.strip())) for part in _EMPTY_LINE.split(text))
    return [part for part in parts if part]


def said(text: str | Bilingual, language: Language) -> str:
    """Return a text in one language, whether it has two or one."""
    return text if isinstance(text, str) else text[language]
