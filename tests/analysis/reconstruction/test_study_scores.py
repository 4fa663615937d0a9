"""Are experts' scores found, whatever they are about?"""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from hengliang import UserError
from hengliang.analysis.reconstruction.study_scores import expert_values
from hengliang.materials.scenes import read_scene
from hengliang.people.scene_pairs import ScenePair
from tests.analysis.reconstruction.made_answers import spread_answers
from tests.analysis.reconstruction.made_runs import run_of, with_scores

SCORES = {"31": 4.0, "32": 5.0, "40": 3.0}


def test_judgements_about_the_description_are_averaged_over_judges() -> None:
    tables = with_scores(run_of(spread_answers("5")), SCORES)
    assert expert_values(tables, "informativity") == {"31": 3.5, "32": 4.5, "40": 2.5}


def test_judgements_about_the_pair_of_a_rating_survey() -> None:
    tables = with_scores(run_of(spread_answers("5")), SCORES)
    about = {
        row["source"]: ScenePair(row["pair"], row["condition"], read_scene(row["gold"]), row["content"]).about
        for row in tables.items.iter_rows(named=True)
    }
    moved = tables.judgements.with_columns(pl.col("about").replace(about))
    assert expert_values(replace(tables, judgements=moved), "informativity") == {"31": 3.5, "32": 4.5, "40": 2.5}


def test_one_judgement_of_a_shared_text_counts_for_all_its_pairs() -> None:
    # The describers of 31 and 32 wrote the same text of the same scene: one response, judged once by each expert.
    tables = run_of(spread_answers("5"))
    one = tables.items.filter(pair="31")["source"][0]
    shared = pl.when(pl.col("pair").is_in(["31", "32"])).then(pl.lit(one)).otherwise("source").alias("source")
    tables = with_scores(replace(tables, items=tables.items.with_columns(shared)), {"31": 4.0, "40": 3.0})
    assert expert_values(tables, "informativity") == {"31": 3.5, "32": 3.5, "40": 2.5}
    assert expert_values(replace(tables, items=tables.items.reverse()), "informativity") == {
        "31": 3.5, "32": 3.5, "40": 2.5
    }  # fmt: skip


def test_a_judgement_about_an_item_is_not_one_about_a_pair_of_that_name() -> None:
    tables = with_scores(run_of(spread_answers("5")), {"31": 4.0})
    # The item of pair 31 is called as another item's pair.
    named = tables.items.with_columns(pl.col("id").replace({"item 31": "32"}))
    moved = tables.judgements.with_columns(pl.col("about").replace(tables.items.filter(pair="31")["source"][0], "32"))
    assert expert_values(replace(tables, items=named, judgements=moved), "informativity") == {"31": 3.5}


def test_attributes_of_the_items() -> None:
    tables = run_of(spread_answers("5"), attributes={"correctness": 4.5})
    found = expert_values(tables, "correctness")
    assert len(found) == 36 and set(found.values()) == {4.5}


def test_faults() -> None:
    tables = with_scores(run_of(spread_answers("5")), SCORES)
    with pytest.raises(UserError, match="No score is called 'beauty'"):
        expert_values(tables, "beauty")
    lost = replace(tables, judgements=tables.judgements.with_columns(about=pl.lit("elsewhere")))
    with pytest.raises(UserError, match="are about none of the descriptions"):
        expert_values(lost, "informativity")
    words = replace(tables, items=tables.items.with_columns(correctness=pl.lit("good")))
    with pytest.raises(UserError, match="holds no numbers"):
        expert_values(words, "correctness")
