"""Which kind of thing does a name mean: BS, blue square, blue_squares, 蓝色方形?"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from hengliang.core.errors import UserError
from hengliang.materials.kind_words import kind_words, listed_kinds
from hengliang.materials.scene_domains import Domain


@lru_cache(maxsize=32)
def kind_places(domain: Domain) -> Mapping[str, int]:
    """Return the place of the kind that each known name means."""
    places: dict[str, int] = {}
    for place, (code, kind) in enumerate(zip(domain.codes, domain.kinds, strict=True)):
        singular = " ".join(value.name for value in kind)
        plural = " ".join(value.plural or value.english for value in kind)
        chinese = "".join(value.chinese for value in kind)
        shown = " ".join(value.english for value in kind)
        written = kind_words(domain, kind)
        for name in (code, singular, plural, shown, written.en, chinese, written.zh, chinese.replace("色", "")):
            places.setdefault(_plain(name), place)
    return places


def _plain(name: str) -> str:
    return " ".join(name.replace("_", " ").replace("-", " ").lower().split())


def kind_place(name: str, domain: Domain) -> int | None:
    """Return the place of the kind that a name means, or nothing."""
    return kind_places(domain).get(_plain(name))


def named_kind(name: str, domain: Domain, where: str) -> int:
    """Return the place of the kind that a name means, or say which kinds there are."""
    place = kind_place(name, domain)
    if place is None:
        raise UserError(f"{where}: there is no kind '{name}'.", valid=f"Kinds: {listed_kinds(domain)}.")
    return place
