"""What does each quantifier say, written down once more, in words and over plain lists of things?

Nothing here counts by masks or in arrays. A thing is a tuple of values, a scene a list of things. The table says for
each quantifier what makes it true and what it conveys besides; tests compare the program with it.
"""

from __future__ import annotations

import inspect
import itertools
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from hengliang.scenes import Attribute, Domain, Expression, Property, Scene, Value, membership

Thing = tuple[str, ...]

ANIMALS = Domain(
    "animals",
    (
        Attribute(
            "colour",
            (
                Value("black", "B", "black", "黑色"),
                Value("white", "W", "white", "白色"),
                Value("grey", "G", "grey", "灰色"),
            ),
        ),
        Attribute(
            "animal", (Value("cat", "C", "cat", "猫", "cats"), Value("dog", "D", "dog", "狗", "dogs")), noun=True
        ),
    ),
    "animal",
    "animals",
    "动物",
    (),
    (),
)
"""Another domain than the usual one: three colours, two animals."""


@dataclass(frozen=True)
class Seen:
    """What somebody who looks at a scene sees: all things, the As, the Bs, the As that are B and those that are not."""

    things: list[Thing]
    a: list[Thing]
    b: list[Thing]
    both: list[Thing]
    others: list[Thing]
    terms: tuple[tuple[str, ...], ...]
    kinds: list[Thing]
    numbers: tuple[int, ...]


def has(thing: Thing, held: Property) -> bool:
    return any(all(value in thing for value in term) for term in held.terms)


def seen(things: list[Thing], expression: Expression, kinds: list[Thing]) -> Seen:
    a = [thing for thing in things if has(thing, expression.first)]
    b = [thing for thing in things if has(thing, expression.second)]
    both = [thing for thing in a if has(thing, expression.second)]
    others = [thing for thing in a if not has(thing, expression.second)]
    wanted = [kind for kind in kinds if has(kind, expression.first)]
    return Seen(things, a, b, both, others, expression.first.terms, wanted, expression.numbers)


Said = Callable[[Seen], bool]


def nothing_more(s: Seen) -> bool:
    return True


def all_are(s: Seen) -> bool:
    return not s.others


def several_a(s: Seen) -> bool:
    return len(s.a) > 1


def most_are(s: Seen) -> bool:
    return len(s.both) > len(s.others)


def two_and_not_all(s: Seen) -> bool:
    return len(s.both) > 1 and bool(s.others)


def one_and_not_all(s: Seen) -> bool:
    return bool(s.both) and bool(s.others)


def some_are(s: Seen) -> bool:
    return bool(s.both)


def n_or_more(s: Seen) -> bool:
    return len(s.both) == 0 if s.numbers == (0,) else len(s.both) >= s.numbers[0]


def is_the_fraction(s: Seen) -> bool:
    return bool(s.a) and s.numbers[1] != 0 and Fraction(len(s.both), len(s.a)) == Fraction(*s.numbers)


def each_term_is_there(s: Seen) -> bool:
    return all(any(has(thing, Property((term,))) for thing in s.things) for term in s.terms)


def nothing_else(s: Seen) -> bool:
    return all(has(thing, Property(s.terms)) for thing in s.things)


def each_kind_is_there(s: Seen) -> bool:
    return set(s.kinds) <= set(s.things)


def n_or_more_of_each(s: Seen) -> bool:
    least = s.numbers[0]
    return all(s.things.count(kind) == 0 if least == 0 else s.things.count(kind) >= least for kind in s.kinds)


def n_of_each(s: Seen) -> bool:
    return all(s.things.count(kind) == s.numbers[0] for kind in s.kinds)


