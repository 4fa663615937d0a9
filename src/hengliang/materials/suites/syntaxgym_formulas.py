"""How does a prediction of SyntaxGym read in our formulas, and one of ours in those of SyntaxGym?

SyntaxGym [1] names a region by number and condition: `(6;%mismatch%) > (6;%match%)`, `(*;%match%)` for all regions of
a sentence. It knows `+ - < > = & |`, numbers and parentheses; suites of its first years have square brackets. `&` and
`|` bind alike there, from the left, while ours lets `&` bind more tightly: formulas are translated by structure, not
letter by letter.

[1] Gauthier, J., Hu, J., Wilcox, E., Qian, P., & Levy, R. (2020). SyntaxGym: An online platform for targeted evaluation
    of language models. ACL 2020, system demonstrations, 70-76.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from hengliang.core.errors import UserError
from hengliang.materials.suites.formulas import Expression, Formula, Measured, Number, Operation, parse_formula

Metric = Literal["sum", "mean"]
_MOST_COPIES = 20

# --- reading --------------------------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"\s*(?:(?P<term>\(\s*(?P<region>\d+|\*)\s*;\s*%(?P<condition>[^%]*)%\s*\))"
    r"|(?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)"
    r"|(?P<sign>>=|<=|==|[<>=&|+*/()\[\]-]))"
)
_LEVELS = (("&", "|"), (">", ">=", "<", "<=", "="), ("+", "-"), ("*", "/"))
_COMPARISONS = 1
_CLOSES = {"(": ")", "[": "]"}


class _Token(NamedTuple):
    kind: Literal["term", "number", "sign", "end"]
    text: str
    start: int
    region: str = ""
    condition: str = ""


def formula_of_syntaxgym(
    text: str, regions: Mapping[int, str], conditions: Mapping[str, str], metric: Metric = "sum"
) -> Formula:
    """Translate a prediction; `regions` gives our names of its numbers, `conditions` ours of its condition names.

    With the metric `mean` a region stands for its surprisal by unit, and the whole sentence for the sum of those.
    """
    reader = _Reader(text, _tokens(text), regions, conditions, metric)
    expression = reader.level(0)
    if reader.token.kind != "end":
        raise reader.error("nothing was expected here")
    return parse_formula(str(expression))


def _tokens(text: str) -> list[_Token]:
    found, place = [], 0
    while text[place:].strip():
        match = _TOKEN.match(text, place)
        if match is None:
            raise _mistake(text, place + len(text[place:]) - len(text[place:].lstrip()), "it cannot be read")
        kind: Literal["term", "number", "sign"] = "term" if match["term"] else "number" if match["number"] else "sign"
        sign = {"==": "="}.get(match[kind], match[kind])
        found.append(_Token(kind, sign, match.start(kind), match["region"] or "", (match["condition"] or "").strip()))
        place = match.end()
    return [*found, _Token("end", "", len(text))]


@dataclass(slots=True)
class _Reader:
    text: str
    tokens: Sequence[_Token]
    regions: Mapping[int, str]
    conditions: Mapping[str, str]
    metric: Metric
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
        compared = False
        while self.token.kind == "sign" and self.token.text in _LEVELS[rank]:
            if compared:
                raise self.error("SyntaxGym compares two sides only")
            compared = rank == _COMPARISONS
            sign = self.token.text
            self.place += 1
            left = Operation(sign, left, self.level(rank + 1))
        return left

    def signed(self) -> Expression:
        if self.token.text != "-":
            return self.atom()
        self.place += 1
        inner = self.signed()
        return Number(-inner.value) if isinstance(inner, Number) else Operation("-", Number(0.0), inner)

    def atom(self) -> Expression:
        token = self.token
        if token.kind == "term":
            term = self.term(token)
            self.place += 1
            return term
        if token.kind == "number":
            self.place += 1
            return Number(float(token.text))
        if token.text not in _CLOSES:
            raise self.error("a region (number;%condition%), a number or a bracket was expected here")
        self.place += 1
        inner = self.level(0)
        if self.token.text != _CLOSES[token.text]:
            raise self.error(f"{_CLOSES[token.text]} was expected here")
        self.place += 1
        return inner

    def term(self, token: _Token) -> Expression:
        if token.condition not in self.conditions:
            raise self.error(f"there is no condition '{token.condition}'; there are: {', '.join(self.conditions)}")
        condition = self.conditions[token.condition]
        if token.region == "*":
            return Measured(condition) if self.metric == "sum" else self.all_means(condition)
        if int(token.region) not in self.regions:
            raise self.error(f"there is no region {token.region}; there are {min(self.regions)}–{max(self.regions)}")
        region = self.regions[int(token.region)]
        return Measured(condition, region, region, "surprisal" if self.metric == "sum" else "mean")

    def all_means(self, condition: str) -> Expression:
        terms: list[Expression] = [Measured(condition, name, name, "mean") for name in self.regions.values()]
        total = terms[0]
        for term in terms[1:]:
            total = Operation("+", total, term)
        return total


def _mistake(text: str, place: int, what: str) -> UserError:
    flat = text.replace("\n", " ")
    return UserError(
        f"The formula cannot be read at character {place + 1}: {flat[:place]}⟨here⟩{flat[place:]} ({what}).",
        valid="Regions as (number;%condition%) or (*;%condition%); numbers; + - * / > < = & |; ( ) and [ ].",
    )


# --- writing --------------------------------------------------------------------------------------------------------


class Unsayable(UserError):
    """A formula that SyntaxGym has no way to say."""


def formula_as_syntaxgym(
    formula: Formula, regions: Mapping[str, int], conditions: Mapping[str, str], metric: Metric = "sum"
) -> str:
    """Translate a formula, or raise `Unsayable`: SLOR, surprisal by character, division, products of regions.

    What SyntaxGym says in another way is put so: a stretch of regions as their sum, `a >= b` as `a > b` or `a = b`.
    """
    return _Writer(regions, conditions, metric).written(formula.expression)


@dataclass(frozen=True, slots=True)
class _Writer:
    regions: Mapping[str, int]
    conditions: Mapping[str, str]
    metric: Metric

    def written(self, expression: Expression) -> str:
        if isinstance(expression, Number):
            size = repr(abs(expression.value)).removesuffix(".0")
            return f"(0 - {size})" if expression.value < 0 else size
        if isinstance(expression, Measured):
            return self.term(expression)
        left, right = self.inner(expression.left), self.inner(expression.right)
        if expression.sign in {">=", "<="}:
            return f"({left} {expression.sign[0]} {right}) | ({left} = {right})"
        if expression.sign == "*":
            return self.product(expression)
        if expression.sign == "/":
            raise Unsayable(f"SyntaxGym cannot divide, as in '{expression}'.")
        return f"{left} {expression.sign} {right}"

    def inner(self, expression: Expression) -> str:
        written = self.written(expression)
        return f"({written})" if isinstance(expression, Operation) else written

    def term(self, term: Measured) -> str:
        condition = self.conditions[term.condition]
        wanted = "surprisal" if self.metric == "sum" else "mean"
        if term.quantity != wanted or (self.metric == "mean" and (not term.first or term.first != term.last)):
            raise Unsayable(f"SyntaxGym cannot say '{term}' in a suite with the metric '{self.metric}'.")
        if not term.first:
            return f"(*;%{condition}%)"
        numbers = range(self.regions[term.first], self.regions[term.last] + 1)
        parts = [f"({number};%{condition}%)" for number in numbers]
        return parts[0] if len(parts) == 1 else f"({' + '.join(parts)})"

    def product(self, expression: Operation) -> str:
        """Write a multiple of something as a sum of copies; SyntaxGym does not multiply."""
        sides = (expression.left, expression.right)
        times = next((side.value for side in sides if isinstance(side, Number)), None)
        if times is None or times != int(times) or not 0 < abs(times) <= _MOST_COPIES:
            raise Unsayable(f"SyntaxGym cannot multiply, as in '{expression}'.")
        other = sides[1] if isinstance(sides[0], Number) else sides[0]
        copies = " + ".join([self.inner(other)] * int(abs(times)))
        return copies if times > 0 else f"0 - ({copies})"
