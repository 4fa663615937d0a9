"""Is the agreement of two judges told whole: correlations, systems, items, ceiling, worth?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.analyses.judge_levels import JudgeAgreement, judge_agreement
from hengliang.statistics import ScoreTable


def judges(seed: int = 3, items: int = 25, systems: int = 3, raters: int = 4) -> tuple[ScoreTable, ScoreTable]:
    """Return an automatic score and ratings of the same answers."""
    generator = np.random.default_rng(seed)
    machine, people = [], []
    for item in range(items):
        for system in range(systems):
            quality = generator.normal() + 0.6 * system
            machine.append((f"i{item:02}", f"S{system}", quality + generator.normal(0, 0.8)))
            for rater in range(raters):
                score = float(np.clip(round(4 + 1.2 * quality + generator.normal()), 1, 7))
                people.append((f"i{item:02}", f"S{system}", f"r{rater}", score))
    first = pl.DataFrame(machine, schema=["item", "system", "score"], orient="row")
    second = pl.DataFrame(people, schema=["item", "system", "rater", "score"], orient="row")
    return ScoreTable.of(first, name="surprisal"), ScoreTable.of(second, name="fluency")


def compared(**settings_: object) -> JudgeAgreement:
    return judge_agreement(*judges(), draws=50, splits=10, permutations=200, **settings_)  # type: ignore[arg-type]


def test_everything_is_there() -> None:
    found = compared()
    assert (found.n, found.n_items, found.systems.height, len(found.pairs)) == (75, 25, 3, 3)
    levels = {value.by["level"] for value in found.values}
    assert levels == {"items", "pairs of items", "pairs within an item", "items within a system", "systems"}
    assert list(found.ceilings) == list(found.worth) == ["second"]
    sentence = found.sentence()
    assert "Over 75 observations of 25 items, surprisal and fluency correlate (r = ." in sentence.en
    assert "pairs of systems are ranked differently" in sentence.en
    assert "(fluency: noise ceiling r = ." in sentence.en
    assert "For agreement with fluency, surprisal is worth" in sentence.en
    assert "rest on 3 systems only" in sentence.en
    assert "对系统中有" in sentence.zh
    assert "convention resampled: items" in str(found)


def test_the_same_judge_twice_agrees_with_itself() -> None:
    machine, _ = judges()
    found = judge_agreement(machine, machine, draws=20)
    for value in found.values:
        assert value.value == pytest.approx(1), value
    assert found.ranked_differently == ()
    assert found.items["difference"].abs().max() == pytest.approx(0)
    assert found.ceilings == {}


@settings(max_examples=10)
@given(st.integers(0, 1000))
def test_exchanging_the_judges_changes_nothing(seed: int) -> None:
    first, second = judges(seed, items=10)
    one = judge_agreement(first, second, calibrate="none", draws=10, splits=2, permutations=20)
    two = judge_agreement(second, first, calibrate="none", draws=10, splits=2, permutations=20)
    for held, other in zip(one.values, two.values, strict=True):
        assert held.value == pytest.approx(other.value)
    assert len(one.ranked_differently) == len(two.ranked_differently)
    assert one.items["item"].to_list() == two.items["item"].to_list()


@settings(max_examples=10)
@given(st.integers(0, 1000))
def test_monotone_scores_keep_their_ranks(seed: int) -> None:
    first, second = judges(seed, items=10)
    bent = ScoreTable("bent", first.frame.with_columns(pl.col("score").exp()))
    one, two = (judge_agreement(held, second, draws=5, splits=2, permutations=20) for held in (first, bent))
    for level, name in (("items", "spearman"), ("items", "kendall"), ("pairs within an item", "accuracy with ties")):
        assert one.value(level, name).value == pytest.approx(two.value(level, name).value)


def test_a_reversed_score_has_the_other_sign() -> None:
    plain, turned = compared(), compared(reverse="first")
    assert turned.names == ("−surprisal", "fluency")
    assert turned.value("items", "pearson").value == pytest.approx(-plain.value("items", "pearson").value)
    assert "The two run against each other." in turned.sentence().en
    against = judge_agreement(ScoreTable("s", judges()[0].frame.with_columns(-pl.col("score"))), judges()[1], draws=10)
    assert "--reverse first" in against.sentence().en
    both = compared(reverse="second")
    assert both.worth["second"].value == turned.worth["second"].value == 0


def test_systems_that_are_ranked_differently_are_found() -> None:
    rows = {"item": ["a", "b", "c", "d"] * 2, "system": ["M"] * 4 + ["N"] * 4}
    first = ScoreTable.of(pl.DataFrame({**rows, "score": [1, 2, 3, 4, 2, 3, 4, 5]}), name="machine")
    second = ScoreTable.of(pl.DataFrame({**rows, "score": [7, 6, 6, 7, 4, 5, 3, 2]}), name="people")
    found = judge_agreement(first, second, draws=10)
    (pair,) = found.ranked_differently
    assert (pair.system, pair.reference, pair.first, pair.second) == ("N", "M", 1.0, -3.0)
    # All four differences have one sign: 2 of 16 sign changes are as extreme.
    assert (pair.first_p, pair.second_p) == (0.125, 0.125)
    assert "ranked differently: N − M: 1 (p = 0.125) and -3 (p = 0.125)" in found.summary()


def test_items_on_which_they_part_most_come_first() -> None:
    first = ScoreTable.of(pl.DataFrame({"item": list("abcdef"), "score": [1, 2, 3, 4, 5, 60]}))
    second = ScoreTable.of(pl.DataFrame({"item": list("abcdef"), "score": [1, 2, 3, 4, 5, 1]}))
    found = judge_agreement(first, second, draws=10)
    assert found.parting(1)["item"].to_list() == ["f"]
    row = found.parting(1).row(0, named=True)
    one, two = np.array([1, 2, 3, 4, 5, 60.0]), np.array([1, 2, 3, 4, 5, 1.0])
    expected = (60 - one.mean()) / one.std() - (1 - two.mean()) / two.std()
    assert row["difference"] == pytest.approx(expected)
    assert (row["first_rank"], row["second_rank"]) == (6.0, 1.5)


def test_answers_scored_by_one_only_are_counted() -> None:
    first, second = judges()
    fewer = ScoreTable(first.name, first.frame.head(70))
    found = judge_agreement(fewer, second, draws=10, splits=2)
    assert (found.n, found.left_out) == (70, 5)
    assert "5 answers were scored by one of the two only" in found.sentence().en


def test_estimates_and_signature() -> None:
    found = compared()
    rows = list(found.estimates("agree", {"material": "m"}))
    assert len(rows) == len(found.values) + 5 + 4
    assert {row.by["level"] for row in rows} >= {"items", "systems", "raters of fluency"}
    pairs = dict(found.signature().pairs)
    assert (pairs["first"], pairs["second"], pairs["seed"], pairs["resampled"]) == (
        "surprisal",
        "fluency",
        "1",
        "items",
    )
    assert pairs["data"] != dict(judge_agreement(*judges(seed=4), draws=5, splits=2).signature().pairs)["data"]
    assert compared().values == found.values


def test_mistakes_are_named() -> None:
    first, second = judges()
    flat = ScoreTable("flat", first.frame.with_columns(score=pl.lit(2.0)))
    with pytest.raises(UserError, match="All 75 scores of 'flat' are 2"):
        judge_agreement(flat, second)
    with pytest.raises(UserError, match="have 2 answers in common"):
        judge_agreement(ScoreTable("few", first.frame.head(2)), second)
    with pytest.raises(UserError, match="reverse 'both' does not exist"):
        compared(reverse="both")
    with pytest.raises(UserError, match="There is no 'phi' of 'items'"):
        compared().value("items", "phi")


@pytest.mark.mirror
def test_sentence_length_against_acceptability(mirror: Path) -> None:
    """Lau et al. (2020), no context: longer sentences are a little less acceptable, and length is a poor judge."""
    table = pl.read_csv(mirror / "lau2020" / "context-none-ratings.csv", infer_schema_length=None)
    words = table.select(item="ID", score=pl.col("sentence").str.split(" ").list.len())
    ratings = table.select(item="ID", score=pl.col("full-ratings").str.split(",")).explode("score")
    people = ScoreTable.of(ratings, name="acceptability", anonymous=True)
    found = judge_agreement(ScoreTable.of(words, name="length"), people, reverse="first", draws=200)
    means = table.select("ID", "mean-ratings").sort(pl.col("ID").cast(pl.String))
    lengths = words.sort(pl.col("item").cast(pl.String))["score"]
    expected = -np.corrcoef(lengths, means["mean-ratings"])[0, 1]
    assert found.value("items", "pearson").value == pytest.approx(expected)
    assert 0 < found.value("items", "pearson").value < 0.3
    assert 0 < found.worth["second"].value < 1
    assert found.ceilings["second"].value > 0.95


@pytest.mark.mirror
def test_ratings_of_textbook_sentences(mirror: Path) -> None:
    """SMOG, sentences of a syntax textbook: the mean of the list is the published mean, mode by mode."""
    table = pl.read_csv(mirror / "smog" / "adger.csv", separator="\t", quote_char=None, infer_schema_length=None)
    one = table.filter(pl.col("MOP") == "MOP2").with_row_index("item")
    ratings = one.select("item", score=pl.col("rating_list").str.split(", ")).explode("score")
    people = ScoreTable.of(ratings, name="acceptability", anonymous=True)
    published = ScoreTable.of(one.select("item", score="mean_rating"), name="published mean")
    found = judge_agreement(published, people, draws=50, splits=20)
    assert found.n == one.height
    assert found.value("items", "pearson").value == pytest.approx(1, abs=1e-6)
    # The mean of all is no judge of its own: it holds the votes that it is compared with.
    assert "is worth more than" in found.sentence().en
