"""Is a survey checked before it is served, and does its researcher get the links that are needed?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.people.design.list_proof import proof
from hengliang.people.pages.starting import PUBLIC_URL, Links, begin, checked_survey, lines_beside, opening_lines
from hengliang.people.sessions.survey import write_survey
from hengliang.people.storage.administration import redeem
from hengliang.people.storage.database import Database, database_url
from hengliang.people.storage.facts import close_survey, fact
from hengliang.people.storage.invitations import invitation_of, invitations, invite
from hengliang.people.storage.migrating import migrate
from tests.people.survey_folder import small_survey

NOW = 1_800_000_000.0
HERE = "http://127.0.0.1:8000"


def test_lists_that_are_not_those_of_the_proof_are_not_served(tmp_path: Path) -> None:
    survey = small_survey(tmp_path)
    assert checked_survey(tmp_path).digest == survey.digest
    proved = replace(survey.design, proof=proof(survey.experiment, survey.design))
    write_survey(tmp_path, survey.task, proved, survey.settings)
    assert checked_survey(tmp_path).design.proof == proved.proof
    write_survey(tmp_path, survey.task, replace(proved, proof=proved.proof + "0"), survey.settings)
    with pytest.raises(UserError, match="not those that were proved"):
        checked_survey(tmp_path)


def test_the_first_start_makes_an_invitation_and_later_ones_only_when_asked(tmp_path: Path) -> None:
    survey = small_survey(tmp_path)
    url = database_url(tmp_path)
    migrate(url)
    with Database.open(url) as database:
        # A pilot's link does not stand in for the one of the real survey.
        database.write(invite, "pilot", NOW).result()
        first = database.write(begin, survey, HERE, False, NOW).result()
        second = database.write(begin, survey, "https://judge.example", False, NOW).result()
        third = database.write(begin, survey, "https://judge.example", True, NOW).result()
        assert first.participants
        assert second.participants is None
        assert third.participants not in {None, first.participants}
        found = database.read(invitation_of, first.participants).result()
        assert found is not None
        assert (found.kind, found.label, found.uses) == ("real", "general", None)
        assert len(database.read(invitations).result()) == 3
        assert database.read(fact, PUBLIC_URL).result() == "https://judge.example"
        assert database.write(redeem, second.researcher, NOW).result() is not None
        assert first.open
        database.write(close_survey, NOW).result()
        assert not database.write(begin, survey, HERE, False, NOW).result().open


def test_a_database_of_another_design_is_refused(tmp_path: Path) -> None:
    url = database_url(tmp_path)
    migrate(url)
    one, other = small_survey(tmp_path / "one"), small_survey(tmp_path / "other", versions=1)
    with Database.open(url) as database:
        database.write(begin, one, HERE, False, NOW).result()
        with pytest.raises(UserError, match="another design"):
            database.write(begin, other, HERE, False, NOW).result()


def test_what_is_shown(tmp_path: Path) -> None:
    survey = small_survey(tmp_path)
    first = opening_lines(survey, HERE, Links("secret", "token", open=True), Path("fluency"))
    assert first == [
        "A small survey / 一项小调查",
        f"Participants: {HERE}/i/token  (shown this once)",
        f"Researchers:  {HERE}/admin/link/secret  (works once, within 15 minutes)",
        "Stop with Ctrl-C.",
    ]
    beside = lines_beside(tmp_path / "l.txt", HERE, Links("secret", "token", open=True), Path("fluency"))
    assert beside == [f"At {HERE}", f"Links: both links can be read in {tmp_path}/l.txt, by its owner alone"]
    # The survey begins also where no file can be written, and says how to get links.
    nowhere = lines_beside(tmp_path / "no" / "l.txt", HERE, Links("secret", "token", open=True), Path("fluency"))
    assert "hengliang survey invite fluency" in nowhere[1] and "secret" not in "".join([*beside, *nowhere])
    later = "\n".join(opening_lines(survey, HERE, Links("secret", None, open=False), Path("fluency")))
    assert "hengliang survey invite fluency" in later
    assert "hengliang survey close fluency --reopen" in later
