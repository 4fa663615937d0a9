"""How does a formula speak of systems when one response may belong to several of them?

A rating of a response that A and B gave is half a rating of A and half one of B: multiple membership [1]. The term
`system` is replaced by the shares of the systems, treatment coding with fractions: the coefficient of `share_B` is the
difference between responses that B alone gave and those that the reference alone gave.

[1] Browne, W. J., Goldstein, H., Rasbash, J. (2001). Multiple membership multiple classification (MMMC) models.
    Statistical Modelling 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from hengliang.core.errors import UserError
from hengliang.statistics.models.formula import FACTOR_FUNCTIONS, Atom, Expression, Formula, parse

SYSTEM_NAMES = ("system", "model")
"""What a formula may call the system."""

_PLACE = re.compile(r"v(\d+)")


def names_system(formula: Formula) -> bool:
    """Say whether the formula uses the system."""
    return any(name in formula.columns for name in SYSTEM_NAMES)


def with_shares(formula: Formula, systems: Sequence[str], reference: str) -> Formula:
    """Return the formula with the shares of the systems, but for the reference, in place of `system`.

    Without an intercept (`0 + system`) the reference has a share, too.

    As a term of its own, fixed or varying by a group, `system` can be replaced; an interaction or a grouping by system
    cannot, and is refused.
    """
    shares = {system: Atom(f"share_{system}").source for system in (reference, *systems)}
    parts = [_rewritten(formula, formula.fixed, shares)]
    for part in formula.random:
        if any(_is_system(atom) for atom in part.group):
            _refuse(formula, part.text)
        bar = "|" if part.correlated else "||"
        group = ":".join(atom.source for atom in part.group)
        parts.append(f"({_rewritten(formula, part.terms, shares)} {bar} {group})")
    return parse(f"{formula.response.source} ~ {' + '.join(parts)}")


def _is_system(atom: Atom) -> bool:
    return atom.column in SYSTEM_NAMES and atom.function in ("", *FACTOR_FUNCTIONS)


def _rewritten(formula: Formula, expression: Expression, shares: Mapping[str, str]) -> str:
    # Shares sum to 1: beside an intercept the first of them, the reference, says nothing.
    used = list(shares.values())[int(expression.algebra.startswith("1")) :]
    places = {f"v{place}" for place, atom in enumerate(expression.atoms) if _is_system(atom)}
    written = []
    for sign, term in _terms(expression.algebra):
        if term in places:
            written += [f"{sign} {share}" for share in used]
            continue
        source = _PLACE.sub(lambda found: expression.atoms[int(found[1])].source, term)
        if {f"v{place}" for place in _PLACE.findall(term)} & places:
            _refuse(formula, source)
        written.append(f"{sign} {source}")
    return " ".join(written).removeprefix("+ ")


def _terms(algebra: str) -> Iterator[tuple[str, str]]:
    """Cut `1 + v0 - (v1*v2)` into signs and terms; brackets stay whole."""
    sign, start, depth = "+", 0, 0
    for place, character in enumerate(algebra):
        depth += (character == "(") - (character == ")")
        if depth == 0 and character in "+-":
            yield sign, algebra[start:place].strip()
            sign, start = character, place + 1
    yield sign, algebra[start:].strip()


def _refuse(formula: Formula, term: str) -> None:
    raise UserError(
        f"'{term}' in '{formula.text}' needs one system for each rating, but some responses were given by several.",
        valid="`system` as a term of its own, fixed or before the bar of a random term: … + system + (1 + system | g).",
        remedy="Leave the interaction or grouping out, or compare two systems at a time with compare_systems.",
    )
