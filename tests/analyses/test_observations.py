"""Is every judgement of a run one observation, with all that is known about it?"""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from hengliang import Item, Judgement, Response, Tables, UserError
from hengliang.analyses.observations import judged_by_people, observations, parts_of, rated_responses
from hengliang.core import items_frame, judgements_frame, responses_frame, with_response_ids
from tests.analyses.answers import answer, judge, tables
from tests.analyses.shared_answers import ITEMS, RATERS, rated_tables, reversed_tables


def two_seeds() -> Tables:
    """Return GE without a seed, and MIX with two seeds of which the second answers everything with 个."""
    held = tables()
    frame = held.responses["label"].with_columns(seed=pl.when(pl.col("system") == "MIX").then("seed"))
    second = frame.filter(pl.col("system") == "GE").with_columns(system=pl.lit("MIX"), seed=pl.lit(2, dtype=pl.Int64))
    systems = pl.DataFrame({"name": ["GE", "MIX", "MIX"], "seed": [None, 1, 2], "neural": [False, True, True]})
    return judge(replace(held, systems=systems, responses={"label": pl.concat([frame, second])}))


# --- a machine's judgements -----------------------------------------------------------------------------------------


def test_judgements_of_answers_may_name_the_seed() -> None:
    held = two_seeds()
    # Both seeds of MIX say 个 to the first item: one id, and a judgement for each seed.
    about = held.responses["label"].filter((pl.col("item") == "i0") & (pl.col("system") == "MIX"))["id"].unique()
    told = [Judgement(about[0], f"MIX (seed {seed})", "apart", "", "machine", "x", seed / 10) for seed in (1, 2)]
    rows = observations(replace(held, judgements=judgements_frame(told)), "apart")
    assert rows.filter(pl.col("item") == "i0").select("system", "seed", "value").rows() == [
        ("MIX", "1", 0.1),
        ("MIX", "2", 0.2),
    ]


def test_each_answer_of_each_system_and_seed_is_a_row() -> None:
    rows = observations(two_seeds(), "match")
    assert rows.group_by("system", "seed").len().sort("system", "seed").rows() == [
        ("GE", "(none)", 5),
        ("MIX", "1", 5),
        ("MIX", "2", 5),
    ]
    assert rows["model"].to_list() == rows["system"].to_list()
    # gold 个 个 本 张 张; GE says 个 five times, MIX with seed 1 says 个 本 本 nothing 张.
    assert rows.filter(pl.col("seed") == "1")["value"].to_list() == [1.0, 0.0, 1.0, None, 1.0]
    assert rows.filter(pl.col("system") == "GE")["value"].to_list() == [1.0, 1.0, 0.0, 0.0, 0.0]
    assert rows.filter(pl.col("system") == "MIX")["neural"].all()
    assert rows.filter(pl.col("seed") == "2")["category"].to_list() == ["true", "true", "true", "dual", "dual"]


def test_an_answer_that_was_never_given_has_a_row_without_a_value() -> None:
    held = tables()
    fewer = held.responses["label"].filter(~((pl.col("system") == "GE") & (pl.col("item") == "i0")))
    rows = observations(replace(held, responses={"label": fewer}), "match")
    assert rows.filter(pl.col("system") == "GE")["value"].to_list() == [None, 1.0, 0.0, 0.0, 0.0]


def test_a_judgement_that_names_no_system_holds_for_all_that_gave_the_answer() -> None:
    held = tables(gold=("个",), answers={"A": ("个",), "B": ("个",), "C": ("本",)}, blocks=("a",))
    one = held.judgements.filter(pl.col("scored_system") == "A").with_columns(scored_system=pl.lit(""))
    rows = observations(replace(held, judgements=one), "match")
    assert rows.select("system", "value").rows() == [("A", 1.0), ("B", 1.0)]


def test_each_part_is_a_row_of_its_own() -> None:
    held = tables()
    again = held.judgements.with_columns(part=pl.lit("again"), value=pl.col("value") + 1)
    both = replace(held, judgements=pl.concat([held.judgements, again]))
    assert parts_of(both, "match") == ["", "again"]
    assert observations(both, "match").height == 20
    chosen = observations(both, "match", parts=["again"])
    assert chosen["part"].unique().to_list() == ["again"]
    assert chosen.filter(pl.col("system") == "GE")["value"].to_list() == [2.0, 2.0, 1.0, 1.0, 1.0]
    with pytest.raises(UserError, match="Did you mean again"):
        observations(both, "match", parts=["agian"])


