"""Is a part of a run a run, with nothing lost and nothing left over?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import Bilingual, Judgement, UserError
from hengliang.analyses.observations import observations
from hengliang.analyses.subsets import (
    count_open_ties,
    counting_parts,
    find_column,
    grouped,
    levels_in_order,
    named_levels,
    of_materials,
    restricted,
    ties_sentence,
    with_derived,
    with_open_ties,
    with_trials,
    with_values,
)
from hengliang.core import both, judgements_frame, sample_tables
from tests.analyses.shared_answers import rated_tables
from tests.grammar.judged_suites import simulated_rows, tables_of

ROWS = simulated_rows()
RUN = tables_of(ROWS)
COLUMNS = ["class", "modifier", "frame", "structured"]


def seen(tables: object, measure: str = "prediction") -> pl.DataFrame:
    return observations(tables, measure, columns=COLUMNS)  # type: ignore[arg-type]


# --- fewer items and systems ----------------------------------------------------------------------------------------


@given(
    classes=st.lists(st.sampled_from(["object", "subject"]), min_size=1, unique=True),
    modifiers=st.lists(st.sampled_from(["none", "adjective"]), min_size=1, unique=True),
    structured=st.lists(st.booleans(), min_size=1, unique=True),
    seeds=st.lists(st.sampled_from([0, 2]), min_size=1, unique=True),
)
@settings(max_examples=25, deadline=None)
def test_a_part_of_a_run_is_what_a_filter_of_its_observations_is(
    classes: list[str], modifiers: list[str], structured: list[bool], seeds: list[int]
) -> None:
    where: dict[str, Any] = {"class": classes, "modifier": modifiers, "structured": structured, "seed": seeds}
    found = seen(restricted(RUN, "prediction", where))
    expected = seen(RUN).filter(
        pl.col("class").is_in(classes),
        pl.col("modifier").is_in(modifiers),
        pl.col("structured").is_in(structured),
        pl.col("seed").is_in([str(seed) for seed in seeds]),
    )
    assert found.equals(expected)


def test_levels_may_be_named_as_tables_write_them_and_be_left_out() -> None:
    one = seen(restricted(RUN, "prediction", {"structured": "yes", "class": "object"}))
    two = seen(restricted(RUN, "prediction", without={"system": "LSTM", "class": ("subject", "no such class")}))
    assert one.equals(two)
    assert one.height == 2 * 6 * 2
    assert set(one["system"]) == {"RNNG"}


def test_answers_and_the_judgements_of_them_go_with_their_items_and_systems() -> None:
    part = restricted(sample_tables(), "match", {"block": [0, 1], "system": "two"})
    assert part.items["id"].to_list() == ["i0", "i1", "i2", "i3"]
    assert part.responses["ranking"].height == 4
    # Of system two's first four answers all are right: 个 本 个 条.
    assert observations(part, "match")["value"].to_list() == [1.0, 1.0, 1.0, 1.0]


def test_ratings_of_shared_responses_stay_with_the_systems_that_are_left() -> None:
    held = rated_tables()
    part = restricted(held, "fluency", without={"system": "RULE"})
    found = observations(part, "fluency", columns=[])
    assert not [name for name in found.columns if name.endswith("RULE")]
    assert set(found["response"]) == set(held.responses["label"].filter(pl.col("system") != "RULE")["id"])


def test_parts_are_judgements() -> None:
    run = tables_of(ROWS, parts=("1", "2", "control: interaction"))
    assert levels_in_order(run, "part") == ["1", "2", "control: interaction"]
    assert set(observations(restricted(run, "prediction", {"part": "2"}), "prediction")["part"]) == {"2"}


def test_empty_levels_can_be_asked_for() -> None:
    systems = RUN.systems.with_columns(data=pl.when(pl.col("name") == "RNNG").then("data"))
    run = replace(RUN, systems=systems)
    assert set(seen(restricted(run, "prediction", {"data": None}))["system"]) == {"LSTM"}
    assert set(seen(restricted(run, "prediction", without={"data": None}))["system"]) == {"RNNG"}


def test_a_set_that_is_judged_as_a_whole_is_not_cut() -> None:
    with pytest.raises(UserError, match="'condition' differs within the set 'object 0 adjective'"):
        restricted(RUN, "prediction", {"condition": "a"})


def test_a_judgement_about_nothing_is_still_found() -> None:
    stray = judgements_frame([Judgement("nothing", "LSTM", "prediction", "1", "machine", "formula", 1.0)])
    run = replace(RUN, judgements=pl.concat([RUN.judgements, stray]))
    with pytest.raises(UserError, match="about nothing in this run, among them 'nothing'"):
        seen(restricted(run, "prediction", {"class": "object"}))


@pytest.mark.parametrize(
    ("where", "problem"),
    [
        ({"clas": "object"}, "No column is called 'clas'. Did you mean class?"),
        ({"class": "objekt"}, "No level of 'class' is called 'objekt'. Did you mean object?"),
    ],
)
def test_names_that_nobody_has_are_told(where: dict[str, str], problem: str) -> None:
    with pytest.raises(UserError, match=problem.replace("?", r"\?")):
        restricted(RUN, "prediction", where)


def test_a_name_with_two_meanings_is_refused() -> None:
    run = replace(RUN, systems=RUN.systems.with_columns(modifier=pl.lit("x")))
    with pytest.raises(UserError, match="an attribute of items and a trait of systems"):
        find_column(run, "modifier")


# --- columns of one's own -------------------------------------------------------------------------------------------


def test_columns_are_derived_from_attributes_and_traits() -> None:
    run = with_derived(
        RUN, {"kind": {"architecture": {"LSTM": "plain"}}, "long": {"modifier": {"none": "no", "adjective": "yes"}}}
    )
    found = observations(run, "prediction", columns=["kind", "long", "modifier"])
    assert set(found.select("system", "kind").iter_rows()) == {("LSTM", "plain"), ("RNNG", None)}
    assert set(found.select("modifier", "long").iter_rows()) == {("none", "no"), ("adjective", "yes")}


def test_what_is_stated_stays() -> None:
    stated = replace(RUN, systems=RUN.systems.with_columns(kind=pl.Series(["own", "", None, None])))
    found = with_derived(stated, {"kind": {"structured": {"yes": "with", "no": "without"}}})
    assert found.systems["kind"].to_list() == ["own", "without", "with", "with"]


def test_a_derivation_has_one_source() -> None:
    with pytest.raises(UserError, match="'kind' is derived from 2 columns"):
        with_derived(RUN, {"kind": {"class": {}, "modifier": {}}})
    with pytest.raises(UserError, match="'kind' cannot be derived from 'part'"):
        with_derived(RUN, {"kind": {"part": {"1": "x"}}})


def test_trials_count_the_seeds_of_a_system() -> None:
    systems = pl.DataFrame({"name": ["a", "a", "b", "b", "c"], "seed": [0, 2, 7, 1, None]})
    found = with_trials(replace(RUN, systems=systems)).systems
    assert found["trial"].to_list() == ["1", "2", "2", "1", "1"]
    own = replace(RUN, systems=systems.with_columns(trial=pl.lit("x")))
    assert with_trials(own).systems["trial"].to_list() == ["x"] * 5


def test_values_follow_from_levels() -> None:
    found = with_values(RUN, "modifier", {"is_none": {"none": 1.0, "adjective": 0.0}}, pl.Float64())
    assert set(found.items.select("modifier", "is_none").iter_rows()) == {("none", 1.0), ("adjective", 0.0)}


# --- groups ---------------------------------------------------------------------------------------------------------


def test_groups_come_in_the_order_of_items_and_systems() -> None:
    found = grouped(RUN, "prediction", ("modifier", "system"))
    assert [tuple(group.levels.values()) for group in found.groups] == [
        ("none", "LSTM"), ("none", "RNNG"), ("adjective", "LSTM"), ("adjective", "RNNG"),
    ]  # fmt: skip
    assert found.groups[0].label.zh == "无修饰语，LSTM"
    assert sum(seen(group.tables).height for group in found.groups) == ROWS.height


def test_without_factors_there_is_one_group() -> None:
    (group,) = grouped(RUN, "prediction", ()).groups
    assert (group.levels, group.label.en, group.tables) == ({}, "all", RUN)


def test_observations_in_no_group_are_told() -> None:
    run = with_derived(RUN, {"kind": {"architecture": {"RNNG": "recurrent"}}})
    found = grouped(run, "prediction", ("kind",))
    assert [group.levels for group in found.groups] == [{"kind": "recurrent"}]
    assert [remark.en for remark in found.remarks] == [
        "48 of 96 observations (LSTM) are in no group: 'kind' is empty there."
    ]
    with pytest.raises(UserError, match="a column is empty in every row"):
        grouped(with_derived(RUN, {"kind": {"architecture": {}}}), "prediction", ("kind",))


def test_controls_do_not_count_unless_they_are_named() -> None:
    run = tables_of(ROWS, parts=("1", "2", "control: interaction"))
    assert counting_parts(run, "prediction") == ("1", "2")
    assert counting_parts(run, "prediction", ("control: interaction",)) == ("control: interaction",)
    with pytest.raises(UserError, match="All parts of 'prediction' are controls"):
        counting_parts(tables_of(ROWS, parts=("control: x",)), "prediction")


def test_one_level_may_stand_for_a_list() -> None:
    assert named_levels("none") == ("none",)
    assert named_levels(["none", True]) == ("none", True)


def test_open_ties_count_half_or_have_no_value_and_settled_ones_stay() -> None:
    labels = ["tie", "tie won", "tie lost", "failure", "success"]
    values = [0.0, 1.0, 0.0, 0.0, 1.0]
    rows = [
        Judgement(f"s{place}", "m", "prediction", "1", "machine", "formula", value, label)
        for place, (value, label) in enumerate(zip(values, labels, strict=True))
    ]
    other = Judgement("s0", "m", "another", "1", "machine", "formula", 0.0, "tie")
    run = replace(sample_tables(), judgements=judgements_frame([*rows, other]))
    expected = {"half": 0.5, "left out": None, "failure": 0.0}
    for ties, value in expected.items():
        held = with_open_ties(run, "prediction", ties).judgements  # type: ignore[arg-type]
        assert held["value"].to_list() == [value, *values[1:], 0.0]
    assert count_open_ties(run, "prediction", ["1"]) == (1, 5)
    assert count_open_ties(run, "prediction", ["2"]) == (0, 0)
    assert ties_sentence(1, 5, "half").en == "1 of 5 observations are ties and count half."
    assert ties_sentence(1, 5, "left out").zh == "5 个观测中有 1 个为平局，因无胜负而未计入。"


def test_names_end_in_the_materials_that_are_looked_at() -> None:
    assert of_materials({"class": "missing object"}) == both("")
    assert of_materials({"material": ("test suites", "mine")}) == Bilingual(
        " (test suites, mine)", "（本包套件、mine）"
    )
