"""What would somebody learn from a survey's files, backups and log, and what is gone after a withdrawal?"""

from __future__ import annotations

import logging
import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from sqlalchemy import Connection, text

from hengliang.people.bots.page_reading import form_of
from hengliang.people.storage.administration import one_time_link
from hengliang.people.storage.backup import back_up
from tests.people.survey_folder import small_survey
from tests.people.survey_visitor import Served, Visitor, agreed, filled, serving, sqlite_bytes


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(small_survey(tmp_path / "survey")) as held:
        yield held


def secrets_of(visitor: Visitor) -> dict[str, str]:
    """Return the secrets that a participant's browser holds or is shown."""
    held = dict(visitor.client.cookies)
    pages = visitor.get("/page").text
    shown = {
        "resume": re.search(r"/resume/([A-Za-z0-9_-]{43})", pages),
        "withdrawal": re.search(r"\b([0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4})\b", pages),
    }
    return held | {name: found[1] for name, found in shown.items() if found}


def test_the_files_hold_no_secret(served: Served, tmp_path: Path) -> None:
    token = served.invitation()
    link = served.database.write(one_time_link, served.clock()).result()
    researcher = served.researcher()
    visitor = served.visitor()
    visitor.begin(token)
    secrets = {**secrets_of(visitor), "invitation": token, "link": link, **dict(researcher.client.cookies)}
    assert {"session", "resume", "withdrawal", "invitation", "link", "researcher"} <= set(secrets)
    back_up(served.database.url, tmp_path / "backup.sqlite")
    for held in (sqlite_bytes(served.survey.folder), (tmp_path / "backup.sqlite").read_bytes()):
        # What is looked for could be found: the participant's id, which is no secret, is there.
        assert visitor.id.encode() in held
        assert [name for name, secret in secrets.items() if secret.encode() in held] == []
        assert secrets["withdrawal"].replace("-", "").encode() not in held


def test_only_the_owner_of_the_folder_can_read_the_database(served: Served) -> None:
    modes = {file.name: file.stat().st_mode & 0o077 for file in served.survey.folder.glob("survey.sqlite*")}
    assert modes
    assert not any(modes.values()), modes


def test_a_withdrawal_removes_the_bytes(served: Served) -> None:
    stays, goes = served.participant(external="panel-stays"), served.participant(external="panel-goes")
    for visitor, word in ((stays, "keepsake"), (goes, "regret")):
        form = visitor.form()
        free = {
            name: f"{word}-detail" for name, held in form.fields.items() if held.kind == "text" and "age" not in name
        }
        assert free
        assert visitor.post("/submit", {**filled(form), **free}).status_code == 303
        visitor.until("comment")
        timing = '{"mark":"' + word + '-timing"}'
        sent = visitor.answer(comment=f"{word}-comment" * 50, timing=timing, submission=f"{word}-submission")
        assert sent.status_code == 303
    words = ("detail", "comment", "timing", "submission")
    before = sqlite_bytes(served.survey.folder)
    assert all(f"{who}-{word}".encode() in before for who in ("keepsake", "regret") for word in words)
    code = secrets_of(goes).get("withdrawal") or _code_elsewhere(goes)
    leaving = form_of(goes.get("/withdraw").text, "/withdraw")
    assert leaving is not None
    answer = goes.post("/withdraw", {**filled(leaving), "code": code.lower().replace("-", " "), "sure": "yes"})
    assert answer.status_code == 200
    after = sqlite_bytes(served.survey.folder)
    assert [word for word in words if f"regret-{word}".encode() in after] == []
    assert b"panel-goes" not in after
    assert all(f"keepsake-{word}".encode() in after for word in words)
    assert b"panel-stays" in after
    assert stays.get("/page").status_code == 200
    assert form_of(goes.get("/page").text, "/submit") is None


def _code_elsewhere(visitor: Visitor) -> str:
    from hengliang.people.storage.registration import withdrawal_code

    return withdrawal_code(dict(visitor.client.cookies)["keep"])


def test_the_events_say_nothing_personal(served: Served) -> None:
    visitor = served.participant(external="panel-4711")
    form = visitor.form()
    free = {name: "a-private-word" for name, held in form.fields.items() if held.kind == "text" and "age" not in name}
    assert visitor.post("/submit", {**filled(form), **free}).status_code == 303
    visitor.until("comment")
    visitor.answer(comment="a-private-word")
    told = " ".join(detail for (detail,) in served.rows("SELECT detail FROM events"))
    assert len(served.rows("SELECT 1 FROM events WHERE participant = :id", id=visitor.id)) >= 3
    assert "a-private-word" not in told
    assert "4711" not in told
    assert "127.0.0.1" not in told


