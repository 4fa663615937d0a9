"""Data formats by name: which there are, and what reads a file of each.

The catalogue says of a source in which format its files are (`"format": "pku"`), and the function that reads such a
file is registered by `@reads("pku")`, ours and a plug-in's alike. Code may move; the name stays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from hengliang.core import registry
from hengliang.core.closure import outside_signatures
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.signature import code_checksum

Reader = TypeVar("Reader", bound=Callable[..., Any])

FORMATS: dict[str, tuple[str, str]] = {
    ".txt": ("plain", "plain text, a paragraph a line"),
    ".conllu": ("conllu", "CoNLL-U"),
    ".pku": ("pku", "word/tag, a paragraph a line"),
    **dict.fromkeys((".brackets", ".mrg", ".ptb", ".nid", ".fid"), ("brackets", "trees in brackets")),
}
"""Our formats of text and what they are, by the ending of a file; .nid and .fid are those of the Chinese Treebank."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format, the function that reads a file of it by its path, and the endings of its files."""

    name: str
    reader: Callable[..., Any]
    endings: tuple[str, ...] = ()

    @property
    def code(self) -> str:
        """A hash of the code that the reader reaches, for signatures of what is read with it."""
        return code_checksum(self.reader)


_formats: dict[str, Format] = {}


@outside_signatures("the name of a format changes no number")
def reads(name: str, *endings: str) -> Callable[[Reader], Reader]:
    """Register the function below as the one that reads files of the format `name`.

    Files with one of the `endings` are then read as running text wherever a corpus can be named. For these the reader
    takes a path and yields `TaggedParagraph`, or pairs of line number and text where the words are not given.
    """

    def enter(reader: Reader) -> Reader:
        held = _formats.get(name)
        if held is not None and held.reader.__qualname__ != reader.__qualname__:
            raise UserError(
                f"Two functions want to read the format '{name}': {held.reader.__module__}.{held.reader.__qualname__} "
                f"and {reader.__module__}.{reader.__qualname__}.",
                remedy="Rename one of the formats.",
            )
        for ending in endings:
            if (owner := _owner(ending)) not in {None, name}:
                raise UserError(
                    f"The formats '{owner}' and '{name}' want the same files: *{ending}.",
                    remedy="Choose another ending for one of them.",
                )
        _formats[name] = Format(name, reader, endings)
        return reader

    return enter


def _owner(ending: str) -> str | None:
    others = {other: held.name for held in _formats.values() for other in held.endings}
    return FORMATS[ending][0] if ending in FORMATS else others.get(ending)


@outside_signatures("a reader found by the name of its format is signed by its code")
def find_format(name: str) -> Format:
    """Return the format of this name; an unknown name lists the known ones."""
    if name not in _formats:
        registry.load_plugins()
    try:
        return _formats[name]
    except KeyError:
        remedy = "A plug-in brings a format of its own (docs/plugins.md); hengliang doctor tells of plug-ins that fail."
        raise unknown_name("data format", name, _formats, remedy=remedy) from None


@outside_signatures("a reader found by the name of its format is signed by its code")
def plugin_formats() -> tuple[Format, ...]:
    """Return the formats of plug-ins whose files are known by their ending."""
    registry.load_plugins()
    return tuple(held for held in _formats.values() if held.endings)
