"""Terms: what the factors of a table and their levels are called in a report, in both languages.

A general analysis compares whatever it is given and knows no subject. A subject says what its factors and levels are
called: a module of it that is a plug-in calls `add_terms` when it is imported. Who asks for titles has all such modules
imported first, so that what a report says never depends on what else has been used.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from hengliang.bilingual import Bilingual
from hengliang.closure import outside_signatures
from hengliang.errors import UserError
from hengliang.registry import load_plugins

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
