from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from hengliang import Item, UserError
from hengliang.core import items_frame, sample_tables
from hengliang.tagging.diagnosis import (
    by_sentence,
    by_word,
    counted,
    given_words,
    labelled_sentences,
    reach,
    with_scores,
)
from hengliang.tagging.labels import TaggingItemMeasure
from tests.tagging.diagnostic_answers import LABELS, diagnostic_tables, tagging, tagging_frame


def test_each_tagger_and_sentence_has_a_row() -> None:
    rows = labelled_sentences(diagnostic_tables())
    for system, labels in LABELS.items():
        assert rows.filter(pl.col("system") == system).sort("item")["label"].to_list() == list(labels)
    failed = rows.filter(pl.col("label").is_null())
    assert failed.select("system", "item", "pair", "reason").rows() == [("TWO", "i1", "p+r:d", "it broke down")]


def test_sentences_of_another_material_do_not_count() -> None:
    held = diagnostic_tables()
    other = items_frame([Item("other", "other", "tagged_sentences", "", "他走", gold="他/r 走/v")])
    items = pl.concat([held.items, other], how="diagonal")
    answers = pl.concat([held.responses["tagging"], tagging_frame([tagging("other", "ONE", "他/r 走/v")])])
    judged = TaggingItemMeasure().judge(items, answers)
    mixed = replace(held, items=items, responses={"tagging": answers}, judgements=judged)
    assert labelled_sentences(mixed).equals(labelled_sentences(held))


def test_a_sentence_that_was_never_tagged_has_a_row_without_a_label() -> None:
    held = diagnostic_tables()
    fewer = held.responses["tagging"].filter(~((pl.col("system") == "ONE") & (pl.col("item") == "i0")))
    rows = labelled_sentences(replace(held, responses={"tagging": fewer}))
    lost = rows.filter((pl.col("system") == "ONE") & (pl.col("item") == "i0")).row(0, named=True)
    assert lost["label"] is None and "not tagged" in lost["reason"]


def test_counts_and_scores_by_hand() -> None:
    found = with_scores(counted(labelled_sentences(diagnostic_tables()), "pair"))
    one = {row["pair"]: row for row in found.filter(pl.col("system") == "ONE").iter_rows(named=True)}
    # ONE on n:v: Correct, Record, Wrong.
    assert [one["n:v"][name] for name in ("correct", "wrong", "record", "total", "failed")] == [1, 1, 1, 3, 0]
    assert (one["n:v"]["D"], one["n:v"]["D published"], one["n:v"]["R"]) == (50.0, 100 / 3, 1 / 3)
    assert (one["v:a"]["D"], one["v:a"]["D published"], one["v:a"]["R"]) == (None, 0.0, 1.0)
    two = found.filter((pl.col("system") == "TWO") & (pl.col("pair") == "p+r:d")).row(0, named=True)
    assert (two["total"], two["failed"]) == (1, 1)


def test_by_word() -> None:
    found = by_word(diagnostic_tables())
    held = {(row["system"], row["pair"], row["word"]): row for row in found.iter_rows(named=True)}
    assert len(held) == 2 * 4
    # ONE gives 报告 once right and once as vn, 建议 as v.
    assert (held["ONE", "n:v", "报告"]["D"], held["ONE", "n:v", "报告"]["D published"]) == (100.0, 50.0)
    assert held["ONE", "n:v", "建议"]["wrong"] == 1


def test_by_sentence_shows_what_the_tagger_gave() -> None:
    found = by_sentence(diagnostic_tables())
    held = {(row["system"], row["item"]): row for row in found.iter_rows(named=True)}
    assert held["ONE", "i1"]["given"] == "就此/d" and held["ONE", "i1"]["gold"] == "就/p 此/r"
    assert held["ONE", "i0"]["given"] == "就/p 此/r"
    assert held["ONE", "i5"]["given"] == "水满/n"  # the word that reaches over the edge, whole
    assert held["TWO", "i0"]["given"] == "他就/r 此/r"
    failed = held["TWO", "i1"]
    assert (failed["given"], failed["label"], failed["reason"]) == (None, None, "it broke down")
    assert (held["ONE", "i0"]["start"], held["ONE", "i0"]["end"], held["ONE", "i0"]["reason"]) == (3, 9, "")


def test_given_words_lose_the_space_before_them() -> None:
    held = diagnostic_tables([("n:v", "Office/n", "Windows[ Office]")], {"ONE": ["Windows/n Office/v"]})
    assert given_words(held.items, held.responses["tagging"])["given"].to_list() == ["Office/v"]


def test_reach() -> None:
    held = diagnostic_tables(tags={"ONE": "d n p v"})
    found = {row[:2]: row[2] for row in reach(held, labelled_sentences(held)).iter_rows()}
    # ONE has no r, so p+r is out of its reach; of TWO nothing is known.
    assert found["ONE", "p+r:d"] is False and found["ONE", "n:v"] is True
    assert found["TWO", "n:v"] is None
    bare = replace(held, systems=held.systems.drop("tags"))
    assert reach(bare, labelled_sentences(bare))["reachable"].null_count() == 6


def test_other_runs_are_refused() -> None:
    with pytest.raises(UserError, match="no diagnostic sentences: they have no attribute 'pair'"):
        labelled_sentences(sample_tables())
    with pytest.raises(UserError, match="measure"):
        labelled_sentences(diagnostic_tables(), measure="match")
    held = diagnostic_tables()
    strange = held.judgements.with_columns(label=pl.when(pl.col("label").is_not_null()).then(pl.lit("Maybe")))
    with pytest.raises(UserError, match="'Maybe'"):
        labelled_sentences(replace(held, judgements=strange))


def test_within_reach_of_a_system_is_what_all_its_seeds_can_give() -> None:
    tables = diagnostic_tables(tags={"ONE": "a d n p r v", "TWO": "a d n v"})
    both = tables.systems.with_columns(name=pl.lit("ONE"), seed=pl.Series([1, 2], dtype=pl.Int64))
    rows = labelled_sentences(tables).filter(pl.col("system") == "ONE")
    for systems in (both, both.reverse()):  # whichever comes last
        found = dict(reach(replace(tables, systems=systems), rows).select("pair", "reachable").iter_rows())
        assert found == {"p+r:d": False, "n:v": True, "v:a": True}
