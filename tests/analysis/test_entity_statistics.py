"""Are words, entities and unknown words averaged over what was counted, and do shares of types add up?"""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import Tables, UserError
from hengliang.analysis.entity_statistics import (
    chosen_counter,
    counted,
    entity_counters,
    entity_statistics,
)
from hengliang.core import estimate_records
from hengliang.report import estimate_table
from tests.analysis.rated_scores import rated, turned

ENTITIES: list[Mapping[str, int] | None] = [{"PERSON": 2, "DATE": 1}, {}, {"PERSON": 1}, None, {"GPE": 1}, {}]
WORDS: list[Mapping[str, int] | None] = [{"words": 2, "unknown": int(number < 3)} for number in range(6)]


def tables(**more: list[Mapping[str, int] | None]) -> Tables:
    return rated(
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        {"A": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]},
        dataset=["BNC"] * 4 + ["ADGER"] * 2,
        counts={"vocabulary": WORDS, "recogniser": ENTITIES, **more},
    )


def test_averages_are_over_the_sentences_that_were_counted() -> None:
    rows = list(estimate_records(entity_statistics().estimate(tables())))
    found = {(row.by["dataset"], row.statistic): row for row in rows}
    assert [found["BNC", name].value for name in ("sentences", "words", "entities", "unknown")] == pytest.approx(
        # Four sentences of two words; 3 + 0 + 1 entities in the three that could be read; 3 unknown words in four.
        [4, 2, 4 / 3, 3 / 4]
    )
    assert (found["BNC", "entities"].n, found["BNC", "entities"].n_missing) == (3, 1)
    assert [found["ADGER", name].value for name in ("sentences", "entities", "unknown")] == [2, 0.5, 0]


def test_the_table_is_that_of_the_paper() -> None:
    analysis = entity_statistics()
    table = estimate_table(analysis.estimate(tables()), analysis.layout())
    assert [table.heading(column) for column in table.columns] == [
        *("Dataset", "Sentences", "Words", "Entities", "Unknown words"),
    ]
    # Datasets in the order in which the run has them.
    assert table.to_polars()["dataset"].to_list() == ["BNC", "ADGER"]


def test_the_papers_table_stands_beside_ours_where_it_is_asked_for() -> None:
    analysis = entity_statistics(published=True)
    frame = analysis.estimate(tables())
    found = {(row.by["dataset"], row.by["whose"], row.statistic): row for row in estimate_records(frame)}
    # Read from the paper: ADGER has 300 sentences of 7.30 words, .53 entities and .04 unknown words.
    printed = [found["ADGER", "paper", name].value for name in ("sentences", "words", "entities", "unknown")]
    assert printed == [300, 7.30, 0.53, 0.04]
    assert "as printed in Table 4" in found["BNC", "paper", "words"].method
    assert found["BNC", "ours", "sentences"].value == 4
    table = estimate_table(frame, analysis.layout())
    headings = ["Dataset", "Whose", "Sentences", "Words", "Entities", "Unknown words"]
    assert [table.heading(column) for column in table.columns] == headings
    assert table.to_polars().select("dataset", "whose").rows() == [
        *(("BNC", "ours"), ("BNC", "paper"), ("ADGER", "ours"), ("ADGER", "paper")),
    ]
    assert "Table 4" in analysis.explanation.en and "表 4" in analysis.explanation.zh
    # Other groups than datasets are not in the paper.
    other = entity_statistics(by="mode", published=True)
    assert "Table 4" not in other.explanation.en
    assert all("whose" not in row.by for row in estimate_records(other.estimate(tables())))


def test_kinds_of_perturbation_have_titles_in_both_languages() -> None:
    layout = entity_statistics(by="perturbation").layout()
    assert layout.factors["perturbation"].zh == "扰动类型"
    assert (layout.levels[""].en, layout.levels["word order"].zh) == ("original", "语序")


