"""What surrounds every page: the head, the controls, the styles, and the rule that forbids the network?"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import cache

from hengliang.core.closure import package_data
from hengliang.core.terms import Bilingual
from hengliang.report import words
from hengliang.report.html import LANGUAGE_TAGS, NOTHING, Html, bilingual, join, tag, text

_LANGUAGE_NAMES = {"en": "English", "zh": "中文"}
_MARKUP_IN_SCRIPT = re.compile("<(?=/script|!--)", re.IGNORECASE)


@cache
def resource(name: str) -> str:
    """Return a file that lies beside this module."""
    return package_data(__name__, name).read_text(encoding="utf-8")


def inline_script(code: str) -> Html:
    """Return a script element around code of our own or of the figure library."""
    # In a JavaScript string "\x3c" is the same text as "<", and neither ends the element nor opens a comment within it.
    safe = _MARKUP_IN_SCRIPT.sub(r"\\x3c", code)
    return Html(f"<script>{safe}</script>")


def content_security_policy(scripts: Sequence[Html]) -> str:
    """Return a policy under which only these scripts run and nothing is loaded from anywhere."""
    hashes = []
    for script in scripts:
        code = script.removeprefix("<script>").removesuffix("</script>")
        digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
        hashes.append(f"'sha256-{digest}'")
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {' '.join(dict.fromkeys(hashes)) or chr(39) + 'none' + chr(39)}",
            "style-src 'unsafe-inline'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def document(title: str, main: Html, *, contents: Html = NOTHING, scripts: Sequence[str] = ()) -> str:
    """Return a whole page. `scripts` are further code, run after the page has been read."""
    controls = inline_script(resource("page.js"))
    further = [inline_script(code) for code in scripts]
    head = [
        tag("meta", {"charset": "utf-8"}),
        tag(
            "meta",
            {
                "http-equiv": "Content-Security-Policy",
                "content": content_security_policy([controls, *further]),
            },
        ),
        tag("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
        tag("meta", {"name": "color-scheme", "content": "light dark"}),
        tag("meta", {"name": "referrer", "content": "no-referrer"}),
        tag("title", None, text(title)),
        tag("link", {"rel": "icon", "href": "data:,"}),
        Html(f"<style>{resource('styles.css')}</style>"),
    ]
    body = [
        tag("a", {"class": "skip", "href": "#main"}, bilingual(words.SKIP)),
        _header(),
        controls,
        tag("div", {"class": "page"}, contents, tag("main", {"id": "main", "tabindex": "-1"}, main)),
        *further,
    ]
    page = tag("html", {"lang": "en"}, tag("head", None, join(head)), Html("\n"), tag("body", None, join(body)))
    return f"<!DOCTYPE html>\n{page}\n"


def _header() -> Html:
    brand = tag("span", {"class": "brand"}, bilingual(words.PRODUCT))
    languages = [
        (key, tag("span", {"lang": LANGUAGE_TAGS[key], "class": "always"}, text(_LANGUAGE_NAMES[key])))
        for key in LANGUAGE_TAGS
    ]
    themes = [(key, bilingual(title)) for key, title in words.THEMES.items()]
    return tag(
        "header",
        None,
        brand,
        _choice("language", words.LANGUAGE, [(str(key), shown) for key, shown in languages], "en"),
        _choice("theme", words.THEME, themes, "auto"),
    )


def _choice(name: str, legend: Bilingual, options: Sequence[tuple[str, Html]], chosen: str) -> Html:
    """Return a group of radio buttons: they work with the keyboard, and the styles obey them without a script."""
    buttons = [
        tag(
            "label",
            None,
            tag(
                "input",
                {
                    "type": "radio",
                    "name": name,
                    "id": f"{name}-{value}",
                    "value": value,
                    "checked": "" if value == chosen else None,
                    "autocomplete": "off",
                },
            ),
            tag("span", None, shown),
        )
        for value, shown in options
    ]
    return tag("fieldset", {"class": "choice"}, tag("legend", None, bilingual(legend)), *buttons)