def test_two_numbers_for_one_answer_are_refused() -> None:
    held = tables()
    other = held.judgements.with_columns(value=pl.lit(0.5), status=pl.lit("ok"))
    with pytest.raises(UserError, match="several judgements of the answer"):
        observations(replace(held, judgements=pl.concat([held.judgements, other])), "match")


# --- people's ratings -----------------------------------------------------------------------------------------------


def test_a_rating_of_a_shared_response_is_one_row_with_the_shares_of_its_systems() -> None:
    rows = observations(rated_tables(), "fluency")
    # Every third item has two distinct responses, the others three; six raters judge each.
    shared = ITEMS // 3
    assert rows.height == RATERS * (shared * 2 + (ITEMS - shared) * 3)
    two = rows.filter(pl.col("n_systems") == 2)
    assert two.height == RATERS * shared
    assert two.select("gave_BERT", "gave_GE", "gave_RULE").unique().rows() == [(1, 0, 1)]
    assert two.select("share_BERT", "share_GE", "share_RULE").unique().rows() == [(0.5, 0.0, 0.5)]
    # Who gave it, and whether that one is neural, is not one thing; the seed of both is 1.
    assert two["system"].null_count() == two["neural"].null_count() == two.height
    assert two["seed"].unique().to_list() == ["1"]
    alone = rows.filter(pl.col("n_systems") == 1)
    assert alone.filter(pl.col("system") == "GE")["gave_GE"].to_list() == [1] * RATERS * ITEMS
    assert (rows["share_BERT"] + rows["share_GE"] + rows["share_RULE"] == 1).all()


def test_a_rating_that_is_missing_has_a_row_without_a_value() -> None:
    held = rated_tables()
    first = pl.int_range(pl.len()) == 0
    judgements = held.judgements.with_columns(
        value=pl.when(~first).then("value"),
        status=pl.when(first).then(pl.lit("missing")).otherwise("status"),
        reason=pl.when(first).then(pl.lit("skipped")).otherwise("reason"),
    )
    rows = observations(replace(held, judgements=judgements), "fluency")
    assert rows.height == held.judgements.height
    assert rows["value"].null_count() == 1
    assert rated_responses(replace(held, judgements=judgements), "fluency").n_missing == 1


def test_a_trait_that_givers_do_not_share_is_refused_when_it_is_asked_for() -> None:
    with pytest.raises(UserError, match="Systems that differ in 'neural' gave the same response 8 times"):
        observations(rated_tables(), "fluency", columns=["neural"])
    assert "neural" not in observations(rated_tables(), "fluency", columns=["odd"]).columns


def test_only_systems_whose_responses_were_rated_have_shares() -> None:
    held = rated_tables()
    silent = [Response("zzz", "i00", "UNRATED", 1, "", "label", "只")]
    more = pl.concat([held.responses["label"], responses_frame(silent, "label")])
    rows = observations(replace(held, responses={"label": more}), "fluency")
    assert [name for name in rows.columns if name.startswith("share_")] == ["share_BERT", "share_GE", "share_RULE"]


# --- judgements about sets ------------------------------------------------------------------------------------------


def suite() -> Tables:
    """Return two sets of two conditions that two systems, one of them with two seeds, are judged on in two parts."""
    items = items_frame(
        Item(f"{pair}{condition}", pair, "suite", condition, "物", attributes={"modifier": pair, "length": length})
        for pair in ("s1", "s2")
        for length, condition in enumerate(("whole", "part"))
    )
    systems = pl.DataFrame({"name": ["gram", "lstm", "lstm"], "seed": [None, 1, 2], "structured": [False, True, True]})
    judgements = [
        Judgement(pair, system, "success", part, "machine", "criterion", float(len(system) % 2 == number % 2))
        for system in ("gram", "lstm (seed 1)", "lstm (seed 2)")
        for pair in ("s1", "s2")
        for number, part in enumerate(("1", "2"))
    ]
    return Tables(items, systems, {}, judgements_frame(judgements))


def test_a_judgement_about_a_set_has_what_its_items_share() -> None:
    rows = observations(suite(), "success")
    assert rows.height == 12
    assert rows["item"].to_list() == rows["set"].to_list()
    assert rows.select("system", "seed", "structured").unique().sort("system", "seed").rows() == [
        ("gram", "(none)", False),
        ("lstm", "1", True),
        ("lstm", "2", True),
    ]
    assert rows["modifier"].to_list() == rows["set"].to_list()
    # The two items of a set differ in condition and length.
    assert rows["condition"].null_count() == rows["length"].null_count() == 12
    with pytest.raises(UserError, match="'length' differs within the set 's1'"):
        observations(suite(), "success", columns=["length"])


