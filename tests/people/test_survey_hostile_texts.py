"""Does a text stay a text: in pages, in the database, in exports, whoever wrote it?

Researchers' files may come from others, and answers from anybody; the researcher's browser shows both.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from hengliang import Bilingual
from hengliang.experiments import Experiment, Scale, stimuli_frame, write_experiment
from hengliang.people.bots.page_reading import form_of, forms_of
from hengliang.people.sessions.settings import Settings
from hengliang.people.sessions.survey import Design, Survey, read_survey, write_survey
from hengliang.people.tasks.base import Task
from hengliang.people.tasks.library import task_of
from tests.people.survey_folder import small_survey
from tests.people.survey_hostility import FORMULAS, INJECTIONS, MARKUP, faults_of_page, text_of_page
from tests.people.survey_visitor import Served, Visitor, agreed, filled, serving

BOTH = Bilingual(MARKUP, MARKUP)


def hostile_survey(folder: Path, task: Task, details: str = "{}", text: str = MARKUP) -> Survey:
    """Write a survey whose every text is hostile."""
    folder.mkdir(parents=True, exist_ok=True)
    stimuli = [
        {"about": f"item-{n}", "item": f"{n}", "text": text, "spans": [], "systems": [MARKUP], "details": details}
        for n in (1, 2)
    ]
    write_experiment(folder, Experiment("small", BOTH, task.scales(), stimuli_frame(stimuli)))
    settings = Settings(
        consent_version=MARKUP,
        consent=BOTH,
        instructions=BOTH,
        contact=MARKUP,
        institution=MARKUP,
        ethics=MARKUP,
        payment=BOTH,
        keep_until=MARKUP,
        completion_code=MARKUP,
        demographics=("age", "field"),
    )
    write_survey(folder, task, Design(proof=MARKUP), settings)
    return read_survey(folder)


def hostile_tasks() -> dict[str, tuple[Task, str, str]]:
    """Return tasks by name, whose words are hostile, with the details and the text of a stimulus."""
    options = tuple(BOTH for _ in range(3))
    quoted = '"' + MARKUP.replace('"', '\\"') + '"'
    return {
        "likert": (task_of("likert", {"statements": (Scale("clarity", BOTH, 3, options),)}), "{}", MARKUP),
        "forced_choice": (task_of("forced_choice", {"question": BOTH}), f'{{"options": [{quoted}, "b"]}}', MARKUP),
        "slider": (task_of("slider", {"question": BOTH, "low_label": BOTH, "high_label": BOTH}), "{}", MARKUP),
        "free_text": (task_of("free_text", {"question": BOTH}), "{}", MARKUP),
        "reconstruction": (task_of("reconstruction", {"question": BOTH}), '{"scene_size": 3}', MARKUP),
        "speeded": (task_of("speeded", {"question": BOTH}), f'{{"question": {quoted}}}', MARKUP),
    }


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", sorted(hostile_tasks()))
def test_what_researchers_write_is_shown_and_never_run(tmp_path: Path, name: str, language: str) -> None:
    task, details, text = hostile_tasks()[name]
    with serving(hostile_survey(tmp_path, task, details, text)) as held:
        visitor = held.visitor()
        token = held.invitation(label=MARKUP)
        pages = [visitor.get(f"/i/{token}").text]
        consent = visitor.consent_form(token, language)
        pages += [visitor.get(f"/consent?language={language}&invitation={token}").text, visitor.get("/withdraw").text]
        assert visitor.post("/consent", agreed(visitor.consent_form(token, language))).status_code == 303
        assert consent.fields
        for _ in range(3):
            page = visitor.get("/page").text
            form = form_of(page, "/submit")
            assert form is not None
            # Sent empty the page comes back with its problems, then it goes on.
            hidden = {each: value for each, value in form.hidden().items() if not each.startswith("answer-")}
            pages += [page, visitor.post("/submit", {**hidden, "comment": MARKUP, "age": MARKUP, "field": MARKUP}).text]
            visitor.post("/submit", {**filled(visitor.form()), "not-understood": "yes"})
        visitor.finish()
        pages.append(visitor.get("/page").text)
        assert {place: found for place, page in enumerate(pages) if (found := faults_of_page(page))} == {}
        assert sum(MARKUP in text_of_page(page) for page in pages) >= 5


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(small_survey(tmp_path_factory.mktemp("survey"))) as held:
        yield held


def hostile_participant(served: Served, text: str = MARKUP) -> Visitor:
    """Return a participant who writes a hostile text wherever something can be written."""
    visitor = served.participant(external=text)
    form = visitor.form()
    free = {name: text for name, held in form.fields.items() if held.kind in ("text", "textarea")}
    assert free
    assert visitor.post("/submit", {**filled(form), **free}).status_code in {303, 422}
    visitor.until("comment")
    assert visitor.answer(comment=text).status_code == 303
    return visitor


def test_what_participants_write_is_shown_to_researchers_and_never_run(served: Served) -> None:
    visitor = hostile_participant(served)
    researcher = served.researcher()
    paths = [
        "/admin",
        "/admin/invitations",
        "/admin/participants",
        "/admin/participants?panel=1",
        f"/admin/participants/{visitor.id}",
        "/admin/export",
    ]
    form = form_of(researcher.get("/admin/invitations").text, "/admin/invitations")
    assert form is not None
    assert researcher.post("/admin/invitations", {**filled(form), "label": MARKUP}).status_code == 303
    assert researcher.post("/admin/invitations", {**filled(form), "label": MARKUP, "uses": MARKUP}).status_code == 422
    out = next(each for each in forms_of(researcher.get(paths[4]).text) if each.action.endswith("/exclude"))
    assert researcher.post(out.action, {**filled(out), "reason": MARKUP}).status_code == 303
    pages = {path: researcher.get(path).text for path in paths}
    assert {path: found for path, page in pages.items() if (found := faults_of_page(page))} == {}
    assert MARKUP in text_of_page(pages[paths[1]]), "the label"
    assert MARKUP in text_of_page(pages[paths[3]]), "the panel's id"
    assert text_of_page(pages[paths[4]]).count(MARKUP) == 2, "the comment and the reason"


@pytest.mark.parametrize("part", ["kind", "part", "panel", "language", "x"])
def test_what_stands_in_an_address_is_never_run(served: Served, part: str) -> None:
    researcher, visitor = served.researcher(), served.participant()
    for path in ("/admin", "/admin/participants", "/admin/invitations", "/admin/export", "/admin/" + "x"):
        assert faults_of_page(researcher.get(path, params={part: MARKUP}).text) == []
    for path in ("/page", "/withdraw", "/consent", "/nothing", "/"):
        assert faults_of_page(visitor.get(path, params={part: MARKUP, "invitation": MARKUP}).text) == []


# The database.


def other_rows(served: Served, but: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return all rows of the database that are not those of one participant, and which tables there are."""
    held = served.dump()
    held["invitations"] = [row[:5] for row in held["invitations"]]
    return {name: [row for row in rows if but not in row] for name, rows in held.items()}


