"""Which entities do the people who tagged a corpus say there are?

A recogniser without a mistake of its own, for the sentences of the tagged corpus and for no others: how far a result
depends on the recogniser can be told by putting this one in its place. Names and times come from the tags:

- `nr`: surname and given name are tagged apart (江/nr 泽民/nr) and are one PERSON. In a run of `nr`, a word of one
  character or a known double surname begins a person and takes the next word with it; every other word is a person by
  itself, as foreign names are. Two surnames side by side without a comma between them would be taken for one person.
- `ns` is GPE, LOC or FAC, `t` DATE or TIME, by the rules that LAC's names go through; `nt` is ORG.
- `nz` is what its last characters say (族, 语, 战争, …); most of the rest are companies and brands, so the rest is ORG.
- `m` and `q` go through the rules for numbers, which cut the classifier off a fused 一个/m.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from hengliang.core.errors import UserError
from hengliang.core.labelling.recognisers import Recogniser
from hengliang.core.labelling.spans import Labelled, LabelledSpans, labelled_spans
from hengliang.core.registry import register
from hengliang.core.signature import Signature, constructor_signature, file_checksum
from hengliang.core.terms import Bilingual
from hengliang.core.text.segmentation import join_words
from hengliang.corpora import catalogue as sources
from hengliang.corpora.running_text import sentences_of
from hengliang.corpora.tagged import TaggedParagraph, read_pku
from hengliang.systems.entities.chinese import chinese_entities, words_of_spans
from hengliang.systems.entities.chinese_numbers import Word
from hengliang.systems.entities.chinese_types import CHINESE_TYPES, name_type, place_type, time_type

UNKNOWN_SENTENCE = "not a sentence of the tagged corpus"

_DOUBLE_SURNAMES = re.compile(
    "欧阳|司马|司徒|诸葛|上官|夏侯|东方|皇甫|尉迟|公孙|慕容|令狐|宇文|长孙|端木|轩辕|南宫|独孤|完颜|爱新觉罗"
)

Tagged = tuple[tuple[str, ...], tuple[str, ...]]
"""The words of a sentence and their tags."""


@register("gold")
class GoldRecogniser(Recogniser):
    """The entities of the sentences of a tagged corpus, by the tags that people gave its words."""

    name = "gold"
    title = Bilingual("Gold tags of the corpus", "语料的人工标注")
    types: ClassVar[tuple[str, ...]] = tuple(CHINESE_TYPES)

    def __init__(self, corpus: str = sources.DEFAULT_CORPUS) -> None:
        self.corpus = corpus

    def signature(self) -> Signature:
        """Return the class and its code, the corpus and the checksum of its file."""
        return constructor_signature(self).and_(sha256=file_checksum(_path(self.corpus))[:16])

    def recognise(self, contents: Sequence[str]) -> LabelledSpans:
        """Return the entities of each text; one that is not a sentence of the corpus gets a problem."""
        path = _path(self.corpus)
        index = _index(path, file_checksum(path))
        rows: list[list[Labelled] | str] = []
        for content in contents:
            held = index.get(unicodedata.normalize("NFC", content)) if content else ((), ())
            if held is None or not unicodedata.is_normalized("NFC", content):
                rows.append(UNKNOWN_SENTENCE)
            else:
                rows.append(tagged_entities(*held))
        return labelled_spans(rows)


def tagged_entities(words: Sequence[str], tags: Sequence[str]) -> list[Labelled]:
    """Return the entities of a sentence given by its words and PKU tags, as byte spans of the words joined."""
    content, spans = join_words(words)
    placed = words_of_spans(content, [(start, end, tag) for (start, end), tag in zip(spans, tags, strict=True)])
    return chinese_entities(content, placed, _names(content, placed))


def _names(content: str, words: Sequence[Word]) -> Iterator[Labelled]:
    place = 0
    while place < len(words):
        word = words[place]
        last = place + 1
        if word.tag == "nr":
            last = _end_of_person(content, words, place)
        kind = _type(word.tag, content[word.start : word.end])
        if kind:
            yield word.start, words[last - 1].end, kind
        place = last


def _type(tag: str, text: str) -> str:
    match tag:
        case "nr":
            return "PERSON"
        case "ns":
            return place_type(text)
        case "nt":
            return "ORG"
        case "nz":
            return name_type(text) or "ORG"
        case "t":
            return time_type(text)
        case _:
            return ""


def _end_of_person(content: str, words: Sequence[Word], place: int) -> int:
    """Return the number of the word after the person whose name begins at word `place`."""
    run = place
    while run < len(words) and words[run].tag == "nr":
        run += 1
    texts = [content[word.start : word.end] for word in words[place : min(run, place + 3)]]
    if len(texts) == 1 or not (len(texts[0]) == 1 or _DOUBLE_SURNAMES.fullmatch(texts[0])):
        return place + 1
    # A married name: 陈 方 安生 has two surnames.
    if run - place == 3 and len(texts[1]) == 1 and len(texts[2]) > 1:
        return place + 3
    return place + 2


# --- the sentences of the corpus ------------------------------------------------------------------------------------


def _path(corpus: str) -> Path:
    given = Path(corpus)
    if given.suffix == ".pku":
        if not given.is_file():
            raise UserError(f"There is no file {corpus}.", remedy="Check the path for a typing mistake.")
        return given
    held = sources.source(corpus)
    sources.check_format(held, "pku", f"{corpus} is no tagged corpus.", files="a file: *.pku (word/tag)")
    return sources.locate(corpus)[0]


@lru_cache(maxsize=2)
def _index(path: Path, checksum: str) -> dict[str, Tagged]:
    """Return words and tags of every sentence by its content; of a content that occurs twice the first counts."""
    index: dict[str, Tagged] = {}
    for paragraph in read_pku(path):
        for words, tags in _sentences(paragraph):
            index.setdefault(join_words(words).content, (words, tags))
    return index


def _sentences(paragraph: TaggedParagraph) -> Iterator[Tagged]:
    place = 0
    for words in sentences_of(paragraph.words):
        yield tuple(words), paragraph.tags[place : place + len(words)]
        place += len(words)
