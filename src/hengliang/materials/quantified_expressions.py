"""What does a quantified expression say about a scene, and which scenes are consistent with several of them?

An expression is a logical form: a quantifier and the properties that fill its places. What it means is a set of scenes
of a given size, in the semantic or in the pragmatic reading. A description is a sequence of expressions; it is
logically complete when exactly one scene is consistent with all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hengliang.core.errors import UserError
from hengliang.materials.quantified_properties import OBJECT, Property, prop, read_property
from hengliang.materials.quantifiers import Numbers, Quantifier, Reading, quantifier
from hengliang.materials.scene_domains import Domain
from hengliang.materials.scenes import Scene, SceneSpace

_WRITTEN = re.compile(r"(?P<name>[^(]+)\((?:(?P<numbers>\d{1,9}(?:[/, ]+\d{1,9})*\s*);)?(?P<places>[^()]*)\)")


@dataclass(frozen=True, slots=True)
class Expression:
    """A quantifier with its numbers, what it is about (`first`), what is said of it (`second`) and of the rest.

    `most(object, blue square)` is Expression("most", OBJECT, prop("blue", "square")). Of the form "kinds" only `first`
    is used: its terms are the kinds that are there (*there are*), or all kinds that have it are (*all possible kinds*).
    """

    quantifier: str
    first: Property = OBJECT
    second: Property = OBJECT
    numbers: Numbers = ()
    rest: Property | None = None

    def __str__(self) -> str:
        numbers = "/".join(map(str, self.numbers)) + "; " if self.numbers else ""
        kinds = quantifier(self.quantifier).form == "kinds"
        places = str(self.first) if kinds else f"{self.first}, {self.second}"
        rest = f", rest {self.rest}" if self.rest is not None else ""
        return f"{self.quantifier}({numbers}{places}{rest})"


Description = tuple[Expression, ...]

EXISTENTIAL = frozenset({"number", "exactly", "at least", "only one", "some", "a few", "a couple", "several"})
"""Quantifiers that say of any object that there are some that are so: *there is one blue circle*."""


@dataclass(frozen=True, slots=True)
class Counting:
    """Which sums over kinds an expression looks at: x, y, and the things of the rest that are not as they should be.

    Of the form "kinds" it is the masks of the terms, and what none of them covers.
    """

    quantifier: Quantifier
    x: int
    y: int
    amiss: int = 0
    terms: tuple[int, ...] = ()


def counting(expression: Expression, domain: Domain) -> Counting:
    """Return the masks of the kinds whose numbers decide whether an expression is true."""
    held = quantifier(expression.quantifier)
    first, second = expression.first.mask(domain), expression.second.mask(domain)
    if held.form == "kinds":
        terms = tuple(Property((term,)).mask(domain) for term in expression.first.terms)
        if held.name != "there are":
            terms = tuple(1 << place for place in range(len(domain.kinds)) if first >> place & 1)
        return Counting(held, 0, 0, domain.everything & ~first if held.name == "there are" else 0, terms)
    amiss = 0 if expression.rest is None else first & ~second & ~expression.rest.mask(domain)
    if held.form == "comparison":
        return Counting(held, first, second, amiss)
    return Counting(held, second if held.form == "only" else first, first & second, amiss)


def is_true(expression: Expression, scene: Scene, reading: Reading = "pragmatic") -> bool:
    """Return whether an expression is true of a scene."""
    seen = counting(expression, scene.domain)
    if seen.quantifier.form == "kinds":
        counts = [np.asarray(scene.number_of(mask)) for mask in seen.terms]
        outside = np.asarray(scene.number_of(seen.amiss))
        return bool(_kinds_hold(expression, counts, outside, reading))
    true = seen.quantifier.holds(
        scene.number_of(seen.x), scene.number_of(seen.y), expression.numbers, scene.size, reading
    )
    return bool(true) and (not seen.amiss or scene.number_of(seen.amiss) == 0) and _rest_is_there(expression, scene)


def _rest_is_there(expression: Expression, scene: Scene) -> bool:
    """There is a rest to speak of: part of the meaning of *the rest*, in both readings."""
    if expression.rest is None:
        return True
    first, second = expression.first.mask(scene.domain), expression.second.mask(scene.domain)
    return scene.number_of(first & ~second) >= 1


def _kinds_hold(
    expression: Expression, counts: list[NDArray[np.int16]], outside: NDArray[np.int16], reading: Reading
) -> NDArray[np.bool_]:
    """Return where every kind is there; in the pragmatic reading of *there are* no others.

    A kind that is listed may have a single member: people list such kinds in the plural, and Mandarin nouns have no
    number. *Two of each kind* says of each what the number alone would say of it.
    """
    name = expression.quantifier
    true = np.ones(outside.shape, bool)
    for count in counts:
        if name == "of each kind":
            true &= quantifier("number").holds(count, count, expression.numbers, 0, reading)
        else:
            true &= count >= 1
    return true & (outside == 0) if name == "there are" and reading == "pragmatic" else true


def denotation(expression: Expression, space: SceneSpace, reading: Reading = "pragmatic") -> int:
    """Return the set of the scenes of which an expression is true."""
    seen = counting(expression, space.domain)
    if seen.quantifier.form == "kinds":
        counts = [space.sums(mask) for mask in seen.terms]
        return space.set_of(_kinds_hold(expression, counts, space.sums(seen.amiss), reading))
    x, y = space.sums(seen.x), space.sums(seen.y)
    true = seen.quantifier.holds(x, y, expression.numbers, space.size, reading)
    if expression.rest is not None:
        first, second = expression.first.mask(space.domain), expression.second.mask(space.domain)
        true = true & (space.sums(seen.amiss) == 0) & (space.sums(first & ~second) >= 1)
    return space.set_of(true)


@dataclass(frozen=True, slots=True)
class Together:
    """The scenes that several expressions leave, those of each, and whether *there are* was read jointly.

    Where none is left, `sets` are those of the joint reading, if one was tried: what clashes then clashes in any way.
    """

    scenes: int
    sets: tuple[int, ...]
    joint: bool = False


def taken_together(expressions: Sequence[Expression], space: SceneSpace, reading: Reading = "pragmatic") -> Together:
    """Return what several expressions leave.

    *There are* conveys that there is nothing else, at first by itself. If no scene is left so, nothing else is there
    than what all of the description says to be there: *There are squares. There are circles. One thing is a star.*
    """
    sets = tuple(denotation(expression, space, reading) for expression in expressions)
    found = Together(_common(sets, space), sets)
    if found.scenes or reading == "semantic" or not any(one.quantifier == "there are" for one in expressions):
        return found
    outside = space.domain.everything
    for expression in expressions:
        outside &= ~_said_to_be_there(expression, space.domain)
    nothing_else = space.set_of(space.sums(outside) == 0)
    sets = tuple(
        denotation(expression, space, "semantic") & nothing_else if expression.quantifier == "there are" else alone
        for expression, alone in zip(expressions, sets, strict=True)
    )
    scenes = _common(sets, space)
    return Together(scenes, sets, joint=scenes != 0)


def _common(sets: Iterable[int], space: SceneSpace) -> int:
    found = space.everything
    for one in sets:
        found &= one
    return found


def _said_to_be_there(expression: Expression, domain: Domain) -> int:
    """Return the kinds that *there are*, or that some things in the whole scene are said to be."""
    if expression.quantifier == "there are":
        return expression.first.mask(domain)
    if expression.quantifier not in EXISTENTIAL or expression.first != OBJECT:
        return 0
    rest = 0 if expression.rest is None else expression.rest.mask(domain)
    return expression.second.mask(domain) | rest


def consistent(expressions: Iterable[Expression], space: SceneSpace, reading: Reading = "pragmatic") -> int:
    """Return the set of the scenes that are consistent with all expressions, taken together."""
    return taken_together(tuple(expressions), space, reading).scenes


def is_complete(expressions: Iterable[Expression], space: SceneSpace, reading: Reading = "pragmatic") -> bool:
    """Return whether a description leaves exactly one scene: logical completeness."""
    return consistent(expressions, space, reading).bit_count() == 1


def discriminatory_power(expression: Expression, among: int, space: SceneSpace, reading: Reading = "pragmatic") -> int:
    """Return how many scenes of a set an expression rules out."""
    return among.bit_count() - (among & denotation(expression, space, reading)).bit_count()


def read_expression(text: str, domain: Domain) -> Expression:
    """Return the expression that a logical form writes: `most(object, blue square)`, `fraction(1/4; object, red)`."""
    found = _WRITTEN.fullmatch(text.strip())
    if found is None:
        raise UserError(f"'{text}' is no logical form.", valid="For example most(object, blue square).")
    held = quantifier(found["name"].strip())
    numbers = tuple(int(one) for one in re.findall(r"\d+", found["numbers"] or ""))
    places = [place.strip() for place in found["places"].split(",")]
    rest = [place.removeprefix("rest ") for place in places if place.startswith("rest ")]
    filled = [read_property(place, domain) for place in places if not place.startswith("rest ")]
    wanted = 1 if held.form == "kinds" else 2
    if len(filled) != wanted or len(numbers) != held.numbers or len(rest) > 1 or (rest and not held.rest):
        raise UserError(
            f"'{text}' does not fill the places of '{held.name}'.",
            valid=f"{wanted} properties, {held.numbers} numbers" + (", and a rest." if held.rest else "."),
        )
    second = filled[1] if wanted == 2 else prop()
    return Expression(held.name, filled[0], second, numbers, read_property(rest[0], domain) if rest else None)