def test_types_are_shares_of_all_entities() -> None:
    analysis = entity_statistics(show="types")
    conclusion = analysis.conclude(tables())
    found = {(row.by["dataset"], row.by["type"]): row for row in estimate_records(conclusion.estimates)}
    # BNC: 3 PERSON and 1 DATE in four; ADGER: one GPE. The types by their number in all datasets.
    assert list(found) == [(d, t) for d in ("BNC", "ADGER") for t in ("PERSON", "GPE", "DATE")]
    assert [found["BNC", kind].value for kind in ("PERSON", "GPE", "DATE")] == [0.75, 0.0, 0.25]
    assert [found["ADGER", kind].value for kind in ("PERSON", "GPE", "DATE")] == [0.0, 1.0, 0.0]
    assert (found["BNC", "DATE"].n, found["BNC", "DATE"].n_missing) == (4, 1)
    assert conclusion.sentences[0].en == "BNC: of 4 entities 75.0 % are PERSON, and 1 of 3 types do not occur."
    assert conclusion.sentences[1].zh == "ADGER：1 个实体中 100.0 % 为 GPE，3 种类型中有 2 种未出现。"
    assert "a distribution, not an effect" in analysis.explanation.en and "分布而非效应" in analysis.explanation.zh
    table = estimate_table(conclusion.estimates, analysis.layout())
    assert [table.heading(column) for column in table.columns][1:4] == ["Type", "BNC", "ADGER"]


def test_a_dataset_without_entities_has_no_shares() -> None:
    held = rated([1.0, 2.0], {}, dataset=["BNC", "ADGER"], counts={"r": [{"DATE": 1}, {}]})
    found = {row.by["dataset"]: row for row in estimate_records(entity_statistics(show="types").estimate(held))}
    assert found["ADGER"].value is None and "there are no entities" in found["ADGER"].method


def test_counters_are_told_apart_by_what_they_count() -> None:
    assert entity_counters(tables()) == ["recogniser"]
    assert chosen_counter(tables()) == "recogniser"
    two = tables(second=[{"DATE": 1}] * 6)
    assert entity_counters(two) == ["recogniser", "second"]
    rows = [row for row in estimate_records(entity_statistics().estimate(two)) if row.statistic == "entities"]
    assert {(row.by["counter"], row.by["dataset"]): row.value for row in rows}["second", "BNC"] == 1
    only = estimate_records(entity_statistics(counter="second").estimate(two))
    assert [row.value for row in only if row.statistic == "entities"] == [1, 1]
    with pytest.raises(UserError, match="2 systems count entities"):
        entity_statistics(show="types").estimate(two)
    with pytest.raises(UserError, match="No counter of entities is called 'third'"):
        entity_statistics(counter="third").estimate(two)
    with pytest.raises(UserError, match="No system counts entities"):
        entity_statistics(show="types").estimate(rated([1.0], {"A": [1.0]}))


def test_counts_keep_missing_answers() -> None:
    frame = counted(tables()).filter(system="recogniser")
    assert frame["count"].to_list() == [3, 0, 1, None, 1, 0]
    assert counted(tables(), ["PERSON"]).filter(system="recogniser")["count"].to_list() == [2, 0, 1, None, 0, 0]


def test_mistakes_are_named_and_promises_kept() -> None:
    with pytest.raises(UserError, match="No attribute of items is called 'genre'"):
        entity_statistics(by="genre").estimate(tables())
    with pytest.raises(UserError, match="The show 'pie' does not exist"):
        entity_statistics(show="pie").estimate(tables())  # type: ignore[arg-type]
    for show in ("averages", "types"):
        analysis = entity_statistics(show=show)
        assert [finding for finding in analysis.conformance() if not finding.kept] == []
        one, other = (
            sorted(map(str, analysis.estimate(held).select("by", "statistic", "value", "n").rows()))
            for held in (tables(), turned(tables()))
        )
        assert one == other


@settings(max_examples=20, deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from(["PERSON", "DATE", "ODD"]), st.integers(1, 5)), min_size=1, max_size=8))
def test_shares_sum_to_one(counts: list[dict[str, int]]) -> None:
    held = rated([1.0] * len(counts), {}, counts={"r": counts})
    rows = list(estimate_records(entity_statistics(show="types").estimate(held)))
    if any(counts):
        assert sum(row.value or 0 for row in rows) == pytest.approx(1)
        assert {row.n for row in rows} == {sum(sum(one.values()) for one in counts)}
    else:
        assert rows == []
