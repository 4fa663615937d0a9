"""Targeted syntactic evaluation: predictions as formulas over surprisals of regions, their syntax and evaluation.

A formula compares sums of surprisals:

    missing.stop > complete.stop
    (b.noun:stop - a.noun:stop) + (d.noun:stop - c.noun:stop) > 0
    slor(good.*) > slor(bad.*)

`condition.region` is the surprisal of a region in nats, `condition.first:last` that of everything from one region to
another, `condition.*` that of the whole sentence with its end. Functions: `mean(…)` is surprisal by unit of the model,
`per_character(…)` by character, `slor(…)` log-probability less unigram log-probability, by unit. Numbers, `+ - * /`,
parentheses, `> >= < <= =` (a chain `a > b > c` compares neighbours), `&`, `|`. Names are any letters and digits of
any script; others stand in double quotes.

Two sides that differ by no more than the tolerance are a tie for `>` and `<`, equal for `=`, and satisfy `>=` and
`<=`. `& |` treat a tie as between failure and success (strong Kleene logic). The margin of a formula is by how much
it holds: the difference of a comparison, the least of a conjunction, the greatest of a disjunction.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from hengliang.core.errors import UserError

Numbers = npt.NDArray[np.float64]
Quantity = Literal["surprisal", "mean", "per_character", "slor"]
FUNCTIONS: tuple[str, ...] = get_args(Quantity)[1:]
WHOLE = "*"

DEFAULT_TOLERANCE = 1e-5
"""Nats. The same prefix scored in two batches by a network in float32 differs by up to 2e-6 (docs/predictions.md)."""

SUCCESS, TIE, FAILURE = 1.0, 0.5, 0.0


@dataclass(frozen=True, slots=True)
class Measured:
    """A quantity of a stretch of a sentence; `first` and `last` are empty for the whole sentence."""

    condition: str
    first: str = ""
    last: str = ""
    quantity: Quantity = "surprisal"

    def __str__(self) -> str:
        stretch = WHOLE if not self.first else quoted(self.first)
        if self.last != self.first:
            stretch += f":{quoted(self.last)}"
        written = f"{quoted(self.condition)}.{stretch}"
        return written if self.quantity == "surprisal" else f"{self.quantity}({written})"


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it was written."""

    value: float

    def __str__(self) -> str:
        short = f"{self.value:g}"
        return short if float(short) == self.value else repr(self.value)


@dataclass(frozen=True, slots=True)
class Operation:
    """Two things joined by a sign of arithmetic, comparison or logic."""

    sign: str
    left: Expression
    right: Expression

    def __str__(self) -> str:
        return f"{_inner(self.left, self, right=False)} {self.sign} {_inner(self.right, self, right=True)}"


Expression = Measured | Number | Operation
Values = Mapping[Measured, Numbers]

_LEVELS: tuple[tuple[str, ...], ...] = (("|",), ("&",), (">", ">=", "<", "<=", "="), ("+", "-"), ("*", "/"))
_RANK = {sign: rank for rank, signs in enumerate(_LEVELS) for sign in signs}
_LOGIC, _COMPARISONS = {"|", "&"}, set(_LEVELS[2])


class Verdicts(NamedTuple):
    """What a formula says of many sets: 1 success, 0 failure, 0.5 tie, NaN unscored; and by how many nats."""

    outcomes: Numbers
    margins: Numbers


@dataclass(frozen=True, slots=True)
class Formula:
    """A parsed formula; make one with `parse_formula`."""

    expression: Expression
    terms: tuple[Measured, ...] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "terms", tuple(dict.fromkeys(_terms(self.expression))))

    def __str__(self) -> str:
        return str(self.expression)

    def verdicts(self, values: Values, tolerance: float = DEFAULT_TOLERANCE) -> Verdicts:
        """Return outcome and margin for each set, from the value of every term in each set."""
        return _verdicts(self.expression, values, tolerance)


# --- evaluation -----------------------------------------------------------------------------------------------------


def _verdicts(expression: Expression, values: Values, tolerance: float) -> Verdicts:
    if not isinstance(expression, Operation):
        raise TypeError("the parser lets only comparisons through")
    if expression.sign in _LOGIC:
        left, right = (_verdicts(side, values, tolerance) for side in (expression.left, expression.right))
        extreme = np.minimum if expression.sign == "&" else np.maximum
        return Verdicts(extreme(left.outcomes, right.outcomes), extreme(left.margins, right.margins))
    return _comparison(expression.sign, _amount(expression.left, values), _amount(expression.right, values), tolerance)