def test_seeds_that_a_measure_does_not_tell_apart_are_refused() -> None:
    held = suite()
    blurred = held.judgements.with_columns(pl.col("scored_system").str.replace(r" \(seed \d\)", ""))
    blurred = blurred.with_columns(value=pl.int_range(pl.len()).cast(pl.Float64))
    with pytest.raises(UserError, match="several judgements of the set 's1' for the system 'lstm'") as caught:
        observations(replace(held, judgements=blurred), "success")
    assert "'NAME (seed 2)'" in caught.value.remedy


def test_people_may_judge_sets() -> None:
    held = suite()
    said = [Judgement(pair, "", "ease", "", "person", rater, 3.0) for pair in ("s1", "s2") for rater in ("p", "q")]
    rows = observations(replace(held, judgements=judgements_frame(said)), "ease")
    assert rows.select("set", "rater").rows() == [("s1", "p"), ("s1", "q"), ("s2", "p"), ("s2", "q")]
    assert rows["system"].null_count() == 4


# --- all kinds ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("held", "measure"), [(two_seeds(), "match"), (rated_tables(), "fluency"), (suite(), "success")]
)
def test_the_order_of_the_tables_does_not_matter(held: Tables, measure: str) -> None:
    assert_frame_equal(observations(held, measure), observations(reversed_tables(held), measure))


def test_an_unknown_measure_or_column_lists_those_that_are_there() -> None:
    with pytest.raises(UserError, match="Did you mean fluency"):
        observations(rated_tables(), "fluncy")
    with pytest.raises(UserError, match="Did you mean block"):
        observations(rated_tables(), "fluency", columns=["blok"])


def test_a_name_that_means_two_things_is_refused_when_it_is_asked_for() -> None:
    held = rated_tables()
    doubtful = replace(held, systems=held.systems.rename({"neural": "block"}))
    assert "block" not in observations(doubtful, "fluency").columns
    with pytest.raises(UserError, match="'block' means several things"):
        observations(doubtful, "fluency", columns=["block"])
    own = replace(held, items=held.items.rename({"odd": "model"}))
    with pytest.raises(UserError, match="'model' means several things"):
        observations(own, "fluency", columns=["model"])


def test_judgements_about_nothing_and_without_numbers_are_refused() -> None:
    held = rated_tables()
    lost = pl.concat([held.judgements, held.judgements.head(1).with_columns(about=pl.lit("gone"))])
    with pytest.raises(UserError, match="1 judgements of 'fluency' are about nothing in this run, among them 'gone'"):
        observations(replace(held, judgements=lost), "fluency")
    labels = held.judgements.with_columns(value=pl.lit(None, dtype=pl.Float64), label=pl.lit("good"))
    with pytest.raises(UserError, match="'fluency' gave no number"):
        observations(replace(held, judgements=labels), "fluency")


def test_one_measure_has_one_kind_of_judge_and_judges_one_kind_of_thing() -> None:
    held = rated_tables()
    machine = held.judgements.head(1).with_columns(judge_kind=pl.lit("machine"))
    with pytest.raises(UserError, match="Machines and people both judge 'fluency'"):
        observations(replace(held, judgements=pl.concat([held.judgements, machine])), "fluency")
    about_set = held.judgements.head(1).with_columns(about=pl.lit("s0"))
    with pytest.raises(UserError, match="'fluency' judges responses and sets"):
        observations(replace(held, judgements=pl.concat([held.judgements, about_set])), "fluency")


def test_who_judges_is_told() -> None:
    assert judged_by_people(rated_tables(), "fluency")
    assert not judged_by_people(tables(), "match")
    with pytest.raises(UserError, match="'match' holds no ratings of responses by people"):
        rated_responses(tables(), "match")


def test_what_a_person_answered_keeps_who_answered() -> None:
    held = tables()
    person = replace(answer("i0", "people", "个"), respondent="p7", seed=None)
    more = pl.concat([held.responses["label"], with_response_ids(responses_frame([person], "label"), "label")])
    rows = observations(judge(replace(held, responses={"label": more})), "match")
    assert rows.filter(pl.col("system") == "people").select("respondent", "value").rows() == [("p7", 1.0)]
