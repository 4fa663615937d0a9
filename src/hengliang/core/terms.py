"""Texts in two languages, and the glossary: what factors and levels are called in reports.

Reports and pages speak English and Chinese, so that every text in them is a `Bilingual`. The glossary holds the titles
that subjects register for the factors and levels of their tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Literal

from hengliang.core.closure import outside_signatures
from hengliang.core.errors import UserError
from hengliang.core.registry import load_plugins

# --- texts in two languages -------------------------------------------------------------------------------------------

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")


@dataclass(frozen=True, slots=True)
class Bilingual:
    """One text in both languages that reports and pages speak."""

    en: str
    zh: str

    def __getitem__(self, language: Language) -> str:
        return self.en if language == "en" else self.zh

    def to_json(self) -> dict[str, str]:
        """Return the text as a JSON object."""
        return {"en": self.en, "zh": self.zh}


def both(text: str | Bilingual) -> Bilingual:
    """Return `text` as it is when it has two languages, else the same words for both."""
    return text if isinstance(text, Bilingual) else Bilingual(text, text)


# --- glossary ---------------------------------------------------------------------------------------------------------
# A general analysis compares whatever it is given and knows no subject. A subject says what its factors and levels are
# called: a module of it that is a plug-in calls `add_terms` when it is imported. Whoever asks for titles has all such
# modules imported first, so that what a report says never depends on what else has been used.

Titles = Mapping[str, Bilingual]

_NONE: Titles = MappingProxyType({})
_factors: dict[str, Bilingual] = {}
_levels: dict[str, dict[str, Bilingual]] = {}


def add_terms(factors: Titles = _NONE, levels: Titles = _NONE, *, of: str = "") -> None:
    """Say what factors are called, and levels: those of the factor `of`, in their order, or else of any factor."""
    _add(_factors, factors)
    _add(_levels.setdefault(of, {}), levels)


def _add(known: dict[str, Bilingual], titles: Titles) -> None:
    for name, title in titles.items():
        if known.setdefault(name, title) != title:
            raise UserError(
                f"'{name}' is called '{known[name].en}' by one subject and '{title.en}' by another.",
                remedy="Agree on one title, or say of which factor the level is: add_terms(levels=…, of=…)",
            )


@outside_signatures("a title changes no number")
def factor_titles() -> Titles:
    """Return what the factors of all subjects are called."""
    _load()
    return MappingProxyType(_factors)


@outside_signatures("a title changes no number")
def level_titles(of: str = "") -> Titles:
    """Return what the levels of a factor are called, in their order; without a factor, those that any may have."""
    _load()
    return MappingProxyType(_levels.get(of, {}))


@cache
def _load() -> None:
    load_plugins(calling=add_terms.__name__)
