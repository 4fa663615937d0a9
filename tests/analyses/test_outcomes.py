from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from hengliang import Judgement, Response, UserError
from hengliang.analyses.outcomes import cells, due_answers, with_clusters, with_factors, with_judgements
from hengliang.core import ScoredUnit, judgements_frame, responses_frame, with_response_ids
from tests.analyses.answers import answer, judge, tables


def labels(rows: pl.DataFrame, system: str) -> list[str | None]:
    return rows.filter(pl.col("system") == system).sort("item")["label"].to_list()


def test_every_answer_has_a_row_also_one_that_failed() -> None:
    rows = due_answers(tables())
    assert rows.height == 10
    assert labels(rows, "MIX") == ["个", "本", "本", None, "张"]


def test_an_item_that_a_system_never_saw_is_due_all_the_same() -> None:
    held = tables()
    fewer = held.responses["label"].filter(~((pl.col("system") == "GE") & (pl.col("item") == "i0")))
    assert labels(due_answers(replace(held, responses={"label": fewer})), "GE") == [None, "个", "个", "个", "个"]


def test_materials_that_a_system_was_not_given_are_not_due() -> None:
    held = tables()
    items = held.items.with_columns(material=pl.Series(["one", "one", "two", "two", "two"]))
    one = held.responses["label"].filter((pl.col("system") != "GE") | pl.col("item").is_in(["i0", "i1"]))
    rows = due_answers(replace(held, items=items, responses={"label": one}))
    assert labels(rows, "GE") == ["个", "个"]
    assert len(labels(rows, "MIX")) == 5


def test_a_person_owes_only_what_was_shown() -> None:
    person = [Response("", "i0", "people", None, "p7", "label", "个")]
    held = tables()
    both = pl.concat([held.responses["label"], with_response_ids(responses_frame(person, "label"), "label")])
    assert labels(due_answers(replace(held, responses={"label": both})), "people") == ["个"]


def test_systems_come_in_the_order_of_their_table() -> None:
    held = tables()
    assert due_answers(held)["system"].unique(maintain_order=True).to_list() == ["GE", "MIX"]
    turned = replace(held, systems=held.systems.reverse())
    assert due_answers(turned)["system"].unique(maintain_order=True).to_list() == ["MIX", "GE"]


def test_answers_of_other_kinds_have_a_row_and_no_label() -> None:
    held = tables()
    scored = Response("", "i0", "LM", None, "", "units", (ScoredUnit(0, 3, -1.0, None),))
    units = with_response_ids(responses_frame([scored], "units"), "units")
    rows = due_answers(replace(held, responses={**held.responses, "units": units}))
    assert labels(rows, "LM") == [None] * 5
    assert set(due_answers(held, ("label", "ranking"))["system"]) == {"GE", "MIX"}


def test_systems_that_no_table_lists_come_by_name() -> None:
    held = tables()
    unlisted = due_answers(replace(held, systems=held.systems.clear()))
    assert unlisted["system"].unique(maintain_order=True).to_list() == ["GE", "MIX"]


def test_no_answers_are_an_error() -> None:
    with pytest.raises(UserError, match="no answers of the kind label or ranking"):
        due_answers(replace(tables(), responses={}), ("label", "ranking"))


def test_judgements_join_each_answer_of_each_seed_once() -> None:
    held = tables()
    again = with_response_ids(responses_frame([answer("i0", "GE", "个", seed=2)], "label"), "label")
    held = judge(replace(held, responses={"label": pl.concat([held.responses["label"], again])}))
    rows = with_judgements(due_answers(held), held, "match")
    # GE answered i0 with two seeds alike: two answers, one judgement, which both of them get. The second seed owes the
    # other four items too.
    first = rows.filter((pl.col("system") == "GE") & (pl.col("item") == "i0"))
    assert first.select("seed", "value").rows() == [(1, 1.0), (2, 1.0)]
    assert rows.filter((pl.col("system") == "GE") & (pl.col("seed") == 2))["value"].null_count() == 4


