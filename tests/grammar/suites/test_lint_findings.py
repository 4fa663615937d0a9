"""Does a finding carry its place, and are impossible settings refused?"""

from __future__ import annotations

import pytest

from hengliang import UserError
from hengliang.grammar.suites.lint import SEVERITIES, LintFinding, LintSettings, about_item, about_suite, shown
from tests.grammar.suites.lint_toys import suite


def test_a_finding_knows_its_place() -> None:
    held = suite()
    # The header has seven lines and a blank one; each item has three lines and a blank one.
    found = about_item(held, held.items[1], "toy-code", "note", "Look.")
    assert found == LintFinding("toy", "2", 13, "toy-code", "note", "Look.")
    assert about_suite(held, "toy-code", "error", "Look.") == LintFinding("toy", "", 0, "toy-code", "error", "Look.")
    assert found.to_json()["line"] == 13


def test_the_gravest_comes_first() -> None:
    assert SEVERITIES == ("error", "warning", "note")


def test_an_empty_region_is_shown_as_such() -> None:
    assert (shown(("修理", "了")), shown(())) == ("修理 了", "(empty)")


@pytest.mark.parametrize(
    ("name", "value"),
    [("greatest_ratio", 0.5), ("rare_below", -1), ("nearly_same", 1.2), ("same_frame", -0.1), ("objectless", 2.0)],
)
def test_impossible_settings_are_refused(name: str, value: float) -> None:
    with pytest.raises(UserError, match=f"{name} is {value}"):
        LintSettings(**{name: value})  # type: ignore[arg-type]
