"""How is a description in logical form said in Mandarin?

Each expression becomes a clause: a wording of its quantifier that grammar allows here, with the phrases of its
properties. What the sentence before was about is taken up by 其中 or 它们. Classifiers are left open until the text is
finished, then a classifier chooser is asked for all of them at once. The grammar that reads descriptions gives back
exactly the expressions that were put in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from hengliang.core.errors import UserError
from hengliang.materials.chinese_numerals import chinese_numeral, counting_numeral
from hengliang.materials.quantified_expressions import Description, Expression
from hengliang.materials.quantified_properties import OBJECT, Property, both
from hengliang.materials.quantifiers import quantifier
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.systems.classifier_choosers.base import ClassifierChooser
from hengliang.systems.describers.mandarin_classifiers import filled, open_slot
from hengliang.systems.describers.mandarin_phrases import AND, DE, OR, Phrases
from hengliang.systems.describers.mandarin_wordings import (
    EVERY_KIND,
    EXCEPTION,
    IN_THE_PICTURE,
    NOTHING_ELSE,
    OTHER_HALF,
    REST,
    REST_OF_THEM,
    WORDINGS,
    Use,
    Wording,
)
from hengliang.systems.readers.mandarin_discourse import antecedent

Chosen = TypeVar("Chosen")

# After these there are things to speak of by 其中; after 没有 and comparisons there are none.
_UNMENTIONED = frozenset(("no", "not all", "few"))
# Where a clause begins with a bare noun.
_ALL_THINGS = re.compile(r"(?:^|(?<=外，))\{A\}中?")
_ALL_OF_A_NOUN = re.compile(r"(?:^|(?<=外，))\{A\}(?=都|全)")


def realise_mandarin(
    expressions: Description,
    domain: Domain = DEFAULT_DOMAIN,
    random: Random | None = None,
    chooser: ClassifierChooser | None = None,
) -> str:
    """Return a description in Mandarin; without `random` in the plainest wording, without `chooser` with 个.

    >>> from hengliang.materials.quantified_properties import prop
    >>> all_square = Expression("all", OBJECT, prop("square"))
    >>> realise_mandarin((all_square, Expression("half", prop("square"), prop("blue"))))
    '所有的图形都是方形。其中一半是蓝色的。'
    """
    teller = _Teller(domain, random)
    return filled("".join(teller.tell(expression) for expression in expressions) + teller.end(), chooser)


@dataclass(slots=True)
class _Teller:
    """Says one expression after the other, and knows what the last one was about."""

    domain: Domain
    random: Random | None
    behind: Property | None = None
    """What 其中 can speak of; None where it would be odd."""
    begun: bool = False

    def tell(self, expression: Expression) -> str:
        _check(expression, self.domain)
        taken_up = self._takes_up(expression)
        wording = self._wording(expression, taken_up)
        if not taken_up:
            self.behind = self._left_behind(expression)
        # After a comma, the rest would be what is left of the whole sentence.
        goes_on = taken_up and expression.rest is None and self._chance(0.5)
        mark = "" if not self.begun else "，" if goes_on else "。"
        self.begun = True
        clause = mark + self._said(wording.text, expression)
        if expression.rest is not None:
            self.behind = None
        if expression.rest is not None and "{C}" not in wording.text:
            clause += "，" + self._said(self._rest(expression, expression.rest), expression)
        return clause

    def end(self) -> str:
        return "。" if self.begun else ""

    def _takes_up(self, expression: Expression) -> bool:
        has_wording = any(wording.use == "anaphoric" for wording in WORDINGS[expression.quantifier])
        same = self.behind is not None and expression.first == self.behind and self.behind != OBJECT
        return same and has_wording and not self._chance(0.3)

    def _left_behind(self, expression: Expression) -> Property | None:
        said = expression.quantifier not in _UNMENTIONED and quantifier(expression.quantifier).form != "comparison"
        return antecedent(expression, self.domain) if said else None

    def _wording(self, expression: Expression, taken_up: bool) -> Wording:
        """Return one of the wordings that grammar allows here."""
        if expression.quantifier == "all kinds" and expression.first == OBJECT and not self._chance(0.5):
            return Wording(EVERY_KIND)
        if expression.quantifier == "only" and expression.second == OBJECT:
            return Wording(self._one_of(NOTHING_ELSE))
        if expression.quantifier == "all but" and expression.rest not in {None, OBJECT, expression.first}:
            return Wording(self._one_of(self._without_second_de(EXCEPTION, expression)))
        uses: set[Use] = {"anaphoric"} if taken_up else {"full"}
        if not taken_up and expression.first == OBJECT:
            uses |= {"existential"} if expression.second.single else set()
            uses |= {"opening"} if not self.begun else set()
        allowed = [wording for wording in WORDINGS[expression.quantifier] if wording.use in uses]
        if expression.quantifier == "equal" and not self._joins_by_and(expression):
            allowed = [wording for wording in allowed if "数量和" in wording.text]
        texts = self._without_second_de([wording.text for wording in allowed], expression)
        return self._one_of([wording for wording in allowed if wording.text in texts])

    def _without_second_de(self, wordings: Sequence[str], expression: Expression) -> list[str]:
        """Return the wordings that put no 的 before a phrase that has its own: 所有生气的人, not 所有的生气的人."""
        marked = DE in self._phrases.things(expression.first, compact=True)
        return [wording for wording in wordings if not marked or DE + "{A}" not in wording]

    def _joins_by_and(self, expression: Expression) -> bool:
        """Whether 和 between two phrases is not taken for one within them, or one that an adjective reaches over."""
        alone = expression.first.single and expression.second.single and expression.first != expression.second
        return alone and DE not in self._phrases.things(expression.first, compact=True)

    def _said(self, wording: str, expression: Expression) -> str:
        phrases, numbers, rest = self._phrases, expression.numbers, expression.rest or OBJECT
        form = quantifier(expression.quantifier).form
        compact = form == "comparison"
        joining = OR if "{a}" in wording and "每" not in wording else AND
        if form not in {"comparison", "kinds"} and self._is_bare(expression.first):
            wording = (_ALL_THINGS if expression.first == OBJECT else _ALL_OF_A_NOUN).sub(IN_THE_PICTURE, wording)
        return wording.format(
            A=phrases.things(expression.first, joining, compact or DE + "{A}" in wording),
            a=open_slot(phrases.noun(expression.first.terms[0])),
            B=phrases.predicate(expression.second),
            P=phrases.things(expression.second, AND if compact else OR, compact),
            p=open_slot(phrases.noun(expression.second.terms[0])),
            n=counting_numeral(numbers[0]) if numbers else "",
            t=counting_numeral(numbers[0]) if numbers else "",
            f=_fraction(*numbers) if len(numbers) == 2 else "",
            C=phrases.things(rest, OR) if "{c}" in wording else phrases.predicate(rest),
            c=open_slot(phrases.noun(rest.terms[0])),
        )

    def _is_bare(self, what: Property) -> bool:
        return what.single and self._phrases.thing(what.terms[0], compact=True) == self._phrases.noun(what.terms[0])

    def _rest(self, expression: Expression, rest: Property) -> str:
        if not both(expression.first, rest, self.domain).terms:
            # Without their name one would take the rest of all things to be meant.
            return self._without_second_de(REST_OF_THEM, expression)[0]
        return self._one_of((*REST, OTHER_HALF) if expression.quantifier == "half" else REST)

    @property
    def _phrases(self) -> Phrases:
        return Phrases(self.domain, self.random)

    def _one_of(self, choices: Sequence[Chosen]) -> Chosen:
        return choices[0] if self.random is None else self.random.choice(choices)

    def _chance(self, share: float) -> bool:
        return self.random is not None and self.random.random() < share


def _fraction(part: int, whole: int) -> str:
    """Return a fraction in words; hundredths in figures, since 百分之 is a percentage and would be shortened."""
    return f"{part}/{whole}" if whole == 100 else f"{chinese_numeral(whole)}分之{chinese_numeral(part)}"


def _check(expression: Expression, domain: Domain) -> None:
    """Refuse what has no words here."""
    held = quantifier(expression.quantifier)
    if len(expression.numbers) != held.numbers:
        raise UserError(
            f"'{held.name}' was given {len(expression.numbers)} numbers.", valid=f"It takes {held.numbers}."
        )
    rest: Iterable[Property] = (expression.rest,) if expression.rest is not None else ()
    names = [name for held in (expression.first, expression.second, *rest) for term in held.terms for name in term]
    wrong = next((name for name in names if name not in domain.values), None)
    if wrong is not None:
        raise UserError(f"Nothing is '{wrong}' in {domain.name}.", valid=f"Values: {', '.join(domain.values)}.")