def at(served: Served, page: str) -> Visitor:
    """Return a new participant who has come to a kind of page."""
    visitor = served.participant()
    for _ in range({"demographics": 0, "instructions": 1, "trial": 2}[page]):
        assert visitor.answer().status_code == 303
    return visitor


@pytest.mark.parametrize("page", ["demographics", "instructions", "trial"])
def test_sql_in_every_field_of_a_form_is_a_text(served: Served, page: str) -> None:
    """Every field in turn, the others being right; the texts go round, so that every kind of field gets several."""
    fields = sorted(at(served, page).form().fields)
    assert {"token", "step", "submission", "seconds", "timing"} <= set(fields)
    visitor = at(served, page)
    before = other_rows(served, visitor.id)
    for number, (name, injection) in enumerate(itertools.product(fields, INJECTIONS)):
        if number % 3 and name not in ("comment", "submission"):
            continue
        answer = visitor.post("/submit", {**filled(visitor.form()), name: injection})
        assert answer.status_code in {303, 400, 403, 422}, (name, injection)
        assert other_rows(served, visitor.id) == before, (name, injection)
        if answer.status_code == 303:
            # Whoever was refused is still at this page; only after an answer that was taken another one has to come.
            visitor = at(served, page)
            before = other_rows(served, visitor.id)


def test_sql_in_free_texts_is_stored_as_it_was_written(served: Served) -> None:
    visitor = served.participant()
    visitor.until("comment")
    written = []
    for injection in INJECTIONS[:4]:
        assert visitor.answer(comment=injection).status_code == 303
        written.append(injection)
        visitor.until("comment") if form_of(visitor.get("/page").text, "/submit") else None
    stored = served.rows(
        "SELECT comment FROM answers WHERE participant = :id AND comment <> '' ORDER BY id", id=visitor.id
    )
    assert [comment for (comment,) in stored] == written