def test_judgements_that_name_a_seed_reach_that_seed_alone() -> None:
    held = tables()
    again = with_response_ids(responses_frame([answer("i0", "GE", "个", seed=2)], "label"), "label")
    held = replace(held, responses={"label": pl.concat([held.responses["label"], again])})
    about = again["id"][0]  # the same answer, and so the same id, as that of seed 1
    told = [Judgement(about, f"GE (seed {seed})", "apart", "", "machine", "made up", seed / 10) for seed in (1, 2)]
    held = replace(held, judgements=judgements_frame(told))
    rows = with_judgements(due_answers(held), held, "apart")
    assert set(rows["system"]) == {"GE"}
    assert rows.filter(pl.col("item") == "i0").select("seed", "value").rows() == [(1, 0.1), (2, 0.2)]


def test_an_unknown_measure_is_named_with_the_known_ones() -> None:
    held = tables()
    with pytest.raises(UserError, match=r"'mach'. Did you mean match\?"):
        with_judgements(due_answers(held), held, "mach")


def test_systems_that_the_measure_did_not_look_at_are_left_out() -> None:
    held = tables()
    seen = replace(held, judgements=held.judgements.filter(pl.col("scored_system") == "GE"))
    assert set(with_judgements(due_answers(seen), seen, "match")["system"]) == {"GE"}


def test_two_numbers_about_one_answer_are_refused() -> None:
    held = tables()
    about = held.responses["label"]["id"][0]
    second = judgements_frame([Judgement(about, "GE", "match", "second", "machine", "label match", 0.0)])
    doubled = replace(held, judgements=pl.concat([held.judgements, second]))
    with pytest.raises(UserError, match="several judgements"):
        with_judgements(due_answers(doubled), doubled, "match")


def test_factors_are_attributes_of_items_and_traits_of_systems() -> None:
    held = tables()
    held = replace(held, systems=held.systems.with_columns(learned=pl.Series([False, True])))
    rows = with_factors(due_answers(held), held, ["category", "learned", "seed"])
    found = [by for by, _ in cells(rows, ["learned", "category"])]
    assert found == [
        {"system": "GE", "learned": "no", "category": "dual"},
        {"system": "GE", "learned": "no", "category": "true"},
        {"system": "MIX", "learned": "yes", "category": "dual"},
        {"system": "MIX", "learned": "yes", "category": "true"},
    ]


def test_an_item_without_the_factor_has_a_level_of_its_own_at_the_end() -> None:
    held = tables(category=["true", None, "dual", "true", None])
    rows = with_factors(due_answers(held), held, ["category"])
    assert [by["category"] for by, _ in cells(rows, ["category"])][:3] == ["dual", "true", "(none)"]


def test_numbers_are_ordered_as_numbers() -> None:
    held = tables(size=[10, 9, 100, 9, 10])
    rows = with_factors(due_answers(held), held, ["size"])
    assert [by["size"] for by, _ in cells(rows, ["size"])][:3] == ["9", "10", "100"]


def test_an_unknown_factor_is_named_with_the_known_ones() -> None:
    held = tables()
    with pytest.raises(UserError, match=r"'categry'. Did you mean category\?"):
        with_factors(due_answers(held), held, ["categry"])


def test_a_factor_of_items_and_systems_at_once_is_refused() -> None:
    held = tables()
    held = replace(held, systems=held.systems.with_columns(category=pl.lit("neural")))
    with pytest.raises(UserError, match="Rename one of them"):
        with_factors(due_answers(held), held, ["category"])


def test_a_missing_cluster_names_the_attributes() -> None:
    held = tables()
    with pytest.raises(UserError, match=r"no attribute 'article'.*block, category"):
        with_clusters(due_answers(held), held, "article")


def test_an_item_without_cluster_is_named() -> None:
    held = tables(blocks=["a", "a", None, "b", "b"])
    with pytest.raises(UserError, match=r"'block' is empty for 1 items, among them 'i2'"):
        with_clusters(due_answers(held), held, "block")
