"""Is what a machine says about a response written down as a judgement, and what it does not say as missing?"""

from __future__ import annotations

from typing import Any

from hengliang.measures.remarks import Remarks
from hengliang.records import check_judgements


def response(status: str = "ok", reason: str = "", system: str = "one") -> dict[str, Any]:
    return {"id": "r1", "system": system, "status": status, "reason": reason}


def test_values_reasons_and_answers_that_are_not_there() -> None:
    remarks = Remarks("length", "ruler")
    remarks.add(response(), "long", 3, "in words")
    remarks.add(response(), "wide", "it has no width", "in words")
    remarks.add(response(), "high", None)
    remarks.add(response("failed", "too tired"), "long", 3, "in words")
    found = check_judgements(remarks.frame())
    assert found["part"].to_list() == ["long", "wide", "high", "long"]
    assert found["value"].to_list() == [3.0, None, None, None]
    assert found["label"].to_list() == ["in words", None, None, None]
    assert found["status"].to_list() == ["ok", "missing", "missing", "failed"]
    assert found["reason"].to_list() == ["", "it has no width", "nothing was measured", "too tired"]
    assert set(found["measure"]) == {"length"}
    assert set(found["judge"]) == {"ruler"}
    assert set(found["judge_kind"]) == {"machine"}


def test_zero_is_a_value() -> None:
    remarks = Remarks("length", "ruler")
    remarks.add(response(), "long", 0)
    assert remarks.frame()["value"].to_list() == [0.0]


def test_equal_remarks_of_one_system_are_one() -> None:
    remarks = Remarks("length", "ruler")
    for system in ("one", "one", "two"):
        remarks.add(response(system=system), "long", 1)
    assert remarks.frame()["scored_system"].to_list() == ["one", "two"]


def test_nothing_gives_an_empty_table() -> None:
    assert check_judgements(Remarks("length", "ruler").frame()).height == 0
