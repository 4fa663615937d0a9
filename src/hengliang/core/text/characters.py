"""Characters of Chinese text: byte offsets, normalisation of width and form, simplified and traditional script.

Everything that points into a text does so by byte offsets into its UTF-8. Characters, words and sentences are views
that map back to the same bytes. A span without a name is a pair `(start, end)`; many offsets are a numpy array.

Words, sentences and their alignment are in `hengliang.core.text.segmentation`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from types import MappingProxyType
from typing import Literal

import numpy as np
import numpy.typing as npt

from hengliang.core.errors import UserError, unknown_name

ByteSpan = tuple[int, int]

SLOT_MARK = "<CL>"
"""What stands for a gap in a sentence that is written down without spans."""

Offsets = npt.NDArray[np.int64]
Width = Literal["alphanumeric", "punctuation", "space", "halfwidth"]
Script = Literal["simplified", "traditional", "both", "mixed", "none"]

WIDTHS: tuple[Width, ...] = ("alphanumeric", "punctuation", "space", "halfwidth")

# The assigned ideographs up to Unicode 17. Written out, because the database of an older Python ends earlier.
_HAN_RANGES = (
    (0x3007, 0x3007),  # 〇, a numeral and no ideograph by block, but written in every Chinese year
    (0x3400, 0x4DBF),  # extension A
    (0x4E00, 0x9FFF),  # the basic block
    (0xF900, 0xFA6D),  # compatibility ideographs
    (0xFA70, 0xFAD9),
    (0x20000, 0x2A6DF),  # extension B
    (0x2A700, 0x2B73F),  # extension C
    (0x2B740, 0x2B81D),  # extension D
    (0x2B820, 0x2CEAD),  # extension E
    (0x2CEB0, 0x2EBE0),  # extension F
    (0x2EBF0, 0x2EE5D),  # extension I
    (0x2F800, 0x2FA1D),  # compatibility supplement
    (0x30000, 0x3134A),  # extension G
    (0x31350, 0x323AF),  # extension H
    (0x323B0, 0x33479),  # extension J
)
_HAN_CLASS = "".join(f"{chr(first)}-{chr(last)}" for first, last in _HAN_RANGES)
_HAN = re.compile(f"[{_HAN_CLASS}]")
_HAN_TEXT = re.compile(f"[{_HAN_CLASS}]+")


# --- characters -------------------------------------------------------------------------------------------------------


def is_han(character: str) -> bool:
    """Say whether one character is a Chinese character: 〇, the basic block, an extension or a compatibility ideograph.

    Radicals, strokes, 々 and the Suzhou numerals are not.
    """
    return _HAN.fullmatch(_one(character)) is not None


def is_han_text(text: str) -> bool:
    """Say whether the text has characters and all of them are Chinese."""
    return _HAN_TEXT.fullmatch(text) is not None


def is_fullwidth(character: str) -> bool:
    """Say whether one character is the wide form of a narrow one: Ａ, ５, ， and the ideographic space, but not 。."""
    return unicodedata.east_asian_width(_one(character)) == "F"


def _one(character: str) -> str:
    if len(character) != 1:
        raise UserError(f"'{character}' has {len(character)} characters.", valid="One character is expected here.")
    return character


# --- offsets ----------------------------------------------------------------------------------------------------------


def utf8(text: str) -> bytes:
    """Return the bytes into which all spans of `text` point."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise UserError(
            f"Character {error.start + 1} of the text is half a character (U+{ord(text[error.start]):04X}).",
            valid="A text is whole Unicode characters.",
            remedy="Read the file again with the encoding it was written in.",
        ) from error


