"""Do researchers get the files they ask for, without personal data unless they ask for it?"""

from __future__ import annotations

import io
import threading
import time
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import polars as pl
import pytest
from sqlalchemy import Connection, insert, select

from hengliang.people.bots.page_reading import forms_of
from hengliang.people.collected.export import DOWNLOADS
from hengliang.people.storage import database, tables
from tests.people.survey_folder import small_stimuli, small_survey
from tests.people.survey_visitor import Served, Visitor, filled, serving

BEGINNINGS = {"parquet": b"PAR1", "excel": b"PK", "zip": b"PK", "codebook": b"{"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(small_survey(tmp_path_factory.mktemp("survey"))) as held:
        held.participant(external="PANEL-4711").finish()
        held.participant(kind="pilot").finish()
        yield held


@pytest.fixture
def researcher(served: Served) -> Visitor:
    return served.researcher()


def download(visitor: Visitor, form: str, kind: str = "real", **more: str) -> httpx.Response:
    asked = next(each for each in forms_of(visitor.get("/admin/export").text) if each.action == "/admin/export")
    return visitor.post(asked.action, {**filled(asked), "form": form, "kind": kind, **more})


@pytest.mark.parametrize("form", DOWNLOADS)
def test_every_form_is_a_file_to_be_saved(researcher: Visitor, form: str) -> None:
    answer = download(researcher, form)
    assert answer.status_code == 200
    assert answer.headers["content-disposition"].startswith('attachment; filename="')
    assert "-real." in answer.headers["content-disposition"]
    assert answer.headers["cache-control"] == "no-store"
    assert answer.content.startswith(BEGINNINGS.get(form, b""))
    assert b"PANEL-4711" not in answer.content


def test_the_long_table_has_a_row_an_answer_of_the_kind_that_was_asked_for(researcher: Visitor) -> None:
    real = pl.read_csv(download(researcher, "long").content)
    pilot = pl.read_csv(download(researcher, "long", "pilot").content)
    # One participant of either kind; four stimuli on two scales.
    assert (real.height, pilot.height) == (8, 8)
    assert set(real["participant"]).isdisjoint(pilot["participant"])


def test_the_page_says_what_a_row_of_the_wide_table_is(researcher: Visitor) -> None:
    wide = pl.read_csv(download(researcher, "wide").content)
    # One participant, to whom four texts were presented.
    assert (wide.height, wide["participant"].n_unique()) == (4, 1)
    assert "Wide table: one row per participant and presentation (CSV)" in researcher.get("/admin/export").text
    assert "宽表：每行为一位参与者的一次呈现（CSV）" in researcher.get("/admin/export?language=zh").text
    researcher.get("/admin/export?language=en")


def test_panel_ids_only_when_asked_for_and_the_name_and_the_log_say_so(served: Served, researcher: Visitor) -> None:
    answer = download(researcher, "zip", identified="yes")
    assert "-real-identified.zip" in answer.headers["content-disposition"]
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert any(b"PANEL-4711" in archive.read(name) for name in archive.namelist())
    detail = served.rows("SELECT detail FROM events WHERE kind = 'exported' ORDER BY id DESC LIMIT 1")[0][0]
    assert '"identified": true' in detail


def test_what_there_is_not_is_not_found(researcher: Visitor) -> None:
    assert download(researcher, "folder").status_code == 404
    assert download(researcher, "long", "preview").status_code == 404


def test_nobody_simulated_gives_a_table_without_rows_or_a_reason(researcher: Visitor) -> None:
    answer = download(researcher, "long", "simulated")
    if answer.status_code == 200:
        assert pl.read_csv(answer.content).height == 0
    else:
        assert answer.status_code == 409
        assert 'role="alert"' in answer.text


def store_answers(connection: Connection, people: int) -> None:
    """Store sixteen answers of each of so many pilot participants: eight stimuli on two scales."""
    chosen = select(tables.participants).where(tables.participants.c.kind == "pilot")
    one = dict(connection.execute(chosen).mappings().first() or {})
    answer = dict(connection.execute(select(tables.answers)).mappings().first() or {})
    del answer["id"]
    scales = sorted(connection.execute(select(tables.answers.c.scale).distinct()).scalars())
    abouts = [stimulus["about"] for stimulus in small_stimuli()]
    for number in range(people):
        who = f"stored{number:010}"
        secrets = {"resume": who, "withdrawal": who, "external": who}
        connection.execute(insert(tables.participants), {**one, **secrets, "id": who, "number": number + 1})
        rows = [{**answer, "participant": who, "about": about, "scale": scale} for about in abouts for scale in scales]
        connection.execute(insert(tables.answers), rows)


def test_exports_do_not_keep_participants_waiting(tmp_path: Path) -> None:
    """Four downloads at once used to take the four threads on which every page waits for the database."""
    with serving(small_survey(tmp_path)) as served, ThreadPoolExecutor(4) as pool:
        served.participant(kind="pilot").finish()
        served.database.write(store_answers, 150).result()
        visitor, researchers = served.participant(), [served.researcher() for _ in range(4)]
        begun = time.monotonic()
        downloads = [pool.submit(download, each, "excel", "pilot") for each in researchers]
        times: list[float] = []
        while not all(each.done() for each in downloads):
            asked = time.monotonic()
            assert visitor.get("/page").status_code == 200
            times.append(time.monotonic() - asked)
        whole = time.monotonic() - begun
        assert [each.result().status_code for each in downloads] == [200] * 4
        # A page waited for all of them together; now it only shares the processor with one.
        assert max(times) < whole / 3, (max(times), whole)


def test_an_export_whose_turn_does_not_come_is_told_so(
    served: Served, researcher: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "TURN_SECONDS", 0.2)
    go_on = threading.Event()

    def hold(_: Connection) -> bool:
        return go_on.wait(20)

    logged = "SELECT count(*) FROM events WHERE kind = 'exported'"
    before = served.rows(logged)[0][0]
    held = served.database.export(hold)
    answer = download(researcher, "long")
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "10"
    assert "Another export is being made" in answer.text
    assert served.visitor().get("/health").status_code == 200
    go_on.set()
    assert held.result()
    # What was refused left nothing, and is not in the log of what left.
    assert served.rows(logged) == [(before,)]
    assert download(researcher, "long").status_code == 200
    assert served.rows(logged) == [(before + 1,)]
