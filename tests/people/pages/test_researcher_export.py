"""Do researchers get the files they ask for, without personal data unless they ask for it?"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator

import httpx
import polars as pl
import pytest

from hengliang.people.bots.page_reading import forms_of
from hengliang.people.collected.export import DOWNLOADS
from tests.people.survey_folder import small_survey
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
