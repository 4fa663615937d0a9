from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import pearsonr, spearmanr

from hengliang import Estimate, Tables, UserError
from hengliang.core import LANGUAGES, estimate_records
from hengliang.core import find_registered as find
from hengliang.report import estimate_table
from hengliang.tagging.diagnosis import ALL_ITEMS, WITHIN_REACH
from hengliang.tagging.published import (
    DIFFERENCE,
    FORMULA,
    OURS,
    PAPER,
    PAPER_HERE,
    PEARSON,
    POSSIBLE,
    SPEARMAN,
    PublishedTagging,
    is_share,
    published_tagging,
)
from tests.tagging.diagnostic_answers import diagnostic_tables

# Our sentences for five items of the paper and one that it does not have (n:j).
SENTENCES = [
    ("n:v", "甲/n", "[甲]天"), ("n:v", "乙/n", "[乙]天"), ("v:a", "丙/v", "[丙]天"), ("v:n", "丁/v", "[丁]天"),
    ("an:a", "戊/an", "[戊]天"), ("n:d", "己/n", "[己]天"), ("n:j", "庚/n", "[庚]天"),
]  # fmt: skip
TAGGED = ["甲/n 天/n", "乙/v 天/n", "丙/v 天/n", "丁/d 天/n", "戊/a 天/n", "己/d 天/n", "庚/j 天/n"]
# D as published: n:v 50, v:a 100, v:n 0, an:a 0, n:d 0. Column B of the paper: 54.37, 50.59, 80.97, 0.00, 66.67.
OWN = {"n:v": 50.0, "v:a": 100.0, "v:n": 0.0, "an:a": 0.0, "n:d": 0.0}
PRINTED = {"n:v": 54.37, "v:a": 50.59, "v:n": 80.97, "an:a": 0.0, "n:d": 66.67}


def tables() -> Tables:
    return diagnostic_tables(SENTENCES, {"thulac": TAGGED, "other": TAGGED}, tags={"thulac": "a d j n v"})


def rows() -> list[Estimate]:
    return list(estimate_records(PublishedTagging().estimate(tables())))


def test_items_beside_the_paper() -> None:
    held = {(row.by["pair"], row.statistic): row.value for row in rows()}
    for pair, own in OWN.items():
        assert (held[pair, OURS], held[pair, PAPER]) == (own, PRINTED[pair])
        assert held[pair, DIFFERENCE] == pytest.approx(own - PRINTED[pair])
    assert held["v:n", FORMULA] is None  # its one sentence is Record
    assert ("n:j", OURS) not in held
    assert (held["p+r:d", OURS], held["p+r:d", PAPER]) == (None, 37.50)
    assert {row.by["system"] for row in rows()} == {"thulac"}


def test_the_largest_differences_come_first() -> None:
    order = [row.by["pair"] for row in rows() if row.statistic == DIFFERENCE and row.by["pair"] != ALL_ITEMS]
    assert order[:5] == ["v:n", "n:d", "v:a", "n:v", "an:a"]  # 80.97, 66.67, 49.41, 4.37, 0
    assert len(order) == 70


def test_correlations_over_items() -> None:
    held = {(row.by["pair"], row.statistic): row for row in rows()}
    first, second = list(OWN.values()), list(PRINTED.values())
    assert held[ALL_ITEMS, PEARSON].value == pytest.approx(pearsonr(first, second).statistic)
    assert held[ALL_ITEMS, SPEARMAN].value == pytest.approx(spearmanr(first, second).statistic)
    assert held[ALL_ITEMS, PEARSON].n == 5 and held[ALL_ITEMS, PEARSON].low is not None
    # an is out of the tagger's reach.
    near = [(OWN[pair], PRINTED[pair]) for pair in OWN if pair != "an:a"]
    assert held[WITHIN_REACH, PEARSON].value == pytest.approx(pearsonr(*zip(*near, strict=True)).statistic)
    assert held[WITHIN_REACH, PEARSON].n == 4


def test_z_beside_the_paper() -> None:
    held = {(row.by["pair"], row.statistic): row.value for row in rows()}
    assert held[ALL_ITEMS, OURS] == pytest.approx(sum(OWN.values()) / 5)
    assert held[ALL_ITEMS, PAPER] == 53.43
    assert held[ALL_ITEMS, DIFFERENCE] == pytest.approx(30 - 53.43)
    assert held[ALL_ITEMS, PAPER_HERE] == pytest.approx(sum(PRINTED.values()) / 5)


def test_too_few_items_for_a_correlation() -> None:
    few = diagnostic_tables(SENTENCES[:2], {"thulac": TAGGED[:2]})
    found = {row.statistic: row for row in estimate_records(PublishedTagging().estimate(few))}
    assert found[PEARSON].value is None and found[PEARSON].method.startswith("no number:")


def test_which_tagger_is_which() -> None:
    with pytest.raises(UserError, match="system that the paper has"):
        published_tagging({"pkuseg": "A"}).estimate(tables())
    with pytest.raises(UserError, match="'F'"):
        published_tagging({"thulac": "F"}).estimate(tables())
    found = published_tagging({"other": "C"}).estimate(tables())
    values = {(row.by["pair"], row.statistic): row.value for row in estimate_records(found)}
    assert values[ALL_ITEMS, PAPER] == 55.20 and values["v:a", PAPER] == 32.94


def test_possible_values() -> None:
    held = {(row.by["pair"], row.statistic): row.value for row in rows()}
    # 54.37 is no share of two sentences, 0.00 is one of one sentence.
    assert (held["n:v", POSSIBLE], held["an:a", POSSIBLE]) == (0, 1)


@given(st.integers(1, 400), st.data())
def test_every_rounded_share_is_a_share(n: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, n))
    assert is_share(f"{100 * count / n:.2f}", n)


@given(st.integers(1, 60), st.integers(0, 10000))
def test_a_share_is_found_by_trying_all(n: int, hundredths: int) -> None:
    text = f"{hundredths / 100:.2f}"
    # In whole numbers: the printed value, in hundredths, is half of one away at most.
    near = any(abs(2 * 10000 * count - 2 * hundredths * n) <= n for count in range(n + 1))
    assert is_share(text, n) == near


def test_halves_may_be_rounded_up_or_down() -> None:
    assert is_share("3.13", 32) and is_share("3.12", 32)  # 1 of 32 is 3.125
    assert not is_share("3.14", 32) and not is_share("0.00", 0)


def test_a_run_without_items_of_the_paper_is_told_so() -> None:
    other = diagnostic_tables([("n:zz", "甲/n", "[甲]天")], {"thulac": ["甲/n 天/n"]})
    with pytest.raises(UserError, match="No item of this run is one of the paper's"):
        published_tagging({"thulac": "B"}).estimate(other)


def test_in_words() -> None:
    told = PublishedTagging().conclude(tables()).sentences
    assert len(told) == 1
    assert "thulac beside the paper's B: Z 30.00 and 53.43" in told[0].en
    assert "v:n −81.0" in told[0].en and "差异最大者" in told[0].zh


def test_registered_laid_out_and_kept_promises() -> None:
    analysis = PublishedTagging()
    assert find("analysis", "published tagging scores").kind is PublishedTagging
    assert [finding.promise for finding in analysis.conformance() if not finding.kept] == []
    for language in LANGUAGES:
        assert "53.43" in estimate_table(analysis.estimate(tables()), analysis.layout(), language).to_markdown()
