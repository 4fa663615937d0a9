"""Does a formula speak of shares of systems where it spoke of systems, and of nothing else?"""

from __future__ import annotations

import pytest

from hengliang import UserError
from hengliang.analyses.model_analysis import names_system, with_shares
from hengliang.statistics import parse_model_formula as parse

SYSTEMS = ["BERT", "GE", "RULE"]


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("y ~ system", "y ~ 1 + share_BERT + share_RULE"),
        ("y ~ model + (1 | rater)", "y ~ 1 + share_BERT + share_RULE + (1 | rater)"),
        ("y ~ C(system) + x", "y ~ 1 + share_BERT + share_RULE + x"),
        # Without an intercept the reference has a share, too: each coefficient is then the mean of a system.
        ("y ~ 0 + system", "y ~ 0 + share_GE + share_BERT + share_RULE"),
        ("log(y) ~ system + a*b - a:b", "log(y) ~ 1 + share_BERT + share_RULE + (a*b) - (a:b)"),
        ("y ~ x + (1 + system | rater)", "y ~ 1 + x + (1 + share_BERT + share_RULE | rater)"),
        ("y ~ system + (system || rater)", "y ~ 1 + share_BERT + share_RULE + (1 + share_BERT + share_RULE || rater)"),
        ("y ~ system + (1 | a/b)", "y ~ 1 + share_BERT + share_RULE + (1 | a) + (1 | a:b)"),
        ("y ~ x + log(z)", "y ~ 1 + x + log(z)"),
    ],
)
def test_system_becomes_shares(formula: str, expected: str) -> None:
    assert with_shares(parse(formula), SYSTEMS, "GE").text == expected


def test_a_name_with_signs_stands_in_backticks() -> None:
    found = with_shares(parse("`ease of reading` ~ system"), ["BERT-base", "n-gram 5"], "n-gram 5")
    assert found.text == "`ease of reading` ~ 1 + `share_BERT-base`"
    assert found.columns == ("ease of reading", "share_BERT-base")


@pytest.mark.parametrize(
    ("formula", "term"),
    [
        ("y ~ system*x", "(system*x)"),
        ("y ~ x + x:system", "(x:system)"),
        ("y ~ x + (1 | system)", "(1 | system)"),
        ("y ~ x + (1 | rater:model)", "(1 | rater:model)"),
        ("y ~ x + (1 + x:system | rater)", "(x:system)"),
    ],
)
def test_what_needs_one_system_is_refused(formula: str, term: str) -> None:
    with pytest.raises(UserError) as caught:
        with_shares(parse(formula), SYSTEMS, "GE")
    assert caught.value.problem.startswith(f"'{term}' in '{formula}' needs one system for each rating")
    assert "compare_systems" in caught.value.remedy


def test_a_formula_without_systems_names_none() -> None:
    assert not names_system(parse("y ~ x + (1 | rater)"))
    assert names_system(parse("y ~ x + (1 | model:seed)"))
