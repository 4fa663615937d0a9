"""Does every history of coming, answering, answering again, leaving and coming back keep the books right?

Hypothesis makes up histories; a model of a few lines says what must follow. Each history runs in a transaction that is
undone at its end, so that one database serves all.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule, run_state_machine_as_test
from sqlalchemy import Connection, func, select

from hengliang.people.storage import tables
from hengliang.people.storage.assignment import fillings
from hengliang.people.storage.endings import exclude, expire, readmit, withdraw
from hengliang.people.storage.engines import engine_of
from hengliang.people.storage.invitations import invite
from hengliang.people.storage.participants import participants
from hengliang.people.storage.progress import progress
from hengliang.people.storage.registration import FULL, Refused, Registered, register
from hengliang.people.storage.submission import go_on, submit
from tests.people.storage.small_survey import NOW, SCALES, small_survey, submission_of

SURVEY = small_survey(2, places=2, reservation_minutes=10.0)
LISTS = tuple(SURVEY.lists)
END, FIRST_TRIAL = 5, 2
KINDS = ("real", "pilot")
PLACES = {"real": 2, "pilot": 1_000_000}
"""A list takes as many pilot participants as come."""
COMING = ("real", "real", "real", "pilot")


@dataclass
class Known:
    """What the model knows of one participant."""

    made: Registered
    kind: str
    version: str
    until: float
    """Until when the place is held."""
    status: str = "active"
    step: int = 0

    def holds(self, now: float) -> bool:
        return self.status == "finished" or (self.status == "active" and self.until > now)


class History(RuleBasedStateMachine):
    """All that can happen to a survey, in any order."""

    connection: Connection
    people = Bundle("people")

    def __init__(self) -> None:
        super().__init__()
        self.outer = self.connection.begin()
        self.now = NOW
        self.known: list[Known] = []
        self.left: set[str] = set()
        """The kinds of which somebody left, so that their lists need not be even any more."""
        self.tokens = {kind: invite(self.connection, kind, self.now) for kind in KINDS}  # type: ignore[arg-type]
        self.logged = 0

    def teardown(self) -> None:
        self.outer.rollback()

    def taken(self, kind: str) -> Counter[str]:
        return Counter(each.version for each in self.known if each.kind == kind and each.holds(self.now))

    @rule(target=people, kind=st.sampled_from(COMING))
    def come(self, kind: str) -> Known | None:
        return self.come_once(kind)

    def come_once(self, kind: str) -> Known | None:
        taken = {version: self.taken(kind)[version] for version in LISTS}
        try:
            with self.connection.begin_nested():
                made = register(self.connection, SURVEY, self.tokens[kind], "zh", None, self.now)
        except Refused as refused:
            assert refused.reason == FULL
            # A list may have more than its places: somebody who had finished was left out, another came in the place,
            # and the first was taken back.
            assert min(taken.values()) >= PLACES[kind]
            return None
        version = made.participant.version
        assert taken[version] == min(taken.values()) < PLACES[kind]
        # Ties go to the list with fewer participants ever, then to the first name.
        ever = Counter(each.version for each in self.known if each.kind == kind)
        assert version == min(LISTS, key=lambda each: (taken[each], ever[each], each))
        assert made.participant.number == ever[version]
        known = Known(made, kind, version, self.now + 600)
        self.known.append(known)
        if kind not in self.left:
            after = [self.taken(kind)[each] for each in LISTS]
            assert max(after) - min(after) <= 1
        return known

    @rule(kind=st.sampled_from(COMING), number=st.integers(3, 4))
    def come_together(self, kind: str, number: int) -> None:
        for _ in range(number):
            self.come_once(kind)

    @rule(known=people, pages=st.integers(2, END))
    def go_ahead(self, known: Known | None, pages: int) -> None:
        for _ in range(pages):
            self.send(known, 0, "a")

    @rule(known=people, back=st.sampled_from([0, 0, 1, 2, 4, -1]), tab=st.sampled_from("abc"))
    def answer(self, known: Known | None, back: int, tab: str) -> None:
        self.send(known, back, tab)

    def send(self, known: Known | None, back: int, tab: str) -> None:
        """Send the current page, or one from `back` pages ago, or one that has not come yet."""
        if known is None:
            return
        step = min(max(known.step - back, 0), END - 1)
        page = submission_of(SURVEY, known.made.participant, step, id=tab, value=float("abc".index(tab) + 1))
        with self.connection.begin_nested():
            outcome = submit(self.connection, page, SURVEY.settings, self.now)
        if known.status in ("withdrawn", "excluded"):
            assert outcome.kind == "ended"
        elif step < known.step:
            assert outcome.kind == "replayed"
        elif step > known.step:
            assert outcome.kind == "ahead"
        elif known.holds(self.now) or self.taken(known.kind)[known.version] < PLACES[known.kind]:
            assert outcome.kind == "stored"
            known.step += 1
            known.status = "finished" if known.step == END else "active"
            known.until = self.now + 600
        else:
            assert outcome.kind == "ended"
        assert outcome.step == known.step

    @rule(known=people)
    def look_again(self, known: Known | None) -> None:
        if known is None:
            return
        with self.connection.begin_nested():
            may = go_on(self.connection, known.made.participant.id, SURVEY.settings, self.now)
        going = known.status in ("active", "expired")
        assert may == (going and (known.holds(self.now) or self.taken(known.kind)[known.version] < PLACES[known.kind]))
        if may and not known.holds(self.now):
            known.status, known.until = "active", self.now + 600

    @rule(known=consumes(people))
    def leave_for_good(self, known: Known | None) -> None:
        if known is None:
            return
        with self.connection.begin_nested():
            assert withdraw(self.connection, known.made.withdrawal, self.now) == (known.status != "withdrawn")
        known.status = "withdrawn"
        self.left.add(known.kind)

    @rule(known=people)
    def leave_out(self, known: Known | None) -> None:
        if known is None:
            return
        with self.connection.begin_nested():
            done = exclude(self.connection, known.made.participant.id, "asleep", self.now)
        assert done == (known.status not in ("withdrawn", "excluded"))
        if done:
            known.status = "excluded"
            self.left.add(known.kind)

    @rule(known=people)
    def take_back(self, known: Known | None) -> None:
        if known is None:
            return
        with self.connection.begin_nested():
            done = readmit(self.connection, known.made.participant.id, self.now)
        assert done == (known.status == "excluded")
        if done:
            known.status = "finished" if known.step == END else "expired"

    @rule(minutes=st.sampled_from([1.0, 11.0]))
    def wait(self, minutes: float) -> None:
        held = {id(each) for each in self.known if each.holds(self.now)}
        self.now += 60 * minutes
        self.left |= {each.kind for each in self.known if id(each) in held and not each.holds(self.now)}

    @rule()
    def write_down_who_is_late(self) -> None:
        late = [each for each in self.known if each.status == "active" and not each.holds(self.now)]
        with self.connection.begin_nested():
            assert expire(self.connection, self.now) == len(late)
        for each in late:
            each.status = "expired"

    @invariant()
    def the_books_are_right(self) -> None:
        people = {each.id: each for each in participants(self.connection)}
        assert len(people) == len(self.known)
        answers = Counter(self.connection.execute(select(tables.answers.c.participant)).scalars())
        for known in self.known:
            row = people[known.made.participant.id]
            assert (row.status, row.step, row.kind, row.version) == (
                known.status,
                known.step,
                known.kind,
                known.version,
            )
            # Pages 2, 3 and 4 are trials with two scales each; a replay never added one.
            expected = 0 if known.status == "withdrawn" else max(0, known.step - FIRST_TRIAL) * len(SCALES)
            assert answers[row.id] == expected
        unique = tables.answers.c
        kept = select(unique.participant, unique.about, unique.occurrence, unique.scale)
        rows = [tuple(row) for row in self.connection.execute(kept)]
        assert len(rows) == len(set(rows))

    @invariant()
    def places_are_finished_ones_and_live_reservations(self) -> None:
        for kind in KINDS:
            found = fillings(self.connection, LISTS, kind, self.now)  # type: ignore[arg-type]
            counted = {each.version: each for each in progress(self.connection, kind, self.now, LISTS)}  # type: ignore[arg-type]
            for version in LISTS:
                assert found[version].taken == self.taken(kind)[version]
                assert found[version].taken == counted[version].finished + counted[version].active

    @invariant()
    def the_log_only_grows(self) -> None:
        logged = self.connection.execute(select(func.count()).select_from(tables.events)).scalar_one()
        assert logged >= self.logged
        self.logged = logged


def test_every_history_keeps_the_books_right(migrated_url: str, request: pytest.FixtureRequest) -> None:
    engine = engine_of(migrated_url, writing=True)
    examples = 30 if migrated_url.startswith("sqlite") else 8
    with engine.connect() as connection:

        class Here(History):
            pass

        Here.connection = connection
        quiet: Any = settings(
            max_examples=examples, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
        )
        run_state_machine_as_test(Here, settings=quiet)
        assert participants(connection) == []
    engine.dispose()


def test_who_is_taken_back_keeps_the_place_that_another_has_by_now(migrated_url: str) -> None:
    """No answers of a finished participant are dropped, so a list may then hold more than its places."""
    engine = engine_of(migrated_url, writing=True)
    with engine.connect() as connection:

        class Here(History):
            pass

        Here.connection = connection
        history = Here()
        first = history.come_once("real")
        assert first is not None
        history.come_together("real", PLACES["real"] * len(LISTS) - 1)
        assert history.come_once("real") is None  # all places are taken
        history.go_ahead(first, END)
        history.leave_out(first)
        assert history.come_once("real") is not None
        history.take_back(first)
        assert history.taken("real")[first.version] == PLACES["real"] + 1
        assert history.come_once("real") is None
        history.the_books_are_right()
        history.teardown()
    engine.dispose()