def half_character(text: str) -> str:
    """Return what is wrong with a text that holds half a character, as a command line may; empty if nothing is.

    >>> half_character("马\\ud83d")
    'it holds half a character (U+D83D): read it with the encoding it was written in'
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = ord(text[error.start])
        return f"it holds half a character (U+{half:04X}): read it with the encoding it was written in"
    return ""


def byte_offsets(text: str) -> Offsets:
    """Return where in the bytes every character starts and, as the last entry, where the text ends."""
    if text.isascii():
        return np.arange(len(text) + 1, dtype=np.int64)
    utf8(text)
    codes = np.frombuffer(text.encode("utf-32-le"), dtype="<u4")
    sizes = 1 + (codes > 0x7F).astype(np.int64) + (codes > 0x7FF) + (codes > 0xFFFF)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])


def characters_to_bytes(text: str, offsets: npt.ArrayLike) -> Offsets:
    """Return the byte offsets of many character offsets; an offset may be the length of the text, its end."""
    wanted = _whole_numbers(offsets)
    _check_range(wanted, len(text), "characters")
    return byte_offsets(text)[wanted]


def bytes_to_characters(text: str, offsets: npt.ArrayLike) -> Offsets:
    """Return the character offsets of many byte offsets, none of which may fall inside a character."""
    wanted, table = _whole_numbers(offsets), byte_offsets(text)
    _check_range(wanted, int(table[-1]), "bytes")
    indices = np.searchsorted(table, wanted)
    inside = wanted[table[indices] != wanted]
    if inside.size:
        raise _inside_character(int(inside.flat[0]))
    return indices.astype(np.int64)


def characters(text: str) -> list[ByteSpan]:
    """Return the byte span of every character (code point)."""
    edges: list[int] = byte_offsets(text).tolist()
    return list(pairwise(edges))


def slices(text: str, spans: Iterable[ByteSpan]) -> list[str]:
    """Return the pieces of the text at many byte spans, none of which may cut a character."""
    raw, pieces = utf8(text), []
    for start, end in spans:
        _check_span(start, end, len(raw))
        for offset in (start, end):
            # The bytes 10xxxxxx of UTF-8 continue a character.
            if offset < len(raw) and raw[offset] & 0xC0 == 0x80:
                raise _inside_character(offset)
        pieces.append(raw[start:end].decode())
    return pieces


def slice_bytes(text: str, start: int, end: int) -> str:
    """Return the piece of the text between two byte offsets, neither of which may fall inside a character."""
    return slices(text, [(start, end)])[0]


def _whole_numbers(offsets: npt.ArrayLike) -> Offsets:
    numbers = np.asarray(offsets)
    if numbers.size and not np.issubdtype(numbers.dtype, np.integer):
        raise UserError(f"Offsets of the type {numbers.dtype} were given.", valid="Offsets are whole numbers.")
    return numbers.astype(np.int64)


def _check_range(offsets: Offsets, size: int, unit: str) -> None:
    wrong = offsets[(offsets < 0) | (offsets > size)]
    if wrong.size:
        raise UserError(
            f"The offset {wrong.flat[0]} is outside of the text.",
            valid=f"The text has {size} {unit}, so offsets are 0 to {size}.",
        )


def _check_span(start: int, end: int, size: int) -> None:
    if not 0 <= start <= end <= size:
        raise UserError(
            f"The span {start}–{end} is outside of the text or ends before it starts.",
            valid=f"A span of this text satisfies 0 ≤ start ≤ end ≤ {size}, in bytes of its UTF-8.",
        )


def _inside_character(offset: int) -> UserError:
    return UserError(
        f"The byte offset {offset} falls inside a character.",
        valid="Spans are cut between characters.",
        remedy="If the offset counts characters, turn it into bytes with characters_to_bytes(text, offsets).",
    )


# --- normalisation ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Normalised:
    """A normalised text that knows where each piece of it came from.

    `text_edges[i]` and `original_edges[i]` are the same place, in bytes of the normalised and of the original text.
    Between two neighbouring edges lies what was normalised as one: a character, or a base with marks that changed.
    """

    text: str
    original: str
    text_edges: Offsets = field(compare=False, repr=False)
    original_edges: Offsets = field(compare=False, repr=False)

    def to_original(self, start: int, end: int) -> ByteSpan:
        """Return the smallest byte span of the original from which the bytes `start` to `end` of `text` were made.

        An offset between two edges (within a composed character, say) is moved outwards to the next edge.
        """
        return _covering(self.text_edges, self.original_edges, start, end)

    def from_original(self, start: int, end: int) -> ByteSpan:
        """Return the smallest byte span of `text` that holds what the bytes `start` to `end` of the original became."""
        return _covering(self.original_edges, self.text_edges, start, end)


def _covering(here: Offsets, there: Offsets, start: int, end: int) -> ByteSpan:
    _check_span(start, end, int(here[-1]))
    first = np.searchsorted(here, start, side="right") - 1
    last = np.searchsorted(here, end, side="left")
    return int(there[first]), int(there[last])


def normalise(text: str, width: Width | Iterable[Width] = WIDTHS) -> Normalised:
    """Return the text in NFC with ordinary widths, and the way back to the original.

    `width` names what is changed: "alphanumeric" Ａ５ to A5, "punctuation" ，％ to ,% (and full-width symbols),
    "space" the ideographic space to a space, "halfwidth" ｶﾞ｡ to ガ。 (half-width katakana, jamo and symbols). The
    empty tuple leaves widths alone. What has no narrow form, such as 。 and 、, never changes.
    """
    names: frozenset[str] = frozenset([width] if isinstance(width, str) else width)
    ordinary = text.translate(_width_table(names))
    composed = unicodedata.normalize("NFC", ordinary)
    text_bytes, original_bytes = byte_offsets(composed), byte_offsets(text)
    if composed != ordinary:
        # Widths are changed character by character, so `ordinary` and `text` have the same character offsets.
        composed_edges, ordinary_edges = _composition_edges(ordinary)
        text_bytes, original_bytes = text_bytes[composed_edges], original_bytes[ordinary_edges]
    for edges in (text_bytes, original_bytes):
        edges.setflags(write=False)
    return Normalised(composed, text, text_bytes, original_bytes)


@cache
def _width_table(width: frozenset[str]) -> dict[int, int]:
    for name in sorted(width - set(WIDTHS)):
        raise unknown_name("width", name, WIDTHS)
    table = {}
    for code in (0x3000, *range(0xFF00, 0xFFF0)):
        tag, _, target = unicodedata.decomposition(chr(code)).partition(" ")
        if tag in {"<wide>", "<narrow>"} and _width_of(tag, chr(int(target, 16))) in width:
            table[code] = int(target, 16)
    return table


def _width_of(tag: str, target: str) -> Width:
    if tag == "<narrow>":
        return "halfwidth"
    if target == " ":
        return "space"
    return "alphanumeric" if target.isalnum() else "punctuation"


def _composition_edges(text: str) -> tuple[list[int], list[int]]:
    """Return the character offsets, in NFC and in `text`, between which composition works on its own."""
    starts = [index for index, character in enumerate(text) if index == 0 or not joins_previous(character)]
    composed_edges, edges = [0], [0]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        piece = text[start:end]
        composed = unicodedata.normalize("NFC", piece)
        # An unchanged base with its marks is still one character after another.
        steps = range(1, len(piece) + 1) if composed == piece else (len(piece),)
        for step in steps:
            edges.append(start + step)
            composed_edges.append(composed_edges[-1] + (1 if composed == piece else len(composed)))
    return composed_edges, edges


@cache
def joins_previous(character: str) -> bool:
    """Say whether canonical composition may join or reorder the character with what stands before it.

    Those are marks, the medial and final jamo, and the vowel signs of Kirat Rai; some more than necessary, none less.
    """
    first = unicodedata.normalize("NFD", character)[0]
    is_mark = unicodedata.category(first)[0] == "M"
    return is_mark or "\u1160" <= first <= "\u11ff" or "\U00016d63" <= first <= "\U00016d6a"


NARROW_BY_CLASS: Mapping[str, str] = {
    "digits": "0123456789",
    "letters": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    "marks": "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
}
"""The characters of ASCII that have a full-width form, by class; the wide form stands 0xFEE0 behind the narrow one."""

_TO_WIDE = 0xFEE0


def width_convention(texts: Iterable[str]) -> str:
    """Say in which width texts write digits, Latin letters and ASCII marks: `digits=full letters=half`.

    A class that they write in both widths, or not at all, is left out: nothing can be said of it.
    """
    seen: set[str] = set()
    for text in texts:
        seen.update(text)
    conventions = []
    for name, narrow in NARROW_BY_CLASS.items():
        half, full = not seen.isdisjoint(narrow), not seen.isdisjoint(_wide(narrow))
        if half != full:
            conventions.append(f"{name}={'full' if full else 'half'}")
    return " ".join(conventions)


@cache
def width_folding(convention: str) -> Mapping[str, str]:
    """Return which character stands for which in texts of this convention, one for one; see `width_convention`."""
    table: dict[str, str] = {}
    for part in convention.split():
        name, _, width = part.partition("=")
        if name not in NARROW_BY_CLASS or width not in {"full", "half"}:
            raise UserError(
                f"'{part}' says nothing about the width of characters.",
                valid=f"CLASS=full or CLASS=half; classes: {', '.join(NARROW_BY_CLASS)}.",
            )
        narrow, wide = NARROW_BY_CLASS[name], _wide(NARROW_BY_CLASS[name])
        table.update(zip(narrow, wide, strict=True) if width == "full" else zip(wide, narrow, strict=True))
    return MappingProxyType(table)


def _wide(narrow: str) -> str:
    return "".join(chr(ord(character) + _TO_WIDE) for character in narrow)


_NUMERAL_WIDTHS = {
    code: code - 0xFEE0 for code in (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))
}
_NUMERAL_FORMS = str.maketrans(
    "．％／：∶－−＄￥萬億兩幾點餘數來個週歲壹贰貳叁參叄肆伍陆陸柒捌玖拾佰仟塊錢鎊盧魯蘭馬紐臺鐘時廳頃畝噸裡裏釐絲級攝對雙頓",
    ".%/::--$¥万亿两几点余数来个周岁一二二三三三四五六六七八九十百千块钱镑卢鲁兰马纽台钟时厅顷亩吨里里厘丝级摄对双顿",
)


def folded_numerals(content: str) -> str:
    """Return the text with ordinary digits, letters and numerals, character for character."""
    return content.translate(_NUMERAL_WIDTHS).translate(_NUMERAL_FORMS)


# --- script -----------------------------------------------------------------------------------------------------------


def to_simplified(text: str) -> str:
    """Return the text in simplified characters, by OpenCC's `t2s`; phrases decide where characters cannot."""
    utf8(text)
    return _converter("t2s")(text)


