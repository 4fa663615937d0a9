"""Word segmenters by name: those of libraries and rules, and those that are registered.

A library (`rjieba`) and plain rules (`characters`, `english`) are known by name. Others are registered, such as `pku`
of our own tagger, which finds words of the standard of the default corpus: derive from `WordSegmenter`, write `cut` and
`identity`, and register the class.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from hengliang.core.closure import outside_signatures
from hengliang.core.conformance import Finding, Promise, examine, general_promises
from hengliang.core.errors import UnknownName, UserError, unknown_name
from hengliang.core.progress import Watcher
from hengliang.core.registry import entries, find
from hengliang.core.signature import Signature, code_checksum, constructor_signature
from hengliang.core.terms import Bilingual
from hengliang.core.text.segmentation import SEGMENTERS, Segmented, segment, segmenter_signature

PKU = "pku"
"""The standard of words of the default corpus, and the name of the segmenter that learned it."""


class WordSegmenter(ABC):
    """Somebody who finds words; one that has to be told which model it uses takes its name as an argument."""

    role: ClassVar[str] = "segmenter"
    name: str = ""
    title: Bilingual = Bilingual("", "")

    @abstractmethod
    def cut(self, contents: Sequence[str]) -> list[Segmented]:
        """Return raw texts with their words, as `hengliang.core.text.segmentation.segment` would give them."""

    @abstractmethod
    def identity(self) -> str:
        """Return what tells two segmenters of this name apart, for a signature: its code is known without."""

    def prepare(self, watcher: Watcher) -> None:  # noqa: B027 - most have nothing to learn
        """Learn what has to be learned before the first text, which is watched."""

    def missing(self) -> str:
        """Say why it can be neither found nor made on this machine, and what would help; else nothing."""
        return ""

    def signature(self) -> Signature:
        """Return the class, its code, its arguments and what tells it apart."""
        return constructor_signature(self).and_(identity=self.identity())

    @outside_signatures("a conformance kit tries promises and makes no number")
    def conformance(self) -> Iterator[Finding]:
        """Try the promises of a segmenter on itself."""
        return examine([*general_promises(self), *segmenter_promises(self)])


def segmenter_promises(segmenter: WordSegmenter) -> list[Promise]:
    """Return what every segmenter promises; `hengliang.core.conformance.examine` tries it."""
    texts = ("他买了三本书。", "我用iPhone拍了5张照片", "好", "")

    def same_texts() -> str:
        contents = [segmented.content for segmented in segmenter.cut(texts)]
        return "" if contents == list(texts) else f"{contents}"

    def whole_cover() -> str:
        for text, segmented in zip(texts, segmenter.cut(texts), strict=True):
            edges = [0, *(end for _, end in segmented.spans)]
            if [start for start, _ in segmented.spans] != edges[:-1] or edges[-1] != len(text.encode()):
                return f"'{text}' has the words {segmented.spans}"
        return ""

    return [
        ("returns each text, in order", same_texts),
        ("words follow each other and cover the text", whole_cover),
    ]


def registered(segmenter: str) -> WordSegmenter | None:
    """Return a segmenter that is registered, nothing for one of the library; a name that nobody knows is refused.

    What follows a colon is its one argument (`crf:NAME`).
    """
    if segmenter in SEGMENTERS:
        return None
    name, colon, argument = segmenter.partition(":")
    try:
        entry = find(WordSegmenter.role, name)
        made = entry.kind(argument) if colon else entry.make()
    except (UnknownName, TypeError):
        raise unknown_name("segmenter", segmenter, _known()) from None
    if not isinstance(made, WordSegmenter):
        raise UserError(f"'{name}' is registered as a segmenter, but is none.")
    return made


@outside_signatures("a message changes no number")
def _known() -> list[str]:
    names = [*SEGMENTERS]
    for entry in entries(WordSegmenter.role):
        takes_name = "__init__" in vars(entry.kind)
        names += [entry.name, *([f"{entry.name}:NAME"] if takes_name else [])]
    return names


def cut(contents: Sequence[str], segmenter: str) -> list[Segmented]:
    """Return raw texts with their words."""
    learned = registered(segmenter)
    if learned is not None:
        return learned.cut(contents)
    return [Segmented(content, segment(content, segmenter)) for content in contents]


def prepare_segmenter(segmenter: str, watcher: Watcher) -> None:
    """Learn the segmenter where it has to be learned first, which is watched."""
    learned = registered(segmenter)
    if learned is not None:
        learned.prepare(watcher)


def segmenter_identity(segmenter: str) -> str:
    """Return a segmenter's name for a signature, with what can change its words.

    That is the version of a library, or a hash of what a segmenter was learned from. A library that is not installed
    cuts nothing, so that its name will do.
    """
    learned = registered(segmenter) if segmenter else None
    if learned is not None:
        return f"{segmenter} {learned.identity()}"
    try:
        return " ".join(value for _, value in segmenter_signature(segmenter).pairs) if segmenter else ""
    except UserError:
        return segmenter


def segmenter_code(segmenter: str) -> str:
    """Return the checksum of the code of a segmenter that is registered, which no closure reaches; else nothing."""
    learned = registered(segmenter) if segmenter else None
    return "" if learned is None else code_checksum(type(learned))


def segmented_by(segmenter: str, key: str) -> Mapping[str, str]:
    """Return the identity of a segmenter under this key of a signature, and its code where it is found by its name."""
    code = segmenter_code(segmenter)
    return {key: segmenter_identity(segmenter), **({f"{key}_code": code} if code else {})}


def why_missing(segmenter: str) -> str:
    """Say why a segmenter cannot be had on this machine; nothing where it can."""
    try:
        learned = registered(segmenter)
    except UnknownName as error:
        return error.problem
    return "" if learned is None else learned.missing()
