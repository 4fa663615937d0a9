"""Of which kinds can the things in a scene be, and with which words are they called?

Attributes and their values are data. The default is that of paper 001: colour {blue, red} × shape {square, circle}. One
attribute gives the noun (a *circle*), the others adjectives (a *blue* circle). A domain of one's own is a TOML file.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated

from hengliang.core.errors import UserError
from hengliang.core.settings import NOT_BLANK, Key, Must, read_settings
from hengliang.core.signature import Signature, digest

CODE = re.compile(r"[A-Z][a-z]?")
NAME = re.compile(r"[^\W\d_][\w-]*")
RESERVED = ("object", "nothing", "or", "rest")
"""Words of logical forms, which therefore cannot be the name of a value."""
_COUNTING = """
    a all an and any both each every exactly few fewer half least less many more most neither no none not nothing only
    or other others rest several some than the
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty hundred
    一半 半数 所有 全部 全都 大多数 大部分 多数 少数 一些 有些 某些 几个 很多 许多 没有 只有 唯一
    每 每个 每一个 各 都 不 不是 其余 其他 其它 其中 剩下 剩余 至少 最多 超过 不到 和 或 与 的 是 有
    零 一 二 两 三 四 五 六 七 八 九 十 百
"""
GRAMMAR_WORDS = frozenset(_COUNTING.split())
"""Words by which descriptions count and compare: as the word for a value or a thing they could not be understood."""


@dataclass(frozen=True, slots=True)
class Value:
    """One value of an attribute: its name, its letter in codes such as BS=2, and its words.

    `english` is the adjective or the singular noun, `plural` that of a noun; `drawn` is how it is drawn: a colour, or
    a shape. The other words are understood when somebody else uses them, and never written.
    """

    name: str
    code: str
    english: str
    chinese: str
    plural: str = ""
    drawn: str = ""
    other_english: tuple[str, ...] = ()
    other_chinese: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """All words that mean it, in both languages."""
        own = (self.english, self.plural, self.chinese, *self.other_english, *self.other_chinese)
        return tuple(word for word in own if word)


@dataclass(frozen=True, slots=True)
class Attribute:
    """What things differ in; `noun` marks the attribute whose values are nouns."""

    name: str
    values: tuple[Value, ...]
    noun: bool = False


@dataclass(frozen=True)
class Domain:
    """The attributes of the things in a scene, and the word for a thing of any kind."""

    name: str
    attributes: tuple[Attribute, ...]
    english: str = "object"
    plural: str = "objects"
    chinese: str = "图形"
    other_english: tuple[str, ...] = ("shape", "shapes", "item", "items", "figure", "figures", "thing", "things")
    other_chinese: tuple[str, ...] = ("物体", "东西", "形状")

    @cached_property
    def kinds(self) -> tuple[tuple[Value, ...], ...]:
        """All kinds, each one value an attribute, the last attribute changing fastest."""
        return tuple(itertools.product(*(attribute.values for attribute in self.attributes)))

    @cached_property
    def codes(self) -> tuple[str, ...]:
        """The code of each kind: BS, BC, RS, RC."""
        return tuple("".join(value.code for value in kind) for kind in self.kinds)

    @cached_property
    def kind_names(self) -> tuple[str, ...]:
        """The name of each kind: blue square, blue circle, …"""
        return tuple(" ".join(value.name for value in kind) for kind in self.kinds)

    @cached_property
    def values(self) -> dict[str, Value]:
        """All values by name."""
        return {value.name: value for attribute in self.attributes for value in attribute.values}

    @cached_property
    def attribute_of(self) -> dict[str, int]:
        """The place of the attribute to which each value belongs."""
        return {value.name: place for place, one in enumerate(self.attributes) for value in one.values}

    @cached_property
    def everything(self) -> int:
        """The mask of all kinds."""
        return (1 << len(self.kinds)) - 1

    @property
    def noun(self) -> Attribute | None:
        """The attribute whose values are nouns; where there is none, things are called objects."""
        return next((attribute for attribute in self.attributes if attribute.noun), None)

    @cached_property
    def masks(self) -> dict[str, int]:
        """Which kinds have a value, as a bit mask, by the name of the value."""
        return {
            name: sum(1 << place for place, kind in enumerate(self.kinds) if any(held.name == name for held in kind))
            for name in self.values
        }

    def signature(self) -> Signature:
        """Return the name, and a hash of attributes, values and words, for the signatures of who speaks of it."""
        return Signature.of(name=self.name, content=digest(repr(self)))


COLOUR = Attribute(
    "colour",
    (
        Value("blue", "B", "blue", "蓝色", drawn="#1f5fbf", other_english=("blues",), other_chinese=("蓝",)),
        Value("red", "R", "red", "红色", drawn="#c8281e", other_english=("reds",), other_chinese=("红",)),
    ),
)
SHAPE = Attribute(
    "shape",
    (
        Value("square", "S", "square", "方形", "squares", "square", ("squared",), ("正方形", "方块", "方")),
        Value(
            "circle",
            "C",
            "circle",
            "圆形",
            "circles",
            "circle",
            ("round", "circular", "dot", "dots", "bullet", "bullets"),
            ("圆圈", "圆"),
        ),
    ),
    noun=True,
)
DEFAULT_DOMAIN = Domain("circles and squares", (COLOUR, SHAPE))
"""The domain of paper 001 and of the QTUNA corpus."""


def _fewer_than_two(values: Mapping[str, object]) -> str | None:
    return "" if len(values) < 2 else None


def _none(several: Sequence[object]) -> str | None:
    return None if several else ""


Word = Annotated[str, NOT_BLANK]


@dataclass(frozen=True, slots=True)
class _WrittenValue:
    """A value as a file has it; what it leaves out follows from its name."""

    code: str
    zh: Word
    en: Annotated[str | None, NOT_BLANK] = None
    plural: Annotated[str | None, NOT_BLANK] = None
    drawn: str = ""
    other_en: tuple[Word, ...] = ()
    other_zh: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True)
class _WrittenAttribute:
    """An attribute as a file has it."""

    name: str
    values: Annotated[
        Mapping[str, _WrittenValue],
        Must(_fewer_than_two, 'Two values or more: [attributes.values.black] with code = "B" and zh = "黑色".'),
    ]
    noun: bool = False


@dataclass(frozen=True, slots=True)
class _WrittenThing:
    """The word for a thing of any kind as a file has it."""

    en: Annotated[str | None, NOT_BLANK] = None
    plural: Annotated[str | None, NOT_BLANK] = None
    zh: Annotated[str | None, NOT_BLANK] = None
    other_en: tuple[Word, ...] | None = None
    other_zh: tuple[Word, ...] | None = None


@dataclass(frozen=True, slots=True)
class _WrittenDomain:
    """A domain as a file has it."""

    attributes: Annotated[
        tuple[_WrittenAttribute, ...], Must(_none, "One [[attributes]] for each attribute, with its values.")
    ]
    name: str | None = None
    thing: Annotated[_WrittenThing, Key("object")] = _WrittenThing()


def read_domain(path: Path) -> Domain:
    """Return the domain that a TOML file describes, or say what is wrong with it."""
    written = read_settings(_WrittenDomain, path)
    attributes = tuple(
        Attribute(one.name, tuple(_value(name, each, one.noun) for name, each in one.values.items()), one.noun)
        for one in written.attributes
    )
    thing = written.thing
    english = _stripped(thing.en) or Domain.english
    # Who calls an object an animal does not call it a shape; who leaves it an object may.
    taken = {word for one in attributes for value in one.values for word in value.words}
    other_english = () if thing.en else tuple(word for word in Domain.other_english if word not in taken)
    other_chinese = () if thing.zh else tuple(word for word in Domain.other_chinese if word not in taken)
    domain = Domain(
        path.stem if written.name is None else written.name,
        attributes,
        english,
        _stripped(thing.plural) or plural_of(english),
        _stripped(thing.zh) or Domain.chinese,
        other_english if thing.other_en is None else _words(thing.other_en),
        other_chinese if thing.other_zh is None else _words(thing.other_zh),
    )
    return checked_domain(domain, str(path))


def _value(name: str, written: _WrittenValue, noun: bool) -> Value:
    english = _stripped(written.en) or name
    return Value(
        name,
        written.code,
        english,
        written.zh.strip(),
        (_stripped(written.plural) or plural_of(english)) if noun else "",
        written.drawn.strip(),
        _words(written.other_en),
        _words(written.other_zh),
    )


def _stripped(word: str | None) -> str:
    return (word or "").strip()


def _words(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(word.strip() for word in words)


def plural_of(noun: str) -> str:
    """Return the regular plural of an English noun: box, boxes; potato, potatoes; fly, flies; ray, rays."""
    if re.search(r"(s|x|z|ch|sh)$", noun):
        return f"{noun}es"
    if re.search(r"[^aeiou]o$", noun):
        return f"{noun}es"
    return f"{noun[:-1]}ies" if re.search(r"[^aeiou]y$", noun) else f"{noun}s"


def checked_domain(domain: Domain, where: str) -> Domain:
    """Return the domain when its names and codes tell all kinds apart, else say which do not."""
    names = [value.name for attribute in domain.attributes for value in attribute.values]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise UserError(f"Two values in {where} are called '{twice}'.")
    for name in names:
        if not NAME.fullmatch(name) or name in RESERVED:
            raise UserError(
                f"'{name}' cannot be the name of a value in {where}.",
                valid=f"One word of letters, digits and hyphens, and none of {', '.join(RESERVED)}.",
                remedy='What is written may have several words: en = "light blue".',
            )
    wrong = next((value for value in domain.values.values() if not CODE.fullmatch(value.code)), None)
    if wrong:
        raise UserError(
            f"'{wrong.code}' cannot be the code of '{wrong.name}' in {where}.",
            valid="A capital letter, or one and a small letter.",
        )
    if len({code.upper() for code in domain.codes}) < len(domain.codes):  # who types a code need not heed its case
        raise UserError(f"Two kinds in {where} have the same code.", valid=f"Codes here: {', '.join(domain.codes)}.")
    if sum(attribute.noun for attribute in domain.attributes) > 1:
        raise UserError(f"Two attributes in {where} are nouns.", valid="One at most: noun = true.")
    _words_apart(domain, where)
    return domain


def _words_apart(domain: Domain, where: str) -> None:
    """Refuse a word that means two things: whoever reads it could not tell which."""
    meant: dict[str, str] = {}
    words = [(RESERVED[0], word) for word in (domain.english, domain.plural, domain.chinese)]
    words += [(RESERVED[0], word) for word in (*domain.other_english, *domain.other_chinese)]
    for value in domain.values.values():
        words += [(value.name, word) for word in value.words]
    for name, word in words:
        if word.lower() in GRAMMAR_WORDS:
            raise UserError(
                f"'{word}' in {where} cannot be a word for '{name}': descriptions count or compare with it.",
                valid="Words that name a thing or say what it is like.",
                remedy=f'Choose another word for \'{name}\': en = "…", zh = "…".',
            )
        if meant.setdefault(word.lower(), name) != name:
            raise UserError(f"The word '{word}' in {where} means both '{meant[word.lower()]}' and '{name}'.")