def to_traditional(text: str) -> str:
    """Return the text in traditional characters, by OpenCC's `s2t`, in OpenCC's own standard of variants."""
    utf8(text)
    return _converter("s2t")(text)


def script_of(text: str) -> Script:
    """Guess in which script a text is written.

    "both" means that every Chinese character in it belongs to both scripts, "mixed" that some belong to the one only
    and some to the other only, "none" that there is no Chinese character.
    """
    scripts = {_script_of_character(character) for character in set(_HAN.findall(text))}
    if not scripts:
        return "none"
    decided = scripts - {"both"}
    return "both" if not decided else "mixed" if len(decided) == 2 else decided.pop()


@cache
def _script_of_character(character: str) -> Script:
    """Judge by OpenCC whether another form exists, by the old national character sets whether this one is used as well.

    后 has the traditional form 後 but is a frequent character of Big5 itself (皇后); 乾 has the simplified form 干 but
    stands in GB 2312 (乾隆). 户 is the same in Hong Kong as in simplified writing.
    """
    # The character sets are asked first, for OpenCC takes long to load each of its tables.
    if not _in_gb2312(character) and _converter("t2s")(character) != character:
        return "traditional"
    if _is_frequent_in_big5(character):
        return "both"
    return "both" if any(_converter(table)(character) == character for table in ("s2t", "s2hk")) else "simplified"


def _in_gb2312(character: str) -> bool:
    return character.encode("gb2312", errors="ignore") != b""


def _is_frequent_in_big5(character: str) -> bool:
    # A440 to C67E is Big5's level of frequent characters; its rare level holds look-alikes such as 体 and 万.
    return b"\xa4\x40" <= character.encode("big5", errors="ignore") <= b"\xc6\x7e"


@cache
def _converter(configuration: str) -> Callable[[str], str]:
    try:
        from opencc import OpenCC
    except ImportError as error:
        raise missing_chinese_library("opencc", "Simplified and traditional characters") from error
    convert: Callable[[str], str] = OpenCC(configuration).convert
    return convert


def missing_chinese_library(library: str, purpose: str) -> UserError:
    """Return the error for a library of the extra `chinese` that is not installed."""
    return UserError(
        f"{purpose} need the library {library}, which is not installed.",
        remedy="Install it with: pip install 'hengliang[chinese]'",
    )