def _comparison(sign: str, left: Numbers, right: Numbers, tolerance: float) -> Verdicts:
    with np.errstate(invalid="ignore"):  # two infinite sides are equal, not undefined
        difference = np.where(left == right, 0.0, left - right)
    margins = {"<": -difference, "<=": -difference, "=": -np.abs(difference)}.get(sign, difference) + 0.0
    if sign in {">", "<"}:
        outcomes = np.where(margins > tolerance, SUCCESS, np.where(margins < -tolerance, FAILURE, TIE))
    else:
        outcomes = np.where(margins >= -tolerance, SUCCESS, FAILURE)
    return Verdicts(np.where(np.isnan(margins), np.nan, outcomes), margins)


_ARITHMETIC: Mapping[str, Callable[[Numbers, Numbers], Numbers]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
}


def _amount(expression: Expression, values: Values) -> Numbers:
    if isinstance(expression, Number):
        return np.asarray(expression.value, np.float64)
    if isinstance(expression, Measured):
        return values[expression]
    with np.errstate(invalid="ignore", divide="ignore"):
        return _ARITHMETIC[expression.sign](_amount(expression.left, values), _amount(expression.right, values))


def _terms(expression: Expression) -> list[Measured]:
    if isinstance(expression, Operation):
        return [*_terms(expression.left), *_terms(expression.right)]
    return [expression] if isinstance(expression, Measured) else []


# --- writing --------------------------------------------------------------------------------------------------------


def quoted(name: str) -> str:
    """Return a name as it stands in a formula: in double quotes unless it is one word of letters and digits."""
    return name if re.fullmatch(_BARE, name) else f'"{name}"'


def _inner(side: Expression, outer: Operation, *, right: bool) -> str:
    """Return one side, in parentheses where it would be read otherwise without them."""
    if isinstance(side, Operation):
        looser = _RANK[side.sign] < _RANK[outer.sign]
        if looser or (_RANK[side.sign] == _RANK[outer.sign] and right):
            return f"({side})"
    return str(side)


# --- reading --------------------------------------------------------------------------------------------------------

_BARE = r"(?=\w*[^\W\d])\w+"
_NAME = rf'(?:"[^"\n]+"|{_BARE})'
_REGION = r'(?:"[^"\n]+"|\w+)'
_TOKEN = re.compile(
    rf"\s*(?:(?P<term>(?P<condition>{_NAME})\s*\.\s*(?:(?P<whole>\*)|(?P<first>{_REGION})(?:\s*:\s*(?P<last>{_REGION}))?))"
    rf"|(?P<function>{'|'.join(FUNCTIONS)})\s*(?=\()"
    r"|(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
    r"|(?P<sign>>=|<=|==|≥|≤|−|×|÷|[><=&|+*/()-]))"
)
_SAME = {"==": "=", "≥": ">=", "≤": "<=", "−": "-", "×": "*", "÷": "/"}


class _Token(NamedTuple):
    kind: Literal["term", "function", "number", "sign", "end"]
    text: str
    start: int
    term: Measured | None = None


def parse_formula(text: str) -> Formula:
    """Read a formula; a mistake is shown with the place where it is. Names are taken in NFC, as those of suites are."""
    try:
        return _parsed(unicodedata.normalize("NFC", text))
    except RecursionError:
        raise UserError(
            f"The formula '{text.strip()[:40]}…' is too long or has too many parentheses.",
            valid="Some hundred terms at most.",
        ) from None


def _parsed(text: str) -> Formula:
    tokens = _tokens(text)
    reader = _Reader(text, tokens)
    expression = reader.level(0)
    if reader.token.kind != "end":
        raise reader.error("nothing was expected here")
    formula = Formula(expression)
    if _kind(expression, text) != "statement":
        raise UserError(
            f"The formula '{text.strip()}' compares nothing.", valid="A comparison: missing.stop > complete.stop."
        )
    if not formula.terms:
        raise UserError(
            f"The formula '{text.strip()}' names no region.", valid="A region is condition.region: missing.stop."
        )
    return formula


