from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar
from statsmodels.stats.multitest import multipletests

from hengliang import Tables, UserError
from hengliang.analyses.classification import AccuracyDifference
from hengliang.analyses.paired_accuracy import NOT_BINARY, PairedAccuracy, paired_accuracy
from hengliang.core import ESTIMATE_SCHEMA, estimate_records, responses_frame, with_response_ids
from hengliang.core import find_registered as find
from hengliang.report import estimate_table
from tests.analyses.answers import answer, judge, tables, values
from tests.analysis.ranked_answers import shuffled


def run(right: Mapping[str, Sequence[bool | None]], blocks: list[int] | None = None) -> Tables:
    """Return a run whose systems are right (1), wrong (0) or silent (None) on each item."""
    size = len(next(iter(right.values())))
    answers = {name: [None if ok is None else "本" if ok else "个" for ok in held] for name, held in right.items()}
    return tables(["本"] * size, answers, [str(block) for block in blocks or range(size)], genre=["x"] * size)


# A is right on 1-8, B on 1-3 and 9, C everywhere; item 10 only C.
THREE: Mapping[str, Sequence[bool | None]] = {
    "A": [True] * 8 + [False] * 2,
    "B": [True] * 3 + [False] * 5 + [True, False],
    "C": [True] * 10,
}


def test_one_pair_by_hand() -> None:
    found = values(PairedAccuracy(pairs=[("A", "B")]).estimate(run(THREE)))
    assert found["A", "B", "difference"] == pytest.approx(0.4)
    # A alone is right on items 4 to 8, B alone on 9: g = 5/6 − 1/2.
    assert (found["A", "B", "only system"], found["A", "B", "only reference"]) == (5, 1)
    assert found["A", "B", "cohen-g"] == pytest.approx(5 / 6 - 1 / 2)
    # Exact: twice P(X ≥ 5) of Binomial(6, ½) = 2 (6 + 1) / 64; mid-p takes half of P(X = 5) away, twice.
    assert found["A", "B", "McNemar p"] == pytest.approx(14 / 64)
    half = values(PairedAccuracy(pairs=[("A", "B")], method="mid-p").estimate(run(THREE)))
    assert half["A", "B", "McNemar p"] == pytest.approx(8 / 64)


def test_pairs_are_all_and_corrected_as_one_family() -> None:
    found = values(PairedAccuracy().estimate(run(THREE)))
    pairs = [("B", "A"), ("C", "A"), ("C", "B")]
    # C − A: two items against none, p = 2 / 4; C − B: six against none, p = 2 / 64.
    raw = [found[*pair, "McNemar p"] for pair in pairs]
    assert raw == pytest.approx([14 / 64, 0.5, 2 / 64])
    adjusted = [found[*pair, "adjusted McNemar p"] for pair in pairs]
    # Holm: 3 × 2/64, then 2 × 14/64, then 1 × 1/2, none below the one before.
    assert adjusted == pytest.approx([28 / 64, 0.5, 6 / 64])
    assert adjusted == pytest.approx(multipletests(raw, method="holm")[1])
    clustered = [found[*pair, "clustered p"] for pair in pairs]
    assert [found[*pair, "adjusted clustered p"] for pair in pairs] == pytest.approx(
        multipletests(clustered, method="holm")[1]
    )


def test_the_difference_is_that_of_the_plain_analysis() -> None:
    columns = ["by", "statistic", "value", "low", "high", "n", "n_missing"]
    ours = PairedAccuracy().estimate(run(THREE)).filter(pl.col("statistic") == "difference")
    assert ours.select(columns).equals(AccuracyDifference().estimate(run(THREE)).select(columns))


OUTCOMES = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=10)


