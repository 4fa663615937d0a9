"""Which entities does LAC find in a Chinese text?

LAC tags persons, places, organisations, times and titles; what kind of place, time or title it is follows from the last
characters (`chinese_types`), and numbers follow from rules over its words and tags (`chinese_numbers`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from hengliang.core.labelling.recognisers import Recogniser
from hengliang.core.labelling.spans import Labelled, LabelledSpans, labelled_spans
from hengliang.core.registry import register
from hengliang.core.signature import Signature, constructor_signature
from hengliang.core.terms import Bilingual
from hengliang.systems.entities.chinese import chinese_entities, words_of_spans
from hengliang.systems.entities.chinese_numbers import Word
from hengliang.systems.entities.chinese_types import (
    CHINESE_TYPES,
    bare_time,
    name_type,
    place_type,
    time_type,
    title_type,
)
from hengliang.tagging.taggers.lac import LacTagger


def _person(name: str) -> str:
    return "PERSON"


def _organisation(name: str) -> str:
    return "NORP" if name_type(name) == "NORP" else "ORG"


TYPE_OF_TAG: Mapping[str, Callable[[str], str]] = {
    "PER": _person,
    "LOC": place_type,
    "ORG": _organisation,
    "TIME": time_type,
    "nw": title_type,
    "nz": name_type,
}
"""How the type of a word follows from its text, for each of LAC's tags that stands for an entity."""


@register("lac")
class LacRecogniser(Recogniser):
    """Names and times by LAC, numbers by rule."""

    name = "lac"
    title = Bilingual("LAC with rules for numbers", "LAC（数字按规则识别）")
    types: ClassVar[tuple[str, ...]] = tuple(CHINESE_TYPES)

    def __init__(self) -> None:
        self._tagger = LacTagger()

    def __getstate__(self) -> dict[str, Any]:
        """Leave what was loaded behind: the tagger of a copy loads its own."""
        return self.__dict__.copy()

    def language(self) -> str:
        """Return the code of Chinese."""
        return "zh"

    def signature(self) -> Signature:
        """Return the class and its code, and the signature of the tagger."""
        return constructor_signature(self).and_(tagger=self._tagger.signature())

    def recognise(self, contents: Sequence[str]) -> LabelledSpans:
        """Return the entities of each text as byte spans, labelled by type."""
        tagged = self._tagger.tag(contents)
        rows: list[list[Labelled] | str] = []
        for row, content in enumerate(contents):
            rows.append(tagged.problems[row] or self._entities(content, tagged.of(row)))
        return labelled_spans(rows)

    def _entities(self, content: str, spans: list[Labelled]) -> list[Labelled]:
        words = words_of_spans(content, spans)
        return chinese_entities(content, words, _names(content, words))


def _names(content: str, words: Sequence[Word]) -> Iterator[Labelled]:
    for word in words:
        decide = TYPE_OF_TAG.get(word.tag)
        if decide is None:
            continue
        text = content[word.start : word.end]
        kind = decide(text)
        first, last = bare_time(text) if word.tag == "TIME" else (0, len(text))
        if kind:
            yield word.start + first, word.start + last, kind
