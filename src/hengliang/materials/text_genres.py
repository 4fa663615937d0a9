"""What sort of text does a slot stand in?

Three ways to know. Rows of the Chinese Classifier Dataset carry the corpus from which they come in their ids: the
Leiden Weibo Corpus, the Lancaster Corpus of Mandarin Chinese or the UCLA Corpus of Written Chinese; the last two add
the letter of a text category of the Brown family [1]. The reviews of the catalogue are reviews. The People's Daily of
the default corpus has no marks at all; there each paragraph gets a text type by its form alone:

heading     short and does not end like a sentence, or a caption: headlines, subheadings, bylines, 图为…, （某某摄）
dispatch    opens with a wire or a byline: 新华社北京１月１日电, 本报讯
quotation   at least half of its characters stand in quotation marks: speech, or a text quoted word by word
prose       everything else

These are types of form, not genres: reports, essays and fiction are all prose, for their form does not tell them apart.

[1] McEnery, A., Xiao, Z. (2004). The Lancaster Corpus of Mandarin Chinese. LREC 2004.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

from hengliang.core.signature import file_checksum
from hengliang.corpora.parts import looks_like_headline
from hengliang.corpora.tagged import read_pku

TextType = Literal["heading", "dispatch", "quotation", "prose"]
TEXT_TYPES: tuple[TextType, ...] = get_args(TextType)

CCD_CORPORA: Mapping[str, str] = {"LWC": "weibo", "LCMC": "LCMC", "UCLA": "UCLA"}
"""The corpora of the Chinese Classifier Dataset, by the beginning of an id."""

UNKNOWN = "unknown"

_WIRE = re.compile(
    r"[（(]?(?:据?新华社|中新社|中国新闻社|本报|本刊|据[^，。]{2,8}社)[^。，：]{0,45}?(?:电|讯|报道)(?!影|视|力|话|子|台|器|脑|信)"
)
_QUOTED = re.compile("“[^”]*(?:”|$)|『[^』]*(?:』|$)|「[^」]*(?:」|$)")
_LEAST_QUOTED = 0.5
# A photograph is credited at the end of its caption; behind a longer text that ends a report.
_CAPTION = re.compile(r"图片?[：:]?|[上下左右]?图为.*|[（(][^（()）]*[）)]|.{1,60}摄[）)]?")
_QUOTED_END = re.compile(r"[^。！？…；，：]{1,45}[^。！？…；，：!?][”』」]")
_CCD_ID = re.compile(r"(?P<corpus>LWC|LCMC|UCLA)_(?:(?P<category>[A-R])(?=\d*_))?")


def text_type(paragraph: str) -> TextType:
    """Return the text type of a paragraph of a newspaper, by its form alone.

    >>> [text_type(text) for text in ("两国关系展望", "本报讯昨天下雪。", "“这本书好。”他说。", "昨天下雪。")]
    ['heading', 'dispatch', 'quotation', 'prose']
    """
    text = paragraph.strip()
    if _CAPTION.fullmatch(text):
        return "heading"
    if _WIRE.match(text):
        return "dispatch"
    if looks_like_headline(text) or _QUOTED_END.fullmatch(text):
        return "heading"
    quoted = sum(len(match.group()) for match in _QUOTED.finditer(text))
    return "quotation" if text and quoted >= _LEAST_QUOTED * len(text) else "prose"


def text_types_of_corpus(path: Path) -> Mapping[int, TextType]:
    """Return the text type of each paragraph of a corpus with PKU tags, by the line of the file."""
    return _types(path, file_checksum(path))


@lru_cache(maxsize=2)
def _types(path: Path, checksum: str) -> Mapping[int, TextType]:
    return {paragraph.number: text_type("".join(paragraph.words)) for paragraph in read_pku(path, errors="skip")}


def ccd_genre(name: str) -> str:
    """Return the corpus from which a row of the Chinese Classifier Dataset comes: weibo, LCMC, UCLA or unknown.

    >>> ccd_genre("LWC_3400011943257033_06"), ccd_genre("mine_1")
    ('weibo', 'unknown')
    """
    found = _CCD_ID.match(name)
    return CCD_CORPORA[found["corpus"]] if found else UNKNOWN


def ccd_category(name: str) -> str:
    """Return the letter of the text category that an id of LCMC or UCLA carries, else nothing.

    >>> ccd_category("LCMC_E15_0016_01"), ccd_category("UCLA_J_21628_01"), ccd_category("LWC_3400011943257033_06")
    ('E', 'J', '')
    """
    found = _CCD_ID.match(name)
    return (found["category"] or "") if found else ""
