"""Reading formulas, and pointing at mistakes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.statistics.models.formula import Atom, parse


def test_all_kinds_of_terms() -> None:
    formula = parse("y ~ a*b + x + (1 + a | g) + (1 | g:h) + (1 | g/h) + (x || g) + (0 + x | g)")
    assert formula.response == Atom("y")
    assert (formula.fixed.text, formula.fixed.algebra) == ("a*b + x", "1 + (v0*v1) + v2")
    read = [(part.group_name, part.terms.algebra, part.correlated) for part in formula.random]
    assert read == [
        ("g", "1 + v0", True),
        ("g:h", "1", True),
        ("g", "1", True),
        ("g:h", "1", True),
        ("g", "1 + v0", False),
        ("g", "0 + v0", True),
    ]
    assert formula.columns == ("y", "a", "b", "x", "g", "h")


@pytest.mark.parametrize(
    ("text", "algebra"),
    [
        ("y ~ 1", "1"),
        ("y ~ 0", "0"),
        ("y ~ a - 1", "0 + v0"),
        ("y ~ 0 + a", "0 + v0"),
        ("y ~ -1 + a", "0 + v0"),
        ("y ~ a + (1 | g) - 1", "0 + v0"),
        ("y ~ (1 | g)", "1"),
        ("y ~ a:b*c", "1 + ((v0:v1)*v2)"),
        ("y ~ (a + b)^2 - a:b", "1 + ((v0 + v1)**2) - (v0:v1)"),
        ("y ~ a + a", "1 + v0 + v0"),
    ],
)
def test_the_fixed_part(text: str, algebra: str) -> None:
    assert parse(text).fixed.algebra == algebra


def test_functions_and_backticks() -> None:
    formula = parse("log(`反应 时间`) ~ C(age) + I(x^2) + 系统 + (系统 | `rater no.`)")
    assert formula.response == Atom("反应 时间", "log")
    assert [atom.text for atom in formula.fixed.atoms] == ["C(age)", "I(x^2)", "系统"]
    assert formula.random[0].group_name == "rater no."
    assert formula.response.source == "log(`反应 时间`)"
    assert formula.fixed.atoms[1].source == "I(x^2)"


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("y ~ a + (1 rater)", "needs '|' and a group", 10),
        ("y ~ a + (1 + a)", "needs '|' and a group", 10),
        ("y ~", "a column was expected, but found the end", 4),
        ("~ a", "no response", 1),
        ("y ~ a + + b", "a column was expected, but found '+'", 9),
        ("y ~ a b", "backticks", 7),
        ("y ~ 1|g", "stands in parentheses", 6),
        ("y ~ (1|g", "the end in the group", 9),
        ("y ~ ((a)", "never closed", 5),
        ("y ~ 系统 ＋ b", "half-width '\\+'", 8),
        ("y ~ a + (1|g*h)", "crossed groups are separate terms", 13),
        ("y ~ os(x)", "Known functions", 5),
        ("y ~ 2*a", "Only 1", 5),
        ("cbind(a, b) ~ x", "one row for each answer", 1),
        ("y ~ x - (1|g)", "cannot be subtracted", 9),
        ("y ~ x ~ z", "a second '~'", 7),
        ("y ~ `a", "never closed", 5),
        ("y ~ I(x)", r"I\(age\^2\)", 8),
        ("y ~ a^b", "a whole number", 7),
        ("y ~ (|g)", "no effects before", 6),
    ],
)
def test_mistakes_are_shown_with_their_place(text: str, message: str, place: int) -> None:
    with pytest.raises(UserError, match=message.replace("|", r"\|").replace("'+'", r"'\+'")) as caught:
        parse(text)
    assert f"at character {place}." in caught.value.problem
    assert f"\n  {text}\n" in caught.value.problem


def test_a_caret_stands_below_a_chinese_formula() -> None:
    with pytest.raises(UserError) as caught:
        parse("流畅 ~ 系统 系统")
    assert caught.value.problem.splitlines()[2] == "  " + " " * 12 + "^"  # four wide signs count double


def test_a_formula_needs_a_tilde() -> None:
    with pytest.raises(UserError, match="has no '~'"):
        parse("y + a")


@given(st.text(alphabet="ya1 ~+-*:/^|()`,.2系", max_size=25))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        assert parse(text).text == text.strip()
    except UserError as error:
        assert error.problem


@given(st.text(min_size=1, max_size=10).filter(lambda text: "`" not in text))
def test_any_name_survives_its_backticks(name: str) -> None:
    atom = parse(f"`{name}` ~ 1").response
    assert atom.column == name
    assert parse(f"{atom.source} ~ 1").response == atom
