"""What do 其中, 它们 and a subject that is left out refer to in a Mandarin description?

A sentence leaves behind the things that it was about: after 所有的图形都是方形 those are the squares, after
有三个圆形 the circles. 其中 and 它们 speak of them, and leave them as they were, so that several clauses with 其中 can
follow. A clause without a subject goes on with the topic: what the sentence before was said of.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from hengliang.materials.quantified_expressions import Expression
from hengliang.materials.quantified_properties import OBJECT, Property, both
from hengliang.materials.quantifiers import quantifier
from hengliang.materials.scene_domains import Domain

# After these nothing has the property that was spoken of, or one does not know what has.
_DENYING = frozenset(("no", "not all"))


def antecedent(expression: Expression, domain: Domain) -> Property:
    """Return the things that an expression leaves behind for 其中 and 它们."""
    form = quantifier(expression.quantifier).form
    if form == "comparison":
        return OBJECT
    if form == "kinds" or expression.quantifier in _DENYING:
        return expression.first
    second = expression.second if expression.rest is None else expression.rest
    found = both(expression.first, second, domain)
    return found if found.terms else expression.first


@dataclass(slots=True)
class Discourse:
    """Where a description has got to."""

    domain: Domain
    antecedent: Property = OBJECT
    """What 其中 and 它们 refer to."""
    topic: Property = OBJECT
    """What a clause without subject is said of."""
    base: Property = OBJECT
    """Among what a clause with 有 counts; all things, except after 其中 in the same sentence."""
    chained: bool = False
    """Whether the sentence goes on about what 其中 took up."""
    taken_up: bool = False
    """Whether the clause itself begins with 其中."""
    told: list[Expression] = field(default_factory=list)
    """The expressions so far."""
    since: int = 0
    """How many of them stood before the sentence."""

    def begin_sentence(self) -> None:
        """Forget what holds within a sentence only."""
        self.base, self.since, self.chained, self.taken_up = OBJECT, len(self.told), False, False

    def go_on_about(self, what: Property) -> None:
        """Let the rest of the sentence be about these things: 其中 and 方形中 do that."""
        self.antecedent = self.base = self.topic = what
        self.chained = True

    def tell(self, expression: Expression, topic: Property, anaphoric: bool = False, replaces: bool = False) -> None:
        """Go on from an expression whose topic was this; with `replaces` it stands for the last one."""
        if replaces:
            self.told.pop()
        self.told.append(expression)
        self.topic = topic
        if not anaphoric:
            self.antecedent = antecedent(expression, self.domain)

    def copy(self) -> Discourse:
        """Return the same state, from which one can go on in another way."""
        return replace(self, told=list(self.told))
