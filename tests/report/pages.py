"""What is in a page, read by the standard parser?"""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "input", "br", "wbr", "img", "hr"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    parts: list[Element | str] = field(default_factory=list)

    def all(self, tag: str | None = None, **attributes: str) -> list[Element]:
        """Return this and all inner elements with this tag and these attributes, in order."""
        own = (tag is None or self.tag == tag) and all(self.attributes.get(k) == v for k, v in attributes.items())
        inner = [found for part in self.parts if isinstance(part, Element) for found in part.all(tag, **attributes)]
        return ([self] if own else []) + inner

    @property
    def text(self) -> str:
        return "".join(part if isinstance(part, str) else part.text for part in self.parts)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self.stack = [self.root]
        self.mistakes: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        if len(names) != len(set(names)):
            self.mistakes.append(f"{tag} repeats an attribute")
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.stack[-1].parts.append(element)
        if tag not in VOID:
            self.stack.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.stack[-1].parts.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if self.stack[-1].tag != tag:
            self.mistakes.append(f"</{tag}> closes <{self.stack[-1].tag}>")
        else:
            self.stack.pop()

    def handle_data(self, data: str) -> None:
        self.stack[-1].parts.append(data)


def read_page(text: str) -> Element:
    """Return the tree of a page; a page whose tags do not fit together is refused."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert not reader.mistakes, reader.mistakes[:5]
    assert reader.stack == [reader.root], f"never closed: {[element.tag for element in reader.stack[1:]]}"
    return reader.root