@given(OUTCOMES)
@settings(max_examples=25, deadline=None)
def test_mcnemar_is_that_of_statsmodels_and_of_clusters_of_one(outcomes: list[tuple[bool, bool]]) -> None:
    held = run({"A": [a for a, _ in outcomes], "B": [b for _, b in outcomes]})
    found = values(PairedAccuracy(draws=20).estimate(held))
    table = [[sum(b == x and a == y for a, b in outcomes) for y in (True, False)] for x in (True, False)]
    assert found["B", "A", "McNemar p"] == pytest.approx(their_mcnemar(table, exact=True).pvalue)
    # Where every cluster has one item, exchanging clusters is the exact test; ten items are enumerated in full.
    assert found["B", "A", "clustered p"] == pytest.approx(found["B", "A", "McNemar p"])


@given(OUTCOMES, st.data())
@settings(max_examples=25, deadline=None)
def test_the_clustered_p_by_full_enumeration(outcomes: list[tuple[bool, bool]], data: st.DataObject) -> None:
    blocks = data.draw(st.lists(st.integers(0, 3), min_size=len(outcomes), max_size=len(outcomes)))
    blocks[:2] = [0, 1]  # one cluster cannot be exchanged with itself
    held = run({"A": [a for a, _ in outcomes], "B": [b for _, b in outcomes]}, blocks)
    sums = np.zeros(4)
    for (a, b), block in zip(outcomes, blocks, strict=True):
        sums[block] += int(b) - int(a)
    flipped = [abs(np.dot(signs, sums)) for signs in product((-1, 1), repeat=4)]
    expected = np.mean([value >= abs(sums.sum()) - 1e-12 for value in flipped])
    found = values(PairedAccuracy(draws=20).estimate(held))
    assert found["B", "A", "clustered p"] == pytest.approx(expected)