def _tokens(text: str) -> list[_Token]:
    tokens, position = [], 0
    while text[position:].strip():
        match = _TOKEN.match(text, position)
        if match is None:
            raise _mistake(text, position + len(text[position:]) - len(text[position:].lstrip()), "cannot be read")
        kind = match.lastgroup if match.lastgroup in {"function", "number", "sign"} else "term"
        written = match[kind]
        term = _term(match) if kind == "term" else None
        tokens.append(_Token(kind, _SAME.get(written, written), match.start(kind), term))  # type: ignore[arg-type]
        position = match.end()
    return [*tokens, _Token("end", "", len(text))]


def _term(match: re.Match[str]) -> Measured:
    first = "" if match["whole"] else match["first"].strip('"')
    return Measured(match["condition"].strip('"'), first, match["last"].strip('"') if match["last"] else first)


@dataclass(slots=True)
class _Reader:
    """Goes through the tokens by precedence: each level joins what the next tighter one reads."""

    text: str
    tokens: list[_Token]
    place: int = 0

    @property
    def token(self) -> _Token:
        return self.tokens[self.place]

    def error(self, what: str) -> UserError:
        return _mistake(self.text, self.token.start, what)

    def level(self, rank: int) -> Expression:
        if rank == len(_LEVELS):
            return self.signed()
        left = self.level(rank + 1)
        last: Expression | None = None
        while self.token.kind == "sign" and self.token.text in _LEVELS[rank]:
            sign = self.token.text
            self.place += 1
            right = self.level(rank + 1)
            if sign not in _COMPARISONS:
                left = Operation(sign, left, right)
            elif last is None:
                left, last = Operation(sign, left, right), right
            else:
                left, last = Operation("&", left, Operation(sign, last, right)), right
        return left

    def signed(self) -> Expression:
        if self.token.kind == "sign" and self.token.text in {"-", "+"}:
            minus = self.token.text == "-"
            self.place += 1
            inner = self.signed()
            if not minus:
                return inner
            return Number(-inner.value) if isinstance(inner, Number) else Operation("*", Number(-1.0), inner)
        return self.atom()

    def atom(self) -> Expression:
        token = self.token
        if token.kind == "number":
            self.place += 1
            return Number(float(token.text))
        if token.term is not None:
            self.place += 1
            return token.term
        if token.kind == "function":
            self.place += 1
            return self.applied(token.text)
        if token.text == "(":
            self.place += 1
            inner = self.level(0)
            self.close()
            return inner
        raise self.error("a region (condition.region), a number or ( was expected here")

    def applied(self, function: str) -> Expression:
        self.place += 1  # the parenthesis, which the token before it has seen
        term = self.token.term
        if term is None:
            raise self.error(f"{function}() takes one region")
        self.place += 1
        self.close()
        return Measured(term.condition, term.first, term.last, function)  # type: ignore[arg-type]

    def close(self) -> None:
        if self.token.text != ")":
            raise self.error(") was expected here")
        self.place += 1


def _kind(expression: Expression, text: str) -> Literal["statement", "amount"]:
    """Say whether an expression is true or false, or an amount; refuse a mixture."""
    if not isinstance(expression, Operation):
        if isinstance(expression, Number) and not math.isfinite(expression.value):
            raise UserError(f"In the formula '{text.strip()}' a number is too large.")
        return "amount"
    kinds = {_kind(expression.left, text), _kind(expression.right, text)}
    wanted = {"statement"} if expression.sign in _LOGIC else {"amount"}
    if kinds != wanted:
        what = "comparisons" if expression.sign in _LOGIC else "amounts"
        raise UserError(
            f"In the formula '{text.strip()}' the sign {expression.sign} joins something else than {what}.",
            valid="a.x > b.x, sums and products on both sides; & and | between comparisons.",
        )
    if expression.sign == "/" and expression.right == Number(0.0):
        raise UserError(f"The formula '{text.strip()}' divides by zero.")
    return "amount" if expression.sign in _ARITHMETIC else "statement"


def _mistake(text: str, place: int, what: str) -> UserError:
    flat = text.replace("\n", " ")
    return UserError(
        f"The formula cannot be read at character {place + 1}: {flat[:place]}⟨here⟩{flat[place:]} ({what}).",
        valid='Regions as condition.region, "quoted name".region, condition.first:last, condition.*; numbers; '
        "+ - * / ( ) > >= < <= = & |; mean(…), per_character(…), slor(…).",
    )
