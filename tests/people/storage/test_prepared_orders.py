"""Does nobody's answer wait while the order of a long list is drawn, and is the order the same as ever?"""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from hengliang.people.design.item_order import participant_order
from hengliang.people.storage import prepared_orders, tables
from hengliang.people.storage.database import Database
from hengliang.people.storage.invitations import invite
from hengliang.people.storage.prepared_orders import OrderNeeded, PreparedOrders
from hengliang.people.storage.registration import register
from tests.people.storage.small_survey import NOW, small_survey
from tests.people.survey_folder import small_survey as served_survey
from tests.people.survey_visitor import Served, agreed, serving

LONG = {f"item{number:03}": (f"他又写了第{number}{{}}信。", ("封", "张")) for number in range(120)}
"""The 240 rows of a list: two variants of 120 sentences."""


def test_a_place_is_taken_only_with_an_order_that_is_ready(database: Database) -> None:
    survey = small_survey(1)
    orders = PreparedOrders(survey)
    token = database.write(invite, "real", NOW).result()
    with pytest.raises(OrderNeeded) as needed:
        database.write(register, survey, token, "zh", None, NOW, orders=orders).result()
    assert (needed.value.version, needed.value.number) == ("1", 0)
    counted = select(func.count()).select_from(tables.participants)
    assert database.read(lambda connection: connection.execute(counted).scalar_one()).result() == 0
    assert orders.prepare("1", 0).result() == participant_order(survey, "1", 0)
    made = database.write(register, survey, token, "zh", None, NOW, orders=orders).result()
    assert made.participant.order == participant_order(survey, "1", 0)
    with pytest.raises(OrderNeeded) as needed:
        database.write(register, survey, token, "zh", None, NOW, orders=orders).result()
    assert needed.value.number == 1


def consented(served: Served, token: str) -> int:
    visitor = served.visitor()
    try:
        return visitor.post("/consent", agreed(visitor.consent_form(token))).status_code
    finally:
        visitor.close()


def test_answers_are_kept_while_many_begin_a_long_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    survey = served_survey(tmp_path, versions=1, sentences=LONG, places=9)
    drawing, may_end = threading.Event(), threading.Event()

    def slow_order(*args: Any) -> tuple[int, ...]:
        drawing.set()
        assert may_end.wait(60)
        return participant_order(*args)

    with serving(survey) as served, ThreadPoolExecutor(8) as pool:
        token = served.invitation(kind="simulated")
        visitor = served.participant(kind="simulated")
        visitor.until("answer-clarity")
        # The order of whoever comes next is drawn already; all others find that it takes as long as we like.
        monkeypatch.setattr(prepared_orders, "participant_order", slow_order)
        coming = [pool.submit(consented, served, token) for _ in range(8)]
        try:
            assert drawing.wait(20)
            # A draw inside the writer's transaction would keep each of these until the draw ends, 20 seconds and more.
            answered = [visitor.answer().status_code for _ in range(5)]
            waiting = sum(not each.done() for each in coming)
        finally:
            may_end.set()
        assert answered == [303] * 5
        assert waiting >= 7
        assert [each.result() for each in coming] == [303] * 8
        # The order of everybody is the one that their number has always had, and no number was given twice.
        rows = served.rows('SELECT number, "order" FROM participants ORDER BY number')
        assert [number for number, _ in rows] == list(range(9))
        for number, order in rows[::4]:
            assert tuple(json.loads(order)) == participant_order(survey, "1", number)
