"""Is each distinct choice one item, with everybody who made it, exactly as displayed?"""

from __future__ import annotations

import unicodedata
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import Item, Response, Span, UserError
from hengliang.core import CORPUS, Choice, items_frame, response_id, responses_frame, slice_bytes
from hengliang.materials.ccd import read_ccd
from hengliang.people.choice_merging import choices_of_choosers, choices_of_columns, choices_of_responses, merge_choices
from hengliang.systems.classifier_choosers.general import General
from tests.people.slot_rows import write_rows

MODELS = ("RULE", "LSTM", "BERT")


@pytest.fixture
def items(tmp_path: Path) -> pl.DataFrame:
    return read_ccd(write_rows(tmp_path), MODELS)


def shown(stimuli: pl.DataFrame, item: str) -> list[tuple[str, list[str]]]:
    return [tuple(row) for row in stimuli.filter(pl.col("item") == item).select("text", "systems").rows()]


def test_the_same_choice_is_one_item(items: pl.DataFrame) -> None:
    merged = merge_choices(items, choices_of_columns(items, MODELS))
    # As in the paper's figures: systems in their order, CORPUS first; items in the order of their first system.
    assert shown(merged.stimuli, "s1") == [("桌上有一封信。", [CORPUS, "RULE", "LSTM", "BERT"])]
    assert shown(merged.stimuli, "s2") == [
        ("他牵着一匹马。", [CORPUS, "RULE", "BERT"]),
        ("他牵着一个马。", ["LSTM"]),
    ]
    assert shown(merged.stimuli, "s4") == [
        ("每次的钟声都很响。", [CORPUS]),
        ("每种的钟声都很响。", ["RULE"]),
        ("每声的钟声都很响。", ["LSTM", "BERT"]),
    ]
    assert merged.systems == (CORPUS, *MODELS)
    # 1 + 2 + 3 + 3 + 4 items
    assert (merged.sentences, merged.stimuli.height, merged.distinct()) == (5, 13, {1: 1, 2: 1, 3: 2, 4: 1})
    # RULE is right in s1 and s2, LSTM in s1, BERT in s1 and s2.
    assert merged.matches() == {"RULE": (2, 5), "LSTM": (1, 5), "BERT": (2, 5)}


def test_the_classifier_is_the_span(items: pl.DataFrame) -> None:
    merged = merge_choices(items, choices_of_columns(items, MODELS))
    spans = [(row["text"], *row["spans"]) for row in merged.stimuli.to_dicts()]
    found = [slice_bytes(text, span["start"], span["end"]) for text, span in spans]
    assert {span["name"] for _, span in spans} == {"classifier"}
    assert found == ["封", "匹", "个", "辆", "台", "部", "次", "种", "声", "本", "册", "套", "箱"]


def test_what_is_displayed_decides(items: pl.DataFrame) -> None:
    # As in the paper's Figure 2 one system drops the 的; here it has the classifier of another one nevertheless.
    one = items.filter(pl.col("id") == "s4")
    choices = pl.DataFrame(
        {
            "item": ["s4"] * 3,
            "system": MODELS,
            "classifier": ["声", "声", "声"],
            "text": ["每声钟声都很响。", None, "每声的钟声都很响。"],
        }
    )
    merged = merge_choices(one, choices)
    assert shown(merged.stimuli, "s4")[1:] == [("每声钟声都很响。", ["RULE"]), ("每声的钟声都很响。", ["LSTM", "BERT"])]
    assert merged.stimuli["about"].n_unique() == 3
    assert merged.stimuli["about"].to_list()[2] == response_id("s4", "label", "声")
    wrong = choices.with_columns(text=pl.lit("钟声很响。"))
    with pytest.raises(UserError, match="does not have '声' where the slot is"):
        merge_choices(one, wrong)


def test_normal_forms_and_spaces_are_no_difference(tmp_path: Path) -> None:
    # U+F98A is a compatibility character: in NFC it is 力 (U+529B).
    assert unicodedata.normalize("NFC", "\uf98a") == "力"
    file = write_rows(tmp_path, ("s1,有 两 <CL> iPad 。,iPad,力,\uf98a, 力 ,台",))
    items = read_ccd(file, MODELS)
    merged = merge_choices(items, choices_of_columns(items, MODELS))
    assert shown(merged.stimuli, "s1") == [
        ("有两力iPad。", [CORPUS, "RULE", "LSTM"]),
        ("有两台iPad。", ["BERT"]),
    ]
    assert merged.matches()["RULE"] == (1, 1)


