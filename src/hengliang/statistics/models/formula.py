"""Model formulas in the language of lme4: a parser that needs no data.

The language is that of lme4 [1]: `y ~ a*b + x + (1 + a | g) + (1 | g:h) + (1 | g/h) + (x || g)`. Names with spaces or
signs stand in backticks. Reading and computing are apart: nothing in a formula is ever run as code, and only the
functions listed in `FUNCTIONS` are known.

[1] Bates, D., Mächler, M., Bolker, B. and Walker, S. (2015). Fitting linear mixed-effects models using lme4. Journal of
    Statistical Software 67(1).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

from hengliang.core.errors import UserError

FACTOR_FUNCTIONS = ("C", "factor")
NUMBER_FUNCTIONS = ("log", "log2", "log10", "exp", "sqrt", "abs", "scale", "center")
FUNCTIONS = (*FACTOR_FUNCTIONS, *NUMBER_FUNCTIONS, "I")
EXAMPLE = "for example 'fluency ~ system + (1 | rater) + (1 | sentence)'"

_TOKEN = re.compile(
    r"\s*(?:(?P<quoted>`[^`]+`)|(?P<number>\d+(?:\.\d+)?)|(?P<name>[^\W\d][\w.]*|\.\w[\w.]*)"
    r"|(?P<sign>\*\*|\|\||[~+\-*/:^|(),]))"
)
_PLAIN = re.compile(r"[^\W\d][\w.]*|\.\w[\w.]*")


class Token(NamedTuple):
    """A piece of a formula and where it begins."""

    kind: str
    text: str
    place: int


@dataclass(frozen=True, slots=True)
class Atom:
    """One column, as it is or through a function: `system`, `C(age)`, `log(rt)`, `I(age^2)`."""

    column: str
    function: str = ""
    power: int = 1

    @property
    def text(self) -> str:
        """How the atom is shown in names of coefficients."""
        if self.function == "I":
            return f"I({self.column}^{self.power})"
        return f"{self.function}({self.column})" if self.function else self.column

    @property
    def source(self) -> str:
        """How the atom is written in a formula."""
        name = self.column if _PLAIN.fullmatch(self.column) else f"`{self.column}`"
        if self.function == "I":
            return f"I({name}^{self.power})"
        return f"{self.function}({name})" if self.function else name


@dataclass(frozen=True, slots=True)
class Expression:
    """A sum of terms: `algebra` is written with the place of each atom (`1 + v0*v1`), `text` as the user did."""

    text: str
    algebra: str
    atoms: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class RandomPart:
    """Which effects vary by which group: `(1 + a | g:h)` varies by the atoms `g` and `h` together."""

    text: str
    terms: Expression
    group: tuple[Atom, ...]
    correlated: bool

    @property
    def group_name(self) -> str:
        """The group as it is shown: `g:h`."""
        return ":".join(atom.text for atom in self.group)


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula in its parts."""

    text: str
    response: Atom
    fixed: Expression
    random: tuple[RandomPart, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that the formula uses, the response first."""
        atoms = [self.response, *self.fixed.atoms]
        for part in self.random:
            atoms += [*part.group, *part.terms.atoms]
        return tuple(dict.fromkeys(atom.column for atom in atoms))


def parse(formula: str) -> Formula:
    """Read a formula; a mistake is shown with its place."""
    tokens = _tokens(formula)
    tildes = [token for token in tokens if token.text == "~"]
    if not tildes:
        raise UserError(
            f"The formula '{formula}' has no '~'.",
            valid=f"The response stands left of '~', the effects right of it, {EXAMPLE}.",
        )
    if len(tildes) > 1:
        _stop(formula, tildes[1].place, "a second '~'")
    return _Reader(formula, tokens).formula()


def _tokens(formula: str) -> list[Token]:
    tokens, place = [], 0
    end = len(formula.rstrip())
    while place < end:
        match = _TOKEN.match(formula, place)
        if match is None:
            place += len(formula[place:]) - len(formula[place:].lstrip())
            sign = formula[place]
            if sign == "`":
                _stop(formula, place, "a backtick that is never closed")
            hint = ""
            if unicodedata.normalize("NFKC", sign) != sign:
                hint = f"Write the half-width '{unicodedata.normalize('NFKC', sign)}' instead."
            _stop(formula, place, f"the sign '{sign}'", hint or "A name with such a sign stands in `backticks`.")
        kind = str(match.lastgroup)
        tokens.append(Token(kind, match.group(kind), match.start(kind)))
        place = match.end()
    return tokens


def _stop(formula: str, place: int, what: str, remedy: str = "") -> NoReturn:
    wide = sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in formula[:place])
    raise UserError(
        f"The formula cannot be read: {what} at character {place + 1}.\n  {formula}\n  {' ' * wide}^\n",
        valid=f"Formulas are those of lme4, {EXAMPLE}.",
        remedy=remedy,
    )


class _Reader:
    """Walks over the tokens once, from left to right."""

    def __init__(self, formula: str, tokens: list[Token]) -> None:
        self.text = formula
        self.tokens = [*tokens, Token("end", "", len(formula))]
        self.at = 0
        self.atoms: list[Atom] = []
        self.random: list[RandomPart] = []

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def take(self) -> Token:
        token = self.token
        self.at += token.kind != "end"
        return token

    def expect(self, sign: str) -> None:
        if self.token.text != sign or self.token.kind == "end":
            self.stop(f"'{sign}' was expected, but found {self.found()}")
        self.take()

    def found(self) -> str:
        return "the end" if self.token.kind == "end" else f"'{self.token.text}'"

    def stop(self, what: str, remedy: str = "") -> NoReturn:
        _stop(self.text, self.token.place, what, remedy)

    def formula(self) -> Formula:
        if self.token.text == "~":
            self.stop("no response before '~'")
        if self.token.text == "cbind":
            self.stop("'cbind' is not known here", "Give one row for each answer, with a response of 0 or 1.")
        response = self.atom()
        self.expect("~")
        fixed = self.expression(top=True)
        if self.token.kind != "end":
            self.stop(f"{self.found()} is not expected", self.hint())
        return Formula(self.text.strip(), response, fixed, tuple(self.random))

    def hint(self) -> str:
        if self.token.text in {"|", "||"}:
            return "A random term stands in parentheses: (1 | group)."
        return "Between two terms stands a sign (+ * :). A name with spaces stands in `backticks`."

    def expression(self, top: bool = False) -> Expression:
        """Read a sum of terms, up to where no sign follows."""
        outer, self.atoms = self.atoms, []
        start = self.token.place
        intercept, pieces, words = True, [], []
        while True:
            sign = self.take().text if self.token.text in {"+", "-"} else "+"
            place = self.token.place
            if self.token.kind == "number":
                intercept = self.intercept(sign)
            elif top and self.is_random():
                if sign == "-":
                    self.stop("a random term cannot be subtracted")
                self.random_term()
                if self.token.text in {"+", "-"}:
                    continue
                break
            else:
                pieces.append(f"{sign} {self.product()}")
            words.append(f"{sign} {self.between(place)}")
            if self.token.text not in {"+", "-"}:
                break
        if self.token.place == start:
            self.stop("a term was expected")
        atoms, self.atoms = tuple(self.atoms), outer
        return Expression(" ".join(words).removeprefix("+ ") or "1", " ".join([str(int(intercept)), *pieces]), atoms)

    def between(self, place: int) -> str:
        last = self.tokens[self.at - 1]
        return self.text[place : last.place + len(last.text)]

    def intercept(self, sign: str) -> bool:
        number = self.token
        if number.text not in {"0", "1"}:
            self.stop(f"the number {number.text} is no term", "Only 1 (intercept) and 0 (none) may stand alone.")
        self.take()
        return (number.text == "1") == (sign == "+")

    def is_random(self) -> bool:
        """Whether a bracket opens here with a bar directly inside it."""
        if self.token.text != "(":
            return False
        depth = 0
        for token in self.tokens[self.at :]:
            depth += (token.text == "(") - (token.text == ")")
            if depth == 0:
                return False
            if depth == 1 and token.text in {"|", "||"}:
                return True
        return self.stop("a bracket that is never closed")

    def random_term(self) -> None:
        place = self.token.place
        self.expect("(")
        if self.token.text in {"|", "||"}:
            self.stop("no effects before '|'", "A random intercept is written (1 | group).")
        terms = self.expression()
        bar = self.token.text
        if bar not in {"|", "||"}:
            self.stop(f"'|' was expected, but found {self.found()}")
        self.take()
        groups: list[tuple[Atom, ...]] = [(self.atom(),)]
        while self.token.text in {":", "/"}:
            sign = self.take().text
            further = self.atom()
            if sign == ":":
                groups[-1] = (*groups[-1], further)
            else:
                groups.append((*groups[-1], further))
        if self.token.text != ")":
            self.stop(
                f"{self.found()} in the group of a random term",
                "A group is a column, or columns joined by ':' (together) or '/' (nested); crossed groups are "
                "separate terms: (1 | g) + (1 | h).",
            )
        self.take()
        text = self.between(place)
        self.random += [RandomPart(text, terms, group, bar == "|") for group in groups]

    def product(self) -> str:
        written = self.interaction()
        while self.token.text in {"*", "/"}:
            sign = self.take().text
            written = f"({written}{sign}{self.interaction()})"
        return written

    def interaction(self) -> str:
        written = self.power()
        while self.token.text == ":":
            self.take()
            written = f"({written}:{self.power()})"
        return written

    def power(self) -> str:
        written = self.unit()
        if self.token.text in {"^", "**"}:
            self.take()
            degree = self.take()
            if degree.kind != "number" or not degree.text.isdigit() or int(degree.text) < 1:
                _stop(self.text, degree.place, "a whole number was expected after '^'")
            written = f"({written}**{degree.text})"
        return written

    def unit(self) -> str:
        if self.token.text == "(":
            self.take()
            inner = self.product()
            while self.token.text in {"+", "-"}:
                inner += f" {self.take().text} {self.product()}"
            if self.token.text in {"|", "||"}:
                self.stop("a random term inside another term", "Random terms are added: … + (1 | group).")
            self.expect(")")
            return f"({inner})"
        if self.token.kind == "number":
            self.stop(
                f"the number {self.token.text} inside a term",
                "A random term needs '|' and a group: (1 | group). A power is written I(x^2).",
            )
        atom = self.atom()
        if atom not in self.atoms:
            self.atoms.append(atom)
        return f"v{self.atoms.index(atom)}"

    def atom(self) -> Atom:
        token = self.token
        if token.kind not in {"name", "quoted"}:
            self.stop(f"a column was expected, but found {self.found()}")
        self.take()
        if token.kind == "quoted" or self.token.text != "(":
            return Atom(token.text.strip("`"))
        if token.text not in FUNCTIONS:
            _stop(self.text, token.place, f"the function '{token.text}'", f"Known functions: {', '.join(FUNCTIONS)}.")
        self.take()
        if self.token.kind not in {"name", "quoted"}:
            self.stop(f"a column was expected, but found {self.found()}")
        column, power = self.take().text.strip("`"), 1
        if token.text == "I":
            if self.token.text not in {"^", "**"}:
                self.stop("I(…) holds a power of a column", "For example I(age^2).")
            self.take()
            if not self.token.text.isdigit():
                self.stop("a whole number was expected after '^'")
            power = int(self.take().text)
        self.expect(")")
        return Atom(column, token.text, power)
