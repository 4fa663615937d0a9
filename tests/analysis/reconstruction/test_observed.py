"""Are the answers in a run those that were given, by reader, pair, describer and size?"""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from hengliang import Tables, UserError
from hengliang.analysis.reconstruction.answers import reconstructions
from hengliang.analysis.reconstruction.observed import observed_counts, observed_swaps
from tests.analysis.reconstruction.made_answers import made, spread_answers
from tests.analysis.reconstruction.made_runs import run_of
from tests.people.scene_examples import ANIMALS

BY = ("condition", "scene_size")
KEY = ["describer", "size", "pair", "participant"]
SET = pl.lit("BS=2 BC=1 RS=2 RC=1")
VALUES = ["swaps", "share", "share_of_maximum", "exact"]


@pytest.mark.parametrize("seeds", [False, True])
def test_judgements_give_the_same_swaps_as_the_answers(seeds: bool) -> None:
    truth = made(spread_answers("4")).frame
    found = observed_swaps(run_of(spread_answers("4"), seeds=seeds), BY, "pair")
    assert found["system"].unique().to_list() == ["people"]
    # Every seed of a system owes an answer to every item, a person only to what was shown.
    assert found.height == (20 * 30 if seeds else 120)
    found = found.drop_nulls("swaps")
    values = [
        frame.sort("size", "pair", *VALUES).select("describer", "size", "pair", *VALUES) for frame in (found, truth)
    ]
    for name in VALUES:
        assert values[0][name].to_list() == pytest.approx(values[1][name].to_list())
    assert values[0].drop(VALUES).equals(values[1].drop(VALUES))
    first = found["participant"][0]
    assert ("(seed " in first) is seeds


def test_missing_answers_are_rows_without_numbers() -> None:
    answers = list(spread_answers("5"))
    answers[0] = replace(answers[0], counts=None, reason="did not understand")
    found = observed_swaps(run_of(answers), BY, "pair").filter(pair="31")
    assert found["swaps"].null_count() == 1 and found["exact"].null_count() == 1 and found.height == 2
    counts = observed_counts(run_of(answers), BY, "pair").filter(pair="31")
    assert counts["answer"].null_count() == 1


def test_counts_are_those_that_were_given() -> None:
    found = observed_counts(run_of(spread_answers("5")), BY, "pair").sort("pair", "participant")
    truth = reconstructions(spread_answers("5")).frame.sort("pair", "participant")
    assert found["answer"].to_list() == truth["answer"].to_list()
    assert found["size"].to_list() == truth["size"].to_list()


def test_the_scene_is_that_of_the_gold_answer_else_the_set() -> None:
    tables = run_of(spread_answers("5"))
    truth = dict(reconstructions(spread_answers("5")).frame.select("pair", "scene").iter_rows())
    for frame in (observed_swaps(tables, BY, "pair"), observed_counts(tables, BY, "pair")):
        assert frame.schema["scene"] == pl.String
        assert dict(frame.select("pair", "scene").iter_rows()) == truth
    # One scene written in two ways is one scene.
    turned = pl.col("gold").str.split(" ").list.reverse().list.join(", ")
    other = replace(tables, items=tables.items.with_columns(turned))
    assert dict(observed_swaps(other, BY, "pair").select("pair", "scene").iter_rows()) == truth
    bare = replace(tables, items=tables.items.with_columns(gold=pl.lit(None, dtype=pl.String), set=pl.lit("park")))
    assert observed_swaps(bare, BY, "pair")["scene"].unique().to_list() == ["park"]
    assert observed_counts(bare, BY, "pair")["scene"].unique().to_list() == ["park"]


def with_content(tables: Tables, *contents: list[tuple[str, int]]) -> Tables:
    """Return the run with other counts in its first answers."""
    counts = tables.responses["counts"]
    held = counts["content"].to_list()
    for place, content in enumerate(contents):
        held[place] = [{"kind": kind, "count": count} for kind, count in content]
    changed = counts.with_columns(content=pl.Series(held, dtype=counts.schema["content"]))
    return replace(tables, responses={"counts": changed})


def test_codes_and_names_are_the_same_kinds_and_what_cannot_be_read_is_missing() -> None:
    # The first three pairs are of six things: BS=2 BC=1 RS=2 RC=1, two readers each.
    tables = run_of(list(spread_answers("5"))[:6])
    changed = with_content(
        tables,
        [("BS", 2), ("BC", 1), ("red square", 2), ("RC", 1)],
        [("blue square", 5), ("blue circle", 1), ("red square", 2), ("red circle", 1)],
        [("BS", 2), ("blue square", 2), ("RC", 2)],
        [("green square", 6)],
    )
    who = changed.responses["counts"]["respondent"].to_list()
    found = dict(observed_counts(changed, BY, "pair").select("participant", "answer").iter_rows())
    assert found[who[0]] == [2, 1, 2, 1] and [found[one] for one in who[1:4]] == [None] * 3
    # The size that an item states is checked where it has no gold answer.
    bare = replace(changed, items=changed.items.with_columns(gold=pl.lit(None, dtype=pl.String)))
    assert observed_counts(bare, BY, "pair").equals(observed_counts(changed, BY, "pair").with_columns(scene=SET))


def test_answers_of_another_domain_are_no_missing_answers() -> None:
    tables = with_content(run_of(list(spread_answers("5"))[:2]), [("black cat", 6)], [("white dog", 6)])
    with pytest.raises(UserError, match="None of the 2 answers can be read as counts of the domain") as caught:
        observed_counts(tables, BY, "pair")
    assert "domain=" in caught.value.remedy
    animals = replace(tables, items=tables.items.with_columns(gold=pl.lit("BC=5 WD=1")))
    found = observed_counts(animals, BY, "pair", ANIMALS)
    assert found["answer"].to_list() == [[6, 0, 0, 0], [0, 0, 0, 6]] and set(found["scene"]) == {"BC=5 WD=1"}


def test_an_item_without_a_pair_is_its_own() -> None:
    tables = run_of(spread_answers("5"))
    bare = replace(tables, items=tables.items.drop("pair"))
    assert observed_swaps(bare, BY, "pair")["pair"].n_unique() == 36
    assert observed_counts(bare, BY, "pair")["pair"].to_list()[0].startswith("item ")


def test_faults() -> None:
    tables = run_of(spread_answers("5"))
    with pytest.raises(UserError, match="does not name who described"):
        observed_swaps(tables, ("condition",), "pair")
    with pytest.raises(UserError, match="does not name who described"):
        observed_counts(tables, "condition", "pair")
    with pytest.raises(UserError, match="'size'"):
        observed_swaps(tables, ("condition", "size"), "pair")
    with pytest.raises(UserError, match="'size'"):
        observed_counts(tables, ("condition", "size"), "pair")
    with pytest.raises(UserError, match="nobody answered with counts"):
        observed_counts(replace(tables, responses={}), BY, "pair")


def test_the_order_of_the_tables_does_not_matter() -> None:
    tables = run_of(spread_answers("5"))
    turned = replace(
        tables,
        items=tables.items.reverse(),
        responses={"counts": tables.responses["counts"].reverse()},
        judgements=tables.judgements.reverse(),
    )
    assert observed_swaps(tables, BY, "pair").equals(observed_swaps(turned, BY, "pair"))
    one, other = (observed_counts(held, BY, "pair") for held in (tables, turned))
    assert one.equals(other) and one.schema["size"] == pl.Int64