def test_who_gave_no_answer_is_counted(tmp_path: Path) -> None:
    items = read_ccd(write_rows(tmp_path, ("s1,一 <CL> 信 。,信,封,封,", "s2,一 <CL> 马 。,马,匹,,")), ["A", "B"])
    merged = merge_choices(items, choices_of_columns(items, ["A", "B"]))
    assert merged.stimuli["systems"].to_list() == [[CORPUS, "A"], [CORPUS]]
    assert merged.unanswered == {"A": 1, "B": 2}
    assert merged.matches() == {"A": (1, 1), "B": (0, 0)}


def test_choices_of_a_run_share_its_response_ids() -> None:
    items = items_frame([Item("i", "i", "m", "", "一马", (Span("slot", 3, 3),), "匹", attributes={"head": "马"})])
    rows = [
        Response(
            response_id("i", "ranking", (Choice(form, 1.0),)), "i", name, seed, "", "ranking", (Choice(form, 1.0),)
        )
        for name, seed, form in (("LSTM", 1, "匹"), ("LSTM", 2, "头"), ("GE", None, "个"))
    ]
    rows.append(Response("x", "i", "LSTM", 3, "", "ranking", None, "failed", "no memory"))
    responses = responses_frame(rows, "ranking")
    choices = choices_of_responses(items, {"ranking": responses})
    merged = merge_choices(items, choices)
    assert merged.stimuli["systems"].to_list() == [[CORPUS, "LSTM (seed 1)"], ["LSTM (seed 2)"], ["GE"]]
    assert merged.unanswered == {"LSTM (seed 3)": 1}
    assert merged.stimuli["about"].to_list() == responses["id"].to_list()[:3]
    assert choices_of_responses(items, {"ranking": responses}, ["GE"])["system"].to_list() == ["GE"]
    with pytest.raises(UserError, match="No system is called 'BERT'"):
        choices_of_responses(items, {"ranking": responses}, ["BERT"])
    with pytest.raises(UserError, match="no choice of a classifier"):
        choices_of_responses(items, {})


def test_choosers_are_asked_without_the_gold(items: pl.DataFrame) -> None:
    choices = choices_of_choosers(items, [General()])
    assert choices["classifier"].to_list() == ["个"] * 5
    assert merge_choices(items, choices).distinct() == {2: 5}


def test_bad_choices(items: pl.DataFrame) -> None:
    with pytest.raises(UserError, match="No column of choices is called 'GPT'"):
        choices_of_columns(items, ["GPT"])
    right = choices_of_columns(items, ["RULE"])
    with pytest.raises(UserError, match="has two choices for 's1'"):
        merge_choices(items, pl.concat([right, right]))
    with pytest.raises(UserError, match="A system is called CORPUS"):
        merge_choices(items, right.with_columns(system=pl.lit("CORPUS")))
    with pytest.raises(UserError, match="No system has chosen"):
        merge_choices(items, right.clear())
    with pytest.raises(UserError, match="'s1' cannot be shown: it has no classifier"):
        merge_choices(items.with_columns(gold=pl.lit(None, dtype=pl.String)), right)


@given(st.lists(st.tuples(*[st.sampled_from("个只条")] * 4), min_size=1, max_size=8))
def test_every_choice_is_in_one_item(rows: list[tuple[str, ...]]) -> None:
    items = items_frame(
        Item(str(number), str(number), "m", "", f"一{number}", (Span("slot", 3, 3),), row[0])
        for number, row in enumerate(rows)
    )
    choices = pl.DataFrame(
        [(str(number), name, row[1 + place]) for number, row in enumerate(rows) for place, name in enumerate(MODELS)],
        schema=["item", "system", "classifier"],
        orient="row",
    )
    merged = merge_choices(items, choices)
    held = merged.stimuli.explode("systems").select("item", "systems")
    assert held.height == held.unique().height == 4 * len(rows)
    assert merged.stimuli.height == sum(len(set(row)) for row in rows)
    turned = merge_choices(items, choices.sort("classifier", descending=True))
    assert set(turned.stimuli["about"].to_list()) == set(merged.stimuli["about"].to_list())
