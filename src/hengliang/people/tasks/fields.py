"""What did a participant put into a field of a form?

Nothing here raises, whatever was sent: what cannot be read is None or empty, and the task says what is wrong with it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from hengliang.core.terms import Bilingual
from hengliang.people.tasks.base import Problem

UNANSWERED = Bilingual("Please answer this question.", "请回答这个问题。")
STRANGE = Bilingual("Please choose one of the answers given.", "请从给出的答案中选择一个。")
UNREADABLE = Bilingual(
    "The answer holds characters that cannot be kept. Please write it again.", "回答中含有无法保存的字符，请重新填写。"
)

LONGEST_NUMBER = 24
"""No number that somebody types has more characters."""
LONGEST_SCALE = 64
"""No name of a scale has more characters."""

# Full-width digits and signs as Chinese input methods give them; other digits (², ①) are no numbers here.
_WIDE = str.maketrans("０１２３４５６７８９．－＋", "0123456789.-+")
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def field_of(scale: str) -> str:
    """Return the name of the field that answers a scale."""
    return f"answer-{scale}"


def field_id(field: str) -> str:
    """Return the id of the element in which a field is answered, to which a list of problems can link."""
    return "field-" + "".join(sign if re.fullmatch(r"[A-Za-z0-9-]", sign) else f"_{ord(sign):x}" for sign in field)


def sent(form: Mapping[str, str], field: str) -> str:
    """Return what was sent in a field; nothing, when it is not there or no text."""
    value: object = form.get(field, "")
    return value if isinstance(value, str) else ""


def decimal_number(text: str) -> float | None:
    """Return a number that was typed with ordinary or full-width digits, or nothing.

    >>> decimal_number(" ４２．５ "), decimal_number("NaN"), decimal_number("1e9")
    (42.5, None, None)
    """
    plain = text.strip().translate(_WIDE) if len(text) <= LONGEST_NUMBER else ""
    return float(plain) if re.fullmatch(r"[+-]?[0-9]+(\.[0-9]+)?", plain) else None


def whole_number(text: str) -> int | None:
    """Return a whole number, zero or more, that was typed with ordinary or full-width digits, or nothing."""
    plain = text.strip().translate(_WIDE) if len(text) <= LONGEST_NUMBER else ""
    return int(plain) if re.fullmatch(r"[0-9]+", plain) else None


def tidied(text: str) -> str:
    """Return a typed text in NFC, without spaces around it, with plain line ends; nothing, if nothing in it shows."""
    plain = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n")).strip()
    return plain if any(unicodedata.category(sign)[0] not in "CZ" for sign in plain) else ""


def unkept(text: str, *, lines: bool = False) -> bool:
    """Return whether a text holds what is no writing: control signs, halves of characters, turned directions."""
    allowed = "\n\t" if lines else ""
    return any(
        sign in _BIDI or (unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") and sign not in allowed)
        for sign in text
    )


def text_problem(field: str, raw: str, longest: int, *, lines: bool = False) -> Problem | None:
    """Return what is wrong with a written answer: it is missing, too long, or holds what is no writing."""
    # Oversized input is measured before it is worked on.
    if len(raw) > 4 * longest + 100:
        return too_long(field, longest)
    text = tidied(raw)
    if unkept(raw.replace("\r", "\n").strip(), lines=lines):
        return Problem(field, UNREADABLE)
    if not text:
        return Problem(field, UNANSWERED)
    return too_long(field, longest) if len(text) > longest else None


def too_long(field: str, longest: int) -> Problem:
    """Return the problem of an answer that is too long."""
    return Problem(
        field,
        Bilingual(
            f"Please use at most {longest} character{'' if longest == 1 else 's'}.",
            f"请不要超过 {longest} 个字符。",
        ),
    )