IN_WORDS: dict[str, tuple[Said, Said]] = {
    "all": (all_are, several_a),
    "every": (all_are, several_a),
    "everything": (all_are, several_a),
    "the": (lambda s: len(s.a) == 1 and not s.others, nothing_more),
    "no": (lambda s: not s.both, lambda s: bool(s.a)),
    "not all": (lambda s: bool(s.others), some_are),
    "only": (lambda s: all(thing in s.a for thing in s.b), lambda s: bool(s.b)),
    "half": (lambda s: bool(s.a) and len(s.both) == len(s.others), nothing_more),
    "most": (most_are, two_and_not_all),
    "more than half": (most_are, two_and_not_all),
    "majority": (most_are, two_and_not_all),
    "minority": (lambda s: 0 < len(s.both) < len(s.others), nothing_more),
    "less than half": (lambda s: len(s.both) < len(s.others), some_are),
    "fraction": (is_the_fraction, nothing_more),
    "some": (some_are, two_and_not_all),
    "only one": (lambda s: len(s.both) == 1, several_a),
    "number": (n_or_more, lambda s: len(s.both) == s.numbers[0]),
    "exactly": (lambda s: len(s.both) == s.numbers[0], nothing_more),
    "at least": (lambda s: len(s.both) >= s.numbers[0], nothing_more),
    "at most": (lambda s: len(s.both) <= s.numbers[0], lambda s: bool(s.both) or s.numbers[0] == 0),
    "over": (lambda s: len(s.both) > s.numbers[0], nothing_more),
    "under": (lambda s: len(s.both) < s.numbers[0], lambda s: bool(s.both) or s.numbers[0] <= 1),
    "all but": (lambda s: len(s.others) == s.numbers[0], lambda s: len(s.both) > max(1, len(s.others))),
    "more": (lambda s: len(s.a) > len(s.b), lambda s: bool(s.b)),
    "fewer": (lambda s: len(s.a) < len(s.b), lambda s: bool(s.a)),
    "equal": (lambda s: len(s.a) == len(s.b), lambda s: bool(s.a)),
    "times": (lambda s: bool(s.b) and len(s.a) == s.numbers[0] * len(s.b), nothing_more),
    "there are": (each_term_is_there, nothing_else),
    "all kinds": (each_kind_is_there, nothing_more),
    "of each kind": (n_or_more_of_each, n_of_each),
    "a few": (lambda s: reaches(s, "a few"), lambda s: stays_under(s, "a few") and bool(s.others)),
    "few": (lambda s: s.a != [] and stays_under(s, "few"), lambda s: 0 < len(s.both) < len(s.others)),
    "a couple": (lambda s: len(s.both) > 1, lambda s: stays_under(s, "a couple") and bool(s.others)),
    "several": (lambda s: reaches(s, "several"), lambda s: stays_under(s, "several") and bool(s.others)),
    "many": (lambda s: reaches(s, "many"), two_and_not_all),
    "almost all": (lambda s: reaches(s, "almost all"), two_and_not_all),
    "about half": (lambda s: reaches(s, "about half") and stays_under(s, "about half"), one_and_not_all),
}
"""What makes each quantifier true, and what it conveys besides."""

FITTED = json.loads(Path(inspect.getfile(membership)).with_name("vague_quantifiers.json").read_text("utf-8"))[
    "meanings"
]


HALF_HEIGHT = math.sqrt(2 * math.log(2))
"""exp(−z²/2) ≥ ½ where |z| ≤ √(2 ln 2)."""


def reaches(s: Seen, word: str) -> bool:
    """Say whether the As that are B are enough: a share no farther below the mean than where the bell is at ½.

    Of a few and of several, which are counts, three are always enough and one never is.
    """
    mean, spread = at_size(word, len(s.things))
    enough = mean - HALF_HEIGHT * spread
    if word in {"a few", "several"}:
        return len(s.both) >= 3 or (len(s.both) == 2 and enough <= 2)
    return s.a != [] and len(s.both) / len(s.a) >= enough


def stays_under(s: Seen, word: str) -> bool:
    """Say whether the As that are B are not too many; three are never too many for a few, a couple or several."""
    mean, spread = at_size(word, len(s.things))
    most = mean + HALF_HEIGHT * spread
    if word == "about half":
        return s.a != [] and len(s.both) / len(s.a) <= most
    return len(s.both) <= (1 if word == "few" else 3) or len(s.both) <= most


def at_size(word: str, size: int) -> tuple[float, float]:
    """Return mean and spread at a size: those of a fitted size, beyond them of the nearest, between them on a line."""
    rows = FITTED[word]
    if size <= rows[0]["size"]:
        return rows[0]["mean"], rows[0]["spread"]
    for low, high in itertools.pairwise(rows):
        if size <= high["size"]:
            way = math.log(size / low["size"]) / math.log(high["size"] / low["size"])
            mean = low["mean"] + way * (high["mean"] - low["mean"])
            return mean, low["spread"] + way * (high["spread"] - low["spread"])
    return rows[-1]["mean"], rows[-1]["spread"]


def true_in_words(expression: Expression, things: list[Thing], kinds: list[Thing], reading: str) -> bool:
    """Say whether an expression is true of a list of things."""
    look = seen(things, expression, kinds)
    semantic, conveyed = IN_WORDS[expression.quantifier]
    true = semantic(look) and (reading == "semantic" or conveyed(look))
    if expression.rest is None:
        return true
    return true and bool(look.others) and all(has(thing, expression.rest) for thing in look.others)


def kinds_of(domain: Domain) -> list[Thing]:
    return list(itertools.product(*([value.name for value in one.values] for one in domain.attributes)))


def scenes_as_lists(domain: Domain, size: int) -> Iterator[list[Thing]]:
    """Yield every scene of a size as a list of things, in any order."""
    for things in itertools.combinations_with_replacement(kinds_of(domain), size):
        yield list(things)


def as_scene(things: list[Thing], domain: Domain) -> Scene:
    return Scene(tuple(things.count(kind) for kind in kinds_of(domain)), domain)
