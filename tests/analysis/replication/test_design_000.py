"""Do the items, ratings and paired tests of paper 000 agree with each other?"""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from scipy.stats import t as student

from hengliang.analysis.replication.design_000 import (
    count_items,
    even_split,
    informative_pairs,
    p_of_correlation,
    p_of_r,
    r_of_p,
)
from hengliang.replication import Replicated, recompute, replicate
from hengliang.replication import published_numbers as published

PAPER = published("000")


def of(name: str) -> Replicated:
    return recompute(PAPER, PAPER.claim(name))


def test_items() -> None:
    assert count_items({"1": 112, "2": 60, "3": 23, "4": 5}) == 321  # 112 + 120 + 69 + 20
    assert count_items({"1": 63, "2": 80, "3": 48, "4": 9}) == 403  # 63 + 160 + 144 + 36
    differing = {row.claim.id for row in replicate(("000",), "items") if row.verdict == "differs"}
    # 321 items make 80 or 81 a version; 24 legible sentences of appendix A have three choices, the text says 23; the
    # data file holds other sentences.
    assert differing == {"items.exp1-per-version", "items.exp1-appendix3", "items.exp1-file"}
    assert of("items.exp1-per-version").text() == "80-81"
    assert of("items.exp2-per-version").verdict == "same"  # 403 = 2·80 + 3·81
    assert of("items.exp1-file").text() == "322"  # 111 + 2 · 61 + 3 · 23 + 4 · 5


def test_ratings() -> None:
    assert of("ratings.exp1").verdict == "same"  # 200 sentences, two raters
    for name, ratings in (("random", 588), ("infrequent", 573)):
        assert of(f"ratings.{name}").verdict == "compatible"
        split = even_split(100, (6, 6, 5, 5, 7), ratings)
        assert split is not None
        assert sum(split) == 100
        assert sum(part * raters for part, raters in zip(split, (6, 6, 5, 5, 7), strict=True)) == ratings
    assert even_split(100, (6, 6, 5, 5, 7), 701) is None
    # 112 sentences match three times; those with two choices up to twice, with three up to once: 336 to 479 matches.
    assert of("ratings.matching").recomputed.ends() == (2 * 336, 2 * 479)
    # 105 + 127 + 140 = 372 matches are legible; 26 sentences are not, with up to three matches each.
    assert of("ratings.matching-appendix").recomputed.ends() == (744, 900)
    assert of("ratings.matching-file").text() == "876"  # 124 + 151 + 163 = 438, twice


def test_participants() -> None:
    verdicts = {row.claim.id: row.verdict for row in replicate(("000",), "participants")}
    assert set(verdicts.values()) == {"same", "compatible"}
    assert sum(verdict == "compatible" for verdict in verdicts.values()) == 4  # means and deviations of the ages


@given(st.floats(0.0005, 0.9995), st.integers(4, 5000))
def test_p_and_r_are_inverse(p: float, n: int) -> None:
    if norm.isf(p / 2) / math.sqrt(n) < 1:
        assert p_of_r(r_of_p(p, n), n) == pytest.approx(p, rel=1e-9)


@pytest.mark.parametrize(
    ("name", "r"),
    [  # norm.isf(p/2)/√N, rounded
        ("wilcoxon-1.clarity-corpus-bert-r", "0.0923"),
        ("wilcoxon-1.fluency-corpus-bert-r", "0.0353"),
        ("hypotheses-2.h5-r", "0.1036"),
        ("wilcoxon-2.clarity-random-r", "0.0767"),
        ("wilcoxon-2.fluency-random-r", "0.1049"),
        ("wilcoxon-2.clarity-infrequent-r", "0.0378"),
        ("wilcoxon-2.fluency-infrequent-r", "0.0997"),
    ],
)
def test_every_r_follows_from_its_p_and_the_pairs(name: str, r: str) -> None:
    row = of(name)
    assert row.recomputed.value == pytest.approx(float(r), abs=5e-5)
    assert row.verdict == "same"
    assert of(name.removesuffix("r") + "p").verdict == "compatible"


def test_where_p_is_a_bound_r_has_one() -> None:
    # norm.isf(.0005) = 3.2905: over √588 .1357, over √400 .1645.
    assert of("hypotheses-2.h3-r").recomputed.low == pytest.approx(3.29053 / math.sqrt(588), abs=1e-5)
    assert of("wilcoxon-1.bert-lstm-r").recomputed.low == pytest.approx(3.29053 / 20, abs=1e-5)
    assert {row.verdict for row in replicate(("000",), "wilcoxon-1")} == {"same", "compatible"}


def test_how_many_pairs_can_differ() -> None:
    # Appendix B: CORPUS and BERT chose differently for 11 random sentences; a version had seven raters at most.
    assert informative_pairs(PAPER, PAPER.claim("wilcoxon-2.fluency-random-r").inputs) == 77
    assert informative_pairs(PAPER, {}) is None


def test_the_family_of_five() -> None:
    decisions = {f"h{n}": of(f"hypotheses-2.h{n}-decision") for n in range(1, 6)}
    assert [row.text() for row in decisions.values()] == ["no", "yes", "yes", "yes", "no"]
    assert {row.verdict for row in decisions.values()} == {"same"}
    assert decisions["h1"].recomputed.note.en.endswith("Holm: .043")
    assert decisions["h5"].recomputed.note.en.endswith("Holm: .024")
    assert of("hypotheses-2.threshold").verdict == "same"  # .05/5


def test_no_difference_between_corpus_and_bert_holds_in_experiment_1_only() -> None:
    differing = {row.claim.id for row in replicate(("000",), "no-difference") if row.verdict == "differs"}
    assert differing == {"no-difference.exp2-fluency-random", "no-difference.exp2-fluency-infrequent"}
    # .011 · 4 = .044 < .05 but .017 · 4 = .068
    assert "only the .010" in of("no-difference.exp2-fluency-random").recomputed.note.en
    assert "taken as a family" in of("no-difference.exp2-fluency-infrequent").recomputed.note.en


def test_degrees_of_freedom_count_copies() -> None:
    for name, rows, items in (("exp1", 1600, 321), ("random", 2352, 142), ("infrequent", 2292, 261)):
        row = of(f"correlation.{name}-df")
        assert row.recomputed.value == rows - 2
        assert row.verdict == "same"
        assert f"{items} different items" in row.recomputed.note.en
        assert of(f"correlation.{name}-p").verdict == "same"


def test_the_p_of_a_correlation() -> None:
    # t = .5·√(10/.75) = 1.8257 on 10 degrees of freedom
    assert p_of_correlation(0.5, 10) == pytest.approx(2 * student.sf(1.8257419, 10), rel=1e-6)
