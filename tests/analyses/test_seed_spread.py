from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

import pytest

from hengliang import Tables, UserError
from hengliang.analyses.seed_spread import SeedSpread, seed_spread
from hengliang.classifiers import LabelMatch, TopMatch
from hengliang.core import AttributeValue as Attribute
from hengliang.core import estimate_records
from hengliang.core import find_registered as find
from tests.analyses.answers import tables as label_tables
from tests.analyses.answers import values
from tests.analysis.ranked_answers import Answer, numbers, ranked_run, shuffled

KINDS = ["true", "true", "dual", "dual"]


def outcomes(text: str) -> list[Answer]:
    """Return right (+), wrong (-) and missing (.) answers."""
    return [None if sign == "." else ("本" if sign == "+" else "个", 1.0) for sign in text]


def run(
    answers: Mapping[tuple[str, int | None], str], traits: Mapping[str, Sequence[Attribute]] | None = None
) -> Tables:
    size = len(next(iter(answers.values())))
    held = {who: outcomes(text) for who, text in answers.items()}
    return ranked_run(
        ["本"] * size, held, [n // 2 for n in range(size)], (LabelMatch(), TopMatch()), traits, category=KINDS[:size]
    )


THREE = {("LSTM", 1): "++--", ("LSTM", 2): "+++-", ("LSTM", 3): "++++", ("GE", None): "+---"}


def test_mean_and_spread_by_hand() -> None:
    found = numbers(SeedSpread().estimate(run(THREE)))
    # Accuracies 1/2, 3/4 and 1.
    assert found["LSTM", "mean"] == pytest.approx(0.75)
    assert found["LSTM", "sd"] == pytest.approx(statistics.stdev([0.5, 0.75, 1.0])) == pytest.approx(0.25)
    assert (found["LSTM", "lowest"], found["LSTM", "highest"], found["LSTM", "seeds"]) == (0.5, 1.0, 3)
    assert (found["GE", "mean"], found["GE", "sd"], found["GE", "seeds"]) == (0.25, None, 1)


def test_the_interval_keeps_the_seeds_and_draws_clusters() -> None:
    # Two blocks. Block 0: all seeds right; block 1: 0, 1/2 and 1. A resample of one block twice has the mean 1 or 1/2,
    # with a chance of a quarter each.
    rows = {
        row.statistic: row for row in estimate_records(SeedSpread().estimate(run(THREE))) if "LSTM" in row.by.values()
    }
    assert (rows["mean"].low, rows["mean"].high) == pytest.approx((0.5, 1.0))
    assert rows["sd"].low is None and "2 clusters (block)" in rows["mean"].method


def test_by_category() -> None:
    found = numbers(SeedSpread(by="category").estimate(run(THREE)))
    assert (found["LSTM", "true", "mean"], found["LSTM", "true", "sd"]) == (1.0, 0.0)
    assert next(iter(found)) == ("LSTM", "true", "mean")  # in the order of the inventory, not of the alphabet
    assert found["LSTM", "dual", "mean"] == pytest.approx(0.5)
    assert found["LSTM", "dual", "sd"] == pytest.approx(0.5)


def test_each_seed_counts_once_however_many_answers_it_gave() -> None:
    found = SeedSpread().estimate(run({("A", 1): "+...", ("A", 2): "----", ("A", 3): "...."}))
    rows = {row.statistic: row for row in estimate_records(found)}
    # The mean of 1 and 0, not 1 of 5; the third seed has nothing to be counted.
    assert rows["mean"].value == 0.5 and rows["seeds"].value == 2
    assert (rows["mean"].n, rows["mean"].n_missing) == (5, 7)
    assert "1 without a judged answer left out" in rows["mean"].method


def test_a_system_without_any_judged_answer() -> None:
    found = numbers(SeedSpread().estimate(run({("A", 1): "....", ("B", 1): "++++"})))
    assert (found["A", "mean"], found["A", "sd"], found["A", "lowest"], found["A", "seeds"]) == (None, None, None, 0)


def test_trainings_with_names_of_their_own_are_grouped_by_a_trait() -> None:
    answers = {("L1", 1): "++--", ("L2", 2): "++++", ("GE", None): "+---"}
    found = numbers(SeedSpread(group="family").estimate(run(answers, {"family": ["LSTM", "LSTM", None]})))
    assert (found["LSTM", "mean"], found["LSTM", "seeds"]) == (0.75, 2)
    assert (found["GE", "mean"], found["GE", "seeds"]) == (0.25, 1)


def test_systems_that_differ_in_more_than_the_seed_are_refused() -> None:
    answers: dict[tuple[str, int | None], str] = {("L1", 1): "++--", ("L2", 1): "++++"}
    with pytest.raises(UserError, match="'L1' and 'L2' have the same family 'LSTM' and the same seed"):
        SeedSpread(group="family").estimate(run(answers, {"family": ["LSTM", "LSTM"]}))


def test_judgements_that_tell_seeds_apart_reach_their_seed() -> None:
    # With one choice a ranking, top-3 is match; the judgements name the seeds.
    held = run(THREE)
    assert "LSTM (seed 2)" in held.judgements["scored_system"].to_list()
    assert numbers(SeedSpread(measure="top-3").estimate(held)) == numbers(SeedSpread().estimate(held))


def test_labels_do_as_well_as_rankings() -> None:
    found = values(SeedSpread().estimate(label_tables()))
    assert (found["GE", "mean"], found["MIX", "mean"]) == (2 / 5, 3 / 4)


def test_the_order_of_the_tables_does_not_matter() -> None:
    assert SeedSpread(draws=50).estimate(run(THREE)).equals(SeedSpread(draws=50).estimate(shuffled(run(THREE))))


def test_mistakes_are_told() -> None:
    with pytest.raises(UserError, match="Leave it out of by"):
        SeedSpread(by="seed").estimate(run(THREE))
    with pytest.raises(UserError, match="familie"):
        SeedSpread(group="familie").estimate(run(THREE, {"family": ["a"] * 4}))


def test_it_is_registered_and_keeps_its_promises() -> None:
    assert find("analysis", "seed spread").kind is SeedSpread is seed_spread
    assert (SeedSpread().name, SeedSpread(by="category").name) == ("seed spread", "seed spread by category")
    assert [finding for finding in SeedSpread().conformance() if not finding.kept] == []
    layout = SeedSpread(by="category").layout()
    assert layout.rows == ("system", "category") and layout.levels["dual"].zh == "两用量词"
