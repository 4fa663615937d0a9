"""Does each stage keep order, sets, cache and failures apart?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import Item, Judgement, Measure, UserError
from hengliang.core import Choice, Failure, InProcess, Processes, Silent, items_frame, judgements_frame
from hengliang.study.stages import (
    Workshop,
    answer_key,
    batches_of_sets,
    collect_judgements,
    collect_responses,
    gather_items,
    systems_table,
    visible,
)
from tests.tiny import ByTable, Sentences


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workshop]:
    lines: list[str] = []
    yield Workshop(InProcess(), tmp_path / "cache", Silent(), lines.append)
    assert lines


def calls(log: Path) -> int:
    return len(log.read_text().splitlines()) if log.exists() else 0


# --- items ---


@given(st.lists(st.sampled_from("abcde"), max_size=30), st.integers(1, 7))
def test_batches_hold_whole_sets_and_all_items_in_order(sets: list[str], size: int) -> None:
    items = items_frame(Item(str(number), name, "m", "", "") for number, name in enumerate(sorted(sets)))
    batches = list(batches_of_sets(items, size))
    assert [row for batch in batches for row in batch["id"]] == items["id"].to_list()
    held = [set(batch["set"]) for batch in batches]
    assert sum(len(names) for names in held) == len(set(sets))
    assert all(batch.height >= size for batch in batches[:-1])


def test_items_of_a_set_are_brought_together() -> None:
    class Mixed(Sentences):
        def items(self) -> pl.DataFrame:
            return items_frame(Item(name + str(n), name, "m", "", "") for n in (1, 2) for name in "ba")

    assert gather_items([Mixed()])["id"].to_list() == ["b1", "b2", "a1", "a2"]


def test_a_material_without_items_is_refused() -> None:
    with pytest.raises(UserError, match="'empty' has no items"):
        gather_items([Sentences(0, name="empty")])


def test_two_materials_may_not_share_an_id() -> None:
    with pytest.raises(UserError, match="the id 'sentences-0-0'"):
        gather_items([Sentences(), Sentences()])


# --- responses ---


def test_every_system_answers_every_item_in_order(shop: Workshop) -> None:
    items = gather_items([Sentences()])
    systems, responses = collect_responses(items, [ByTable(), ByTable("wrong", wrong=True)], shop)
    assert systems["name"].to_list() == ["by table", "wrong"]
    frame = responses["ranking"]
    assert frame["item"].to_list() == items["id"].to_list() * 2
    labels = frame["content"].list.first().struct.field("label").to_list()
    assert labels == ["本", "辆", "个", "条", "个", "个"] + ["只"] * 6
    assert frame["id"].n_unique() == 12


def test_processes_give_the_same_tables(shop: Workshop, tmp_path: Path) -> None:
    items = gather_items([Sentences(3)])
    here = collect_responses(items, [ByTable()], shop)[1]["ranking"]
    elsewhere = Workshop(Processes(2), tmp_path / "other cache", Silent(), shop.log)
    assert collect_responses(items, [ByTable()], elsewhere)[1]["ranking"].equals(here)


def test_a_system_never_sees_the_gold() -> None:
    assert visible(Sentences().items(), ByTable())["gold"].null_count() == 6


def test_a_system_sees_only_the_attributes_it_looks_at(shop: Workshop, tmp_path: Path) -> None:
    class Narrow(ByTable):
        looks_at = ("head",)

    items = gather_items([Sentences()])
    assert {"head", "block"} <= set(visible(items, ByTable()).columns)
    seen = visible(items, Narrow()).columns
    assert "head" in seen and "block" not in seen
    # What it does not look at may change without its being asked again.
    log = tmp_path / "calls"
    first = collect_responses(items, [Narrow(log=str(log))], shop)[1]["ranking"]
    done = calls(log)
    again = collect_responses(items.with_columns(block=pl.lit(7)), [Narrow(log=str(log))], shop)[1]["ranking"]
    assert calls(log) == done and again.equals(first)


def test_finished_batches_are_not_done_again(shop: Workshop, tmp_path: Path) -> None:
    log = tmp_path / "calls"
    items = gather_items([Sentences()])
    first = collect_responses(items, [ByTable(log=str(log))], shop)[1]["ranking"]
    assert calls(log) == 3
    again = collect_responses(items, [ByTable(log=str(log))], shop)[1]["ranking"]
    assert calls(log) == 3
    assert again.equals(first)


def test_damaged_batches_are_done_again_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines: list[str] = []
    shop = Workshop(InProcess(), tmp_path / "cache", Silent(), lines.append)
    log = tmp_path / "calls"
    items = gather_items([Sentences()])
    first = collect_responses(items, [ByTable(log=str(log))], shop)[1]["ranking"]
    kept = sorted((tmp_path / "cache" / "responses").glob("*/*.parquet"))
    assert calls(log) == len(kept) == 3
    for file in kept[:2]:
        damaged = bytearray(file.read_bytes())
        damaged[len(damaged) // 3] ^= 1
        file.write_bytes(damaged)
    again = collect_responses(items, [ByTable(log=str(log))], shop)[1]["ranking"]
    assert calls(log) == 3 + 2
    assert again.equals(first)
    assert "2 files of finished work" in capsys.readouterr().err
    assert lines[-1] == "responses: by table: damaged in the cache and computed again: 2"
    # They were written again, whole.
    assert collect_responses(items, [ByTable(log=str(log))], shop)[1]["ranking"].equals(first)
    assert calls(log) == 3 + 2 and capsys.readouterr().err == ""


def test_the_same_content_under_other_ids_shares_the_cache(shop: Workshop, tmp_path: Path) -> None:
    log = tmp_path / "calls"
    collect_responses(gather_items([Sentences()]), [ByTable(log=str(log))], shop)
    other = gather_items([Sentences(name="another name")])
    frame = collect_responses(other, [ByTable(log=str(log))], shop)[1]["ranking"]
    assert calls(log) == 3
    assert frame["item"].to_list() == other["id"].to_list()


def test_a_changed_option_never_hits_the_cache(shop: Workshop) -> None:
    items = gather_items([Sentences()])
    right = collect_responses(items, [ByTable()], shop)[1]["ranking"]
    wrong = collect_responses(items, [ByTable(wrong=True)], shop)[1]["ranking"]
    assert not right["content"].equals(wrong["content"])


def test_the_key_of_a_batch_covers_what_an_answer_may_depend_on() -> None:
    items = Sentences().items()
    other_ids = items.with_columns(id=pl.col("id") + "x", gold=pl.lit("z"), source=pl.lit("z"))
    assert answer_key(items) == answer_key(other_ids)
    assert answer_key(items) != answer_key(items.with_columns(head=pl.lit("书")))
    assert answer_key(items) != answer_key(items.with_columns(content=pl.col("content") + "！"))
    assert answer_key(items) != answer_key(items.with_columns(spans=pl.col("spans").list.head(0)))


def test_one_bad_item_is_reported_and_the_rest_answered(shop: Workshop, tmp_path: Path) -> None:
    log = tmp_path / "calls"
    items = gather_items([Sentences()])
    system = ByTable(log=str(log), breaks_on="车")
    frame = collect_responses(items, [system], shop)[1]["ranking"]
    assert frame["status"].to_list() == ["ok", "failed", "ok", "ok", "ok", "ok"]
    assert frame["reason"][1] == "RuntimeError: cannot do 车"
    assert frame["content"].is_null().to_list() == [False, True, False, False, False, False]
    before = calls(log)
    collect_responses(items, [system], shop)
    # The failed batch is tried again (once whole, twice singly); the good ones are not.
    assert calls(log) - before == 3


def test_a_system_that_always_fails_ends_the_run(shop: Workshop) -> None:
    class Hopeless(ByTable):
        def choose(self, slots: pl.DataFrame) -> list[list[object]]:  # type: ignore[override]
            raise ValueError("no weights")

    with pytest.raises(Failure, match=r"The system 'by table' fails: ValueError: no weights.*hengliang check by table"):
        collect_responses(gather_items([Sentences()]), [Hopeless()], shop)


def test_traits_are_columns_of_the_systems_table() -> None:
    class Traited(ByTable):
        def traits(self) -> dict[str, str | int | float | bool | None]:
            return {"structured": True, "size": 10}

    frame = systems_table([ByTable(), Traited("other")])
    assert frame.to_dicts() == [
        {"name": "by table", "seed": None, "structured": None, "size": None},
        {"name": "other", "seed": None, "structured": True, "size": 10},
    ]
    assert systems_table([]).columns == ["name", "seed"]


def test_a_system_whose_library_is_not_here_names_the_line_that_installs_it(shop: Workshop) -> None:
    class Lacking(ByTable):
        def choose(self, slots: pl.DataFrame) -> Sequence[Sequence[Choice]]:
            raise ModuleNotFoundError("No module named 'torch'", name="torch")

    with pytest.raises(UserError, match=r"needs the library torch.*hengliang\[neural\]"):
        collect_responses(gather_items([Sentences()]), [Lacking()], shop)


# --- judgements ---


class CountsSets(Measure):
    """Says of each set how many responses it saw: wrong if a batch ever parts a set."""

    name = "responses in the set"

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
        counts = (
            responses.join(items.select(item="id", held="set"), on="item").group_by("held", maintain_order=True).len()
        )
        return judgements_frame(
            Judgement(name, "", self.name, "", "machine", self.name, float(count)) for name, count in counts.iter_rows()
        )


def test_a_measure_sees_whole_sets(shop: Workshop) -> None:
    items = gather_items([Sentences(4)]).with_columns(set=pl.col("head"))
    items = items.sort("set", maintain_order=True)
    _, responses = collect_responses(items, [ByTable()], shop)
    judgements = collect_judgements(items, responses, [CountsSets()], shop)
    assert judgements["value"].to_list() == [4.0] * 6


def test_no_measure_gives_an_empty_table(shop: Workshop) -> None:
    shop.log("nothing to do")
    assert collect_judgements(Sentences().items(), {}, [], shop).height == 0


def test_an_attribute_may_have_any_name_that_is_not_reserved() -> None:
    class Placed(Sentences):
        def items(self) -> pl.DataFrame:
            return super().items().with_columns(place=pl.lit(0.5))

    assert gather_items([Placed()])["place"].unique().to_list() == [0.5]
