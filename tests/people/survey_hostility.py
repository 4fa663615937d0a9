"""What would somebody write who wants pages, databases and spreadsheets to run it, and did they?"""

from __future__ import annotations

from html.parser import HTMLParser

MARKUP = (
    """'"><hostile x="y"></textarea></title></script><script>alert(1)</script>"""
    """<img src=x onerror=alert(2)>{{1234*4321}}{%"""
)
"""Begins an element, ends those in which text stands, runs a script, and is a template."""
EVALUATED = "5332114"
"""What the template in it comes to: 1234 · 4321."""

INJECTIONS = (
    "'; DROP TABLE answers; --",
    "' OR '1'='1",
    '" OR ""="',
    "1); DELETE FROM participants; --",
    "%' UNION SELECT token FROM sessions --",
    "x' || (SELECT value FROM facts WHERE name = 'secret') || '",
    "\\'; TRUNCATE answers; --",
    "$$; DROP TABLE events; $$",
    ":name",
    "%(name)s %s",
)
"""Texts that would do something if they were put into a question to the database as they are."""

FORMULAS = ("=1+1", "+1+1", "-1+1", "@SUM(1)", "\t=1", "\r=1", '=HYPERLINK("https://evil.example")', "＝1+1", "'=1")
"""Texts that a spreadsheet would take for a formula."""


class Faults(HTMLParser):
    """Collects what a page holds that none of ours may hold."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.faults: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at an element and its attributes."""
        held = {name: value or "" for name, value in attrs}
        if tag in ("hostile", "iframe", "object", "embed", "base", "style"):
            self.faults.append(f"<{tag}>")
        if tag == "script" and not held.get("src", "").startswith("/static/"):
            self.faults.append("a script of its own")
        self.faults += [f"{tag} {name}" for name in held if name.startswith("on") or name == "style"]
        for name in ("href", "src", "action", "formaction"):
            address = held.get(name, "")
            if address.strip().lower().startswith(("javascript:", "vbscript:", "//", "data:text")):
                self.faults.append(f"{tag} {name}={address}")
            if name == "src" and address and not address.startswith(("/static/", "data:image")):
                self.faults.append(f"{tag} {name}={address}")

    def handle_data(self, data: str) -> None:
        """Keep the text that a reader sees."""
        self.text.append(data)


def faults_of_page(page: str) -> list[str]:
    """Return what a hostile text brought into a page; nothing, where it stayed a text."""
    reader = Faults()
    reader.feed(page)
    reader.close()
    return reader.faults + ([EVALUATED] if EVALUATED in page else [])


def text_of_page(page: str) -> str:
    """Return what a reader sees of a page."""
    reader = Faults()
    reader.feed(page)
    reader.close()
    return "".join(reader.text)