def test_items_that_stick_together_make_the_clustered_p_larger() -> None:
    # Twelve items in three blocks, A right and B wrong on all of two blocks: McNemar sees eight independent items.
    held = run({"A": [True] * 8 + [False] * 4, "B": [False] * 12}, [n // 4 for n in range(12)])
    found = values(PairedAccuracy(pairs=[("A", "B")]).estimate(held))
    assert found["A", "B", "McNemar p"] == pytest.approx(2 / 2**8)
    # Three blocks with the sums 4, 4 and 0: of the four signs of two blocks two are as far from zero.
    assert found["A", "B", "clustered p"] == pytest.approx(0.5)


def test_missing_answers_leave_their_pair_out() -> None:
    found = PairedAccuracy().estimate(run({"A": [True, True, None, False], "B": [False, None, True, False]}))
    assert set(found["n"]) == {2} and set(found["n_missing"]) == {2}


def with_second_seed(held: Tables, labels: list[str | None], seed: int = 2) -> Tables:
    second = [answer(f"i{n}", "A", label, seed=seed) for n, label in enumerate(labels)]
    frame = pl.concat([held.responses["label"], with_response_ids(responses_frame(second, "label"), "label")])
    return judge(replace(held, responses={"label": frame}))


def test_seeds_are_averaged_but_mcnemar_takes_the_lowest() -> None:
    held = run({"A": [True, True, True, False], "B": [True, False, False, False]})
    held = with_second_seed(held, ["个", "本", "本", None])
    rows = {row.statistic: row for row in estimate_records(PairedAccuracy(pairs=[("A", "B")]).estimate(held))}
    assert rows["difference"].value == pytest.approx((-0.5 + 1 + 1 + 0) / 4)
    # Seed 1 of A alone: right on items 1 and 2 where B is wrong, never the other way round; p = 2 / 4.
    assert (rows["only system"].value, rows["only reference"].value, rows["McNemar p"].value) == (2, 0, 0.5)
    assert "of seed 1 of A alone" in rows["McNemar p"].method and "seed 1 of A" not in rows["clustered p"].method
    # Of the eight sums ±½ ± 1 ± 1 two are 2½ away from zero, two 1½ as observed, and four ½.
    assert rows["clustered p"].value == pytest.approx(4 / 8)


def test_values_between_zero_and_one_have_no_mcnemar_but_the_rest() -> None:
    held = run({"A": [True, True, True, False], "B": [True, False, False, False]})
    half = pl.when(pl.col("scored_system") == "A").then(pl.col("value") / 2).otherwise("value")
    held = replace(held, judgements=held.judgements.with_columns(value=half))
    rows = {row.statistic: row for row in estimate_records(PairedAccuracy(pairs=[("A", "B")]).estimate(held))}
    assert rows["McNemar p"].value is None and NOT_BINARY in rows["McNemar p"].method
    assert rows["only system"].value is None and "cohen-g" not in rows
    assert rows["clustered p"].value is not None and rows["difference"].value == pytest.approx(0.5 / 4)


def test_systems_that_never_differ() -> None:
    rows = {
        row.statistic: row
        for row in estimate_records(PairedAccuracy().estimate(run({"A": [True] * 3, "B": [True] * 3})))
    }
    assert rows["McNemar p"].value == 1.0 and rows["clustered p"].value == 1.0
    assert rows["cohen-g"].value is None and rows["difference"].value == 0


def test_one_cluster_gives_no_clustered_test_and_says_why() -> None:
    found = PairedAccuracy().estimate(run({"A": [True, True, False], "B": [False] * 3}, [1, 1, 1]))
    rows = {row.statistic: row for row in estimate_records(found)}
    assert rows["clustered p"].value is None and rows["clustered p"].method.startswith("no test: ")
    assert rows["adjusted clustered p"].value is None and rows["McNemar p"].value == 0.5


def test_one_system_alone_gives_an_empty_table() -> None:
    found = PairedAccuracy().conclude(run({"A": [True, False]}))
    assert found.estimates.height == 0 and dict(found.estimates.schema) == ESTIMATE_SCHEMA and found.sentences == ()


def test_systems_without_a_common_item() -> None:
    found = PairedAccuracy().estimate(run({"A": [True, None], "B": [None, True]}))
    rows = {row.statistic: row for row in estimate_records(found)}
    assert rows["difference"].value is None and rows["McNemar p"].value is None and rows["clustered p"].value is None


def test_swapping_a_pair_turns_the_signs_only() -> None:
    one = values(PairedAccuracy(pairs=[("A", "B")]).estimate(run(THREE)))
    two = values(PairedAccuracy(pairs=[("B", "A")]).estimate(run(THREE)))
    for name in ("difference", "cohen-g"):
        assert one["A", "B", name] == pytest.approx(-(two["B", "A", name] or 0))
    for name in ("McNemar p", "clustered p"):
        assert one["A", "B", name] == pytest.approx(two["B", "A", name])


def test_the_order_of_the_tables_does_not_matter() -> None:
    assert PairedAccuracy(draws=50).estimate(run(THREE)).equals(PairedAccuracy(draws=50).estimate(shuffled(run(THREE))))


def test_the_families_are_told_in_words() -> None:
    said = PairedAccuracy().conclude(run(THREE)).sentences
    assert [sentence.en.split(":")[0] for sentence in said] == ["McNemar's p", "Clustered p"]
    assert "0 of 3 tests are significant" in said[0].en and "检验族大小 3" in said[0].zh


def test_the_table_has_one_row_a_pair() -> None:
    analysis = PairedAccuracy()
    table = estimate_table(analysis.estimate(run(THREE)), analysis.layout())
    assert table.frame.height == 3
    assert "Clustered p, adjusted" in [column.title.en for column in table.columns]


def test_mistakes_are_told() -> None:
    with pytest.raises(UserError, match="exact, mid-p"):
        PairedAccuracy(method="chi").estimate(run(THREE))  # type: ignore[arg-type]
    with pytest.raises(UserError, match="holm"):
        PairedAccuracy(correction="tukey").estimate(run(THREE))  # type: ignore[arg-type]
    with pytest.raises(UserError, match="'D'"):
        PairedAccuracy(pairs=[("A", "D")]).estimate(run(THREE))


def test_it_is_registered_and_keeps_its_promises() -> None:
    assert find("analysis", "paired accuracy").kind is PairedAccuracy is paired_accuracy
    assert [finding for finding in PairedAccuracy().conformance() if not finding.kept] == []
