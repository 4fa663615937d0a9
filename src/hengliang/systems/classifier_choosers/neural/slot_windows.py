"""What does a network see of a sentence: how much before the slot, how much after it, and the noun?

A sentence may be long, and the noun far from its slot. So a window is cut around the slot, and the noun is shown beside
it, wherever in the sentence it stands.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from hengliang.core.errors import UserError

LONGEST_NOUN = 16
"""Symbols of a noun that are seen, counted from its end: there stands the head of a Chinese compound."""


@dataclass(frozen=True, slots=True)
class SlotWindow:
    """What stands before a slot and after it, and the noun, which may be empty."""

    before: str
    after: str
    noun: str


def slot_windows(slots: pl.DataFrame, reach: int) -> list[SlotWindow]:
    """Return the window of each slot (`SLOT_SCHEMA`): at most `reach` characters on either side."""
    check_whole("window", reach, 1)
    return [
        _window(sentence, place, noun, reach)
        for sentence, place, noun in slots.select("sentence", "slot", "noun").iter_rows()
    ]


def _window(sentence: str, place: int, noun: str | None, reach: int) -> SlotWindow:
    raw = sentence.encode()
    # A character has at most four bytes; what is cut in two at the rim lies outside the window anyway.
    before = raw[max(0, place - 4 * reach) : place].decode(errors="ignore")
    after = raw[place : place + 4 * reach].decode(errors="ignore")
    return SlotWindow(before[-reach:], after[:reach], noun or "")


def folded(text: str) -> str:
    """Return the text without differences that no classifier depends on: width, case, and which digit it is."""
    return "".join(
        "0" if character.isdecimal() else character for character in unicodedata.normalize("NFKC", text).lower()
    )


def characters_of(windows: Iterable[SlotWindow]) -> list[str]:
    """Return all characters of the windows, folded, once each, in the order of their code points."""
    seen: set[str] = set()
    for window in windows:
        seen.update(folded(window.before), folded(window.after), folded(window.noun))
    return sorted(seen)


def check_share(name: str, value: float) -> None:
    """Refuse a number that cannot be a share of something that is left out."""
    if not 0 <= value < 1:
        raise UserError(f"{name}={value!r} is not possible.", valid="A number from 0, below 1.")


def check_whole(name: str, value: int, least: int) -> None:
    """Refuse a number that cannot be the size of something."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise UserError(f"{name}={value!r} is not possible.", valid=f"A whole number from {least}.")