@pytest.mark.parametrize("injection", INJECTIONS)
def test_sql_in_every_part_of_an_address_finds_nothing(served: Served, injection: str) -> None:
    from urllib.parse import quote

    visitor, researcher = served.participant(), served.researcher()
    before = served.dump()
    quoted = quote(injection, safe="")
    for path in (
        f"/i/{quoted}",
        f"/resume/{quoted}",
        f"/consent?language=en&invitation={quoted}",
        f"/page?step={quoted}",
    ):
        assert visitor.get(path).status_code in {200, 303, 403, 404, 429}, path
    stranger = served.visitor()
    assert stranger.get(f"/admin/link/{quoted}").status_code in {200, 303, 403, 404}
    for name in ("session", "keep", "researcher"):
        stranger.client.cookies.set(name, quoted)
        assert stranger.get("/page").status_code in {200, 303, 403, 404}
        assert stranger.get("/admin").status_code in {303, 403}
    for path in (
        f"/admin/participants/{quoted}",
        f"/admin/participants?kind={quoted}&part={quoted}",
        f"/admin/{quoted}",
    ):
        assert researcher.get(path).status_code in {200, 404}, path
    changed = {name for name, rows in served.dump().items() if rows != before[name]}
    assert changed <= {"administrators", "events"}
    served.clock.ahead += 120


def test_sql_and_nul_in_researchers_fields_is_a_text(served: Served) -> None:
    researcher = served.researcher()
    for injection in (*INJECTIONS, "a\0b", "\ud7ff\uffff", "x" * 300):
        form = form_of(researcher.get("/admin/invitations").text, "/admin/invitations")
        assert form is not None
        for name in form.fields:
            answer = researcher.post("/admin/invitations", {**filled(form), name: injection})
            assert answer.status_code in {303, 403, 422}, (name, injection)
    labels = {label for (label,) in served.rows("SELECT label FROM invitations")}
    assert set(INJECTIONS) <= labels


# Spreadsheets.


def exported(served: Served, form: str, identified: bool = True) -> bytes:
    """Return a file that the researchers' page gives out."""
    researcher = served.researcher()
    page = form_of(researcher.get("/admin/export").text, "/admin/export")
    assert page is not None
    asked = {**filled(page), "form": form, "kind": "real", **({"identified": "yes"} if identified else {})}
    answer = researcher.post("/admin/export", asked)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-disposition"].startswith("attachment")
    return answer.content


@pytest.fixture(scope="module")
def formulas(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(small_survey(tmp_path_factory.mktemp("formulas"), task=task_of("free_text", {}))) as held:
        for formula in FORMULAS:
            visitor = held.participant(external=f"{formula}{FORMULAS.index(formula)}".strip())
            form = visitor.form()
            free = {name: formula for name, each in form.fields.items() if each.kind in ("text", "textarea")}
            assert visitor.post("/submit", {**filled(form), **free}).status_code in {303, 422}
            visitor.until("comment")
            sent = visitor.post("/submit", {**filled(visitor.form(), formula), "comment": f" {formula}"})
            assert sent.status_code in {303, 422}
        yield held


RUNS = re.compile(r"\A\s*[=+\-@＝＋－＠\t\r]")
NUMBER = re.compile(r"\A-?[0-9.]+(e-?[0-9]+)?\Z")


@pytest.mark.parametrize("form", ["long", "wide", "zip"])
def test_no_cell_of_a_csv_file_is_a_formula(formulas: Served, form: str) -> None:
    content = exported(formulas, form)
    files = {"one": content}
    if form == "zip":
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            files = {name: packed.read(name) for name in packed.namelist() if name.endswith(".csv")}
        assert any("participants" in name for name in files)
    cells = [
        cell for held in files.values() for row in csv.reader(io.StringIO(held.decode("utf-8-sig"))) for cell in row
    ]
    assert any("SUM(1)" in cell for cell in cells)
    assert [cell for cell in cells if RUNS.match(cell) and not NUMBER.match(cell)] == []


def test_no_cell_of_a_workbook_is_a_formula(formulas: Served) -> None:
    with zipfile.ZipFile(io.BytesIO(exported(formulas, "excel"))) as book:
        sheets = [book.read(name).decode() for name in book.namelist() if "/sheet" in name]
        texts = "".join(book.read(name).decode() for name in book.namelist() if name.endswith(".xml"))
    assert sheets
    assert not any("<f>" in sheet or "<f " in sheet or "<hyperlink" in sheet for sheet in sheets)
    assert "SUM(1)" in texts


def test_parquet_holds_what_was_written(formulas: Served) -> None:
    table = pl.read_parquet(io.BytesIO(exported(formulas, "parquet")))
    written = {cell for name in table.columns if table.schema[name] == pl.String for cell in table[name] if cell}
    assert "@SUM(1)" in written


@pytest.mark.parametrize("form", ["long", "wide", "parquet", "excel", "codebook", "zip"])
def test_panel_ids_leave_only_when_they_are_asked_for(formulas: Served, form: str) -> None:
    formulas.participant(external=f"panelist-0042-{form}").answer()
    held = exported(formulas, form, identified=False)
    if form == "zip" or form == "excel":
        with zipfile.ZipFile(io.BytesIO(held)) as packed:
            held = b"".join(packed.read(name) for name in packed.namelist())
    assert b"panelist-0042" not in held