@pytest.mark.parametrize("statement", ["UPDATE events SET kind = 'x'", "DELETE FROM events"])
def test_the_log_of_events_cannot_be_changed(served: Served, statement: str) -> None:
    served.participant()
    before = served.rows("SELECT * FROM events ORDER BY id")

    def change(connection: Connection) -> None:
        connection.execute(text(statement))

    with pytest.raises(Exception, match="events"):
        served.database.write(change).result()
    assert served.rows("SELECT * FROM events ORDER BY id") == before


class Kept(logging.Handler):
    """Keeps all that is logged; what the client of these tests says is not the server's."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.told: list[str] = []
        self.setFormatter(logging.Formatter("%(name)s %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one record, with its traceback."""
        if not record.name.startswith(("httpx", "httpcore")):
            self.told.append(self.format(record))

    @property
    def text(self) -> str:
        """All of it."""
        return "\n".join(self.told)


@pytest.fixture
def logged() -> Iterator[Kept]:
    """Keep what is logged at any level, as a program would that logs everything."""
    kept, root = Kept(), logging.getLogger()
    before = root.level
    root.addHandler(kept)
    root.setLevel(logging.DEBUG)
    yield kept
    root.setLevel(before)
    root.removeHandler(kept)


def test_a_fault_in_the_database_does_not_write_answers_into_the_log(logged: Kept, served: Served) -> None:
    """A disk error, a constraint: what a driver says about it may hold the values, and logs are read by others."""
    visitor = served.participant()
    visitor.until("comment")

    def break_it(connection: Connection) -> None:
        connection.execute(
            text("CREATE TRIGGER broken BEFORE INSERT ON answers BEGIN SELECT RAISE(ABORT, 'out of order'); END")
        )

    served.database.write(break_it).result()
    answer = visitor.answer(comment="a-private-word")
    assert answer.status_code in {500, 503}
    assert "out of order" in logged.text
    assert "a-private-word" not in logged.text
    assert visitor.session not in logged.text
    assert "out of order" not in answer.text


def test_the_log_holds_no_links(logged: Kept, served: Served, capfd: pytest.CaptureFixture[str]) -> None:
    token = served.invitation()
    visitor = served.visitor()
    visitor.begin(token)
    secrets = {**secrets_of(visitor), "invitation": token}
    assert visitor.get(f"/resume/{secrets['resume']}").status_code == 303
    assert visitor.get("/i/wrong-" + token).status_code in {303, 403}
    visitor.finish()
    told = logged.text + "".join(capfd.readouterr())
    assert "alembic" in told or "uvicorn" in told
    assert [name for name, secret in secrets.items() if secret in told] == []


def test_the_command_prints_two_links_and_no_requests(tmp_path: Path) -> None:
    small_survey(tmp_path)
    command = [
        sys.executable,
        "-c",
        "from hengliang.cli.main import main; main()",
        "survey",
        "serve",
        str(tmp_path),
        "--port",
        "0",
    ]
    # Links are shown on a terminal.
    ours, terminal = pty.openpty()
    with subprocess.Popen(
        command, stdout=terminal, stderr=terminal, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    ) as process:
        os.close(terminal)
        try:
            shown = _shown(ours, "Stop with")
            links = re.findall(r"(http://[^\s]+?)/(i|admin/link)/([A-Za-z0-9_-]{43})", shown)
            assert sorted(kind for _, kind, _ in links) == ["admin/link", "i"]
            url, _, token = next(link for link in links if link[1] == "i")
            with httpx.Client(base_url=url, trust_env=False) as client:
                assert client.get(f"/i/{token}").status_code == 200
                assert client.get(f"/resume/{token}").status_code == 404
        finally:
            process.terminate()
            process.wait(30)
            rest = _shown(ours, "goes on from there")
            os.close(ours)
    assert token not in rest and "Stopped." in rest
    assert "Traceback" not in rest
    assert not (tmp_path / "survey-links.txt").exists()


def _shown(terminal: int, mark: str) -> str:
    """Return what a terminal shows until the mark, or until the program has ended."""
    shown = b""
    until = time.monotonic() + 60
    while mark.encode() not in shown and time.monotonic() < until:
        if select.select([terminal], [], [], 1.0)[0]:
            try:
                read = os.read(terminal, 4096)
            except OSError:
                # Linux says so when nobody has the other end any more.
                read = b""
            if not read:
                break
            shown += read
    return shown.decode()


def test_consent_is_kept_with_what_was_agreed_to(served: Served) -> None:
    """A form for another text than the one that is shown now is not taken."""
    visitor = served.visitor()
    fields = agreed(visitor.consent_form(served.invitation()))
    answer = visitor.post("/consent", {**fields, "seal": "0:0000000000000000"})
    assert answer.status_code == 409
    assert visitor.post("/consent", fields).status_code == 303
    kept = served.rows("SELECT consent FROM participants WHERE id = :id", id=visitor.id)
    assert kept == [(served.survey.settings.consent_seal,)]
