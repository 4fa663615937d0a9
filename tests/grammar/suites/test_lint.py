"""Are all checks put together, in order, and do our own suites pass?"""

from __future__ import annotations

import os
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.classifiers import inventory
from hengliang.corpora import DEFAULT_CORPUS, corpus_frequencies, is_here
from hengliang.grammar.suites.library import written_suites
from hengliang.grammar.suites.lint import LintFinding, LintSettings, lint
from hengliang.grammar.suites.verbs import TransitivityTable, VerbUses, corpus_transitivity
from tests.grammar.suites.lint_toys import HEADER, ITEMS, codes, suite, toy_frequencies, toy_inventory

FAULTY = (
    ITEMS[0].replace("这 台", "这 匹"),
    ITEMS[1].replace("The pupil read this book.", ""),
    ITEMS[2],
    ITEMS[3].replace("登上", "上"),
)


def full(items: tuple[str, ...]) -> list[LintFinding]:
    held = suite(items)
    return lint([held], frequencies=toy_frequencies(held, 爷爷=0), inventory=toy_inventory())


def test_a_good_suite_passes_every_check() -> None:
    held = suite()
    table = TransitivityTable("toy", {"登上": VerbUses("登上", 20, 20)}, "0")
    assert lint([held], frequencies=toy_frequencies(held), inventory=toy_inventory(), transitivity=table) == []


def test_findings_come_by_line() -> None:
    assert codes(full(FAULTY)) == [
        ("1", "classifier-misfit", "error"),
        ("2", "no-gloss", "warning"),
        ("3", "unknown-word", "warning"),
        ("4", "unequal-length", "warning"),
    ]


def test_checks_without_their_table_are_left_out() -> None:
    assert codes(lint([suite(FAULTY)])) == [("2", "no-gloss", "warning"), ("4", "unequal-length", "warning")]


def test_suites_come_in_the_order_given() -> None:
    first, second = suite(FAULTY, name="b"), suite(FAULTY, HEADER.replace("verb–noun", "other"), "a")
    assert [one.suite for one in lint([first, second])] == ["b", "b", "a", "a"]


def test_two_suites_of_one_name_are_refused() -> None:
    with pytest.raises(UserError, match="Two suites are called 'toy'"):
        lint([suite(), suite()])


def test_no_suite_has_nothing() -> None:
    assert lint([]) == []


def test_settings_are_heeded() -> None:
    held = suite()
    frequencies = toy_frequencies(held, 登上=180, 了=1000)
    assert lint([held], frequencies=frequencies) == []
    found = lint([held], frequencies=frequencies, settings=LintSettings(greatest_ratio=3))
    assert codes(found) == [("4", "unequal-frequency", "error")]


@given(st.permutations(range(4)))
def test_permuting_the_items_of_a_suite_changes_nothing(order: list[int]) -> None:
    held = suite(FAULTY)
    moved = replace(held, items=tuple(held.items[place] for place in order))
    tables = {"frequencies": toy_frequencies(held, 爷爷=0), "inventory": toy_inventory()}
    assert lint([moved], **tables) == lint([held], **tables)  # type: ignore[arg-type]


def test_our_own_suites_pass_the_lint_without_a_corpus() -> None:
    found = lint(written_suites(), inventory=inventory(cedict=False))
    assert [one for one in found if one.severity == "error"] == []


@pytest.mark.untraced
@pytest.mark.skipif(not is_here(DEFAULT_CORPUS), reason="the default corpus is not installed")
def test_our_own_suites_pass_the_lint_against_the_default_corpus() -> None:
    found = lint(
        written_suites(),
        frequencies=corpus_frequencies(),
        inventory=inventory(cedict=bool(os.environ.get("HENGLIANG_MIRROR"))),
        transitivity=corpus_transitivity(),
    )
    assert [one for one in found if one.severity == "error"] == []
