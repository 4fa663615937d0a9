"""Is the state of every list counted right?"""

from __future__ import annotations

from hengliang.people.storage.database import Database
from hengliang.people.storage.endings import exclude, withdraw
from hengliang.people.storage.invitations import invite
from hengliang.people.storage.progress import ListProgress, progress
from hengliang.people.storage.registration import Registered, register
from hengliang.people.storage.submission import submit
from tests.people.storage.small_survey import NOW, small_survey, submission_of

SURVEY = small_survey(2, reservation_minutes=10.0)


def test_progress_by_list(database: Database) -> None:
    assert database.read(progress, "real", NOW).result() == []
    assert database.read(progress, "real", NOW, ["2", "1"]).result() == [ListProgress("1"), ListProgress("2")]

    def begun(pages: int, kind: str = "real") -> Registered:
        token = database.write(invite, kind, NOW, version="1").result()  # type: ignore[arg-type]
        made = database.write(register, SURVEY, token, "zh", None, NOW).result()
        for step in range(pages):
            database.write(submit, submission_of(SURVEY, made.participant, step), SURVEY.settings, NOW).result()
        return made

    begun(5)
    begun(3)
    database.write(exclude, begun(5).participant.id, "asleep", NOW).result()
    database.write(withdraw, begun(5).withdrawal, NOW).result()
    begun(5, "pilot")
    # Three trials of two scales are 6 answers; the second one has given 2; who is excluded or withdrew counts for none.
    now, later = (database.read(progress, "real", time, SURVEY.lists).result() for time in (NOW, NOW + 600))
    assert now == [ListProgress("1", active=1, finished=1, withdrawn=1, excluded=1, answers=8), ListProgress("2")]
    assert later[0] == ListProgress("1", expired=1, finished=1, withdrawn=1, excluded=1, answers=8)
    assert database.read(progress, "pilot", NOW).result() == [ListProgress("1", finished=1, answers=6)]
