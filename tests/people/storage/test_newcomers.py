"""Can one visitor with a public link take all places, and do a class in one room and honest people still get in?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from hengliang.people.bots.page_reading import form_of, forms_of
from hengliang.people.pages.addresses import Address
from hengliang.people.storage.database import Database
from hengliang.people.storage.invitations import invite
from hengliang.people.storage.newcomers import ALERT_SECONDS, ALWAYS, NETWORKS, Newcomers
from hengliang.people.storage.registration import register
from hengliang.people.storage.submission import go_on, submit
from tests.people.storage.small_survey import NOW, small_survey, submission_of
from tests.people.survey_folder import small_survey as served_survey
from tests.people.survey_visitor import Served, Visitor, agreed, filled, serving

ELSEWHERE = "127.0.0.2"


@contextmanager
def visitor_from(served: Served, address: str) -> Iterator[Visitor]:
    """Give a browser on another machine, as far as the server can see."""
    visitor = served.visitor()
    visitor.client.close()
    # Without TLS nobody's certificates need be read.
    transport = httpx.HTTPTransport(local_address=address, verify=False)
    visitor.client = httpx.Client(base_url=served.url, timeout=20, transport=transport)
    yield visitor
    visitor.close()


def begin(served: Served, token: str, address: str = "127.0.0.1") -> int:
    with visitor_from(served, address) as visitor:
        return visitor.post("/consent", agreed(visitor.consent_form(token))).status_code


def test_one_visitor_cannot_take_all_places(tmp_path: Path) -> None:
    """Forty consents at once from one address, with 24 places on two lists."""
    with serving(served_survey(tmp_path, places=12)) as served, ThreadPoolExecutor(8) as pool:
        token = served.invitation()
        came = list(pool.map(lambda _: begin(served, token, ELSEWHERE), range(40)))
        # Twelve: then they hold as many as they leave to others.
        assert (came.count(303), came.count(429)) == (12, 28)
        honest = [begin(served, token) for _ in range(3)]
        assert honest == [303] * 3
        # The same address again, after what it took without an answer has run out: no more than before.
        served.clock.ahead += 15 * 60 + 1
        again = [begin(served, token, ELSEWHERE) for _ in range(14)]
        assert again.count(303) == 12
        assert begin(served, token) == 303


def test_who_lost_a_place_without_an_answer_does_not_get_it_back_in_masses(tmp_path: Path) -> None:
    with serving(served_survey(tmp_path, places=12)) as served:
        token = served.invitation()
        sessions: list[dict[str, str]] = []
        for _ in range(12):
            with visitor_from(served, ELSEWHERE) as visitor:
                visitor.begin(token)
                sessions.append(dict(visitor.client.cookies))
        served.clock.ahead += 15 * 60 + 1
        assert [begin(served, token, ELSEWHERE) for _ in range(13)].count(303) == 12
        refused = refusals(served)
        # Twelve new ones hold places; the twelve old ones knock again and are told to wait, for places are left.
        with visitor_from(served, ELSEWHERE) as visitor:
            for cookies in sessions:
                visitor.client.cookies = httpx.Cookies(cookies)
                answer = visitor.get("/page")
                assert (answer.status_code, answer.headers["retry-after"]) == (429, "120")
                assert "Several people have just begun from your network" in answer.text
                assert "请过几分钟再试" in answer.text
        assert refusals(served) == refused + 12
        assert begin(served, token) == 303


def refusals(served: Served) -> int:
    """Return how many refusals the researchers are told of."""
    found = re.search(r"without having answered: (\d+),", served.researcher().get("/admin").text)
    return int(found[1]) if found else 0


def came_back(served: Served, tokens: list[str]) -> int:
    """Let people begin from one address and read for sixteen minutes; return how many of them can go on then.

    Every other one sends the page, the others open it anew.
    """
    visitors = [served.visitor() for _ in tokens]
    forms = []
    for visitor, token in zip(visitors, tokens, strict=True):
        visitor.begin(token)
        forms.append(visitor.form())
    served.clock.ahead += 16 * 60
    for visitor, form in list(zip(visitors, forms, strict=True))[::2]:
        visitor.post("/submit", filled(form))
    return sum(form_of(visitor.get("/page").text, "/submit") is not None for visitor in visitors)


def test_who_reads_for_long_gets_a_free_place_back_as_a_newcomer_would(tmp_path: Path) -> None:
    with serving(served_survey(tmp_path / "links", places=3)) as served:
        # All six places, by links for one person, which are not counted.
        assert came_back(served, [served.invitation(uses=1) for _ in range(6)]) == 6
    with serving(served_survey(tmp_path / "wide", places=10)) as served:
        # Ten of twenty: no more than they leave to others.
        assert came_back(served, [served.invitation()] * 10) == 10


def test_a_page_that_was_sent_by_one_too_many_can_be_sent_again(tmp_path: Path) -> None:
    with serving(served_survey(tmp_path, places=4)) as served:
        token, late = served.invitation(), served.visitor()
        late.begin(token)
        form = late.form()
        served.clock.ahead += 16 * 60
        others = [served.visitor() for _ in range(ALWAYS)]
        for visitor in others:
            visitor.begin(token)
        sent = filled(form)
        refused = late.post("/submit", sent)
        assert (refused.status_code, "Several people have just begun" in refused.text) == (429, True)
        offered = forms_of(refused.text)[0]
        assert (offered.action, filled(offered)) == ("/submit", sent)
        # One of the others answers an item, and counts no more.
        others[0].until("answer-clarity")
        assert others[0].answer().status_code == 303
        assert late.post("/submit", filled(offered)).status_code == 303
        assert served.rows("SELECT step FROM participants WHERE id = :id", id=late.id) == [(1,)]


def test_behind_a_proxy_the_address_that_it_tells_counts(tmp_path: Path) -> None:
    address = Address(port=0, behind_proxy="https://judge.example")
    with serving(served_survey(tmp_path, places=4), address=address) as served:
        # A browser sends Secure cookies over https only; the proxy would stand between.
        token = served.invitation()

        def arrive(client: str) -> int:
            visitor = served.visitor()
            visitor.client.headers["X-Forwarded-For"] = client
            form = visitor.consent_form(token)
            cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in visitor.client.cookies.jar)
            said = visitor.post("/consent", agreed(form), Cookie=cookies)
            visitor.close()
            return said.status_code

        # Eight places: four may always begin, and then four would be left for others, fewer than five.
        assert [arrive("203.0.113.9") for _ in range(6)] == [303] * ALWAYS + [429] * 2
        assert arrive("203.0.113.10") == 303
        assert arrive("2001:db8::1") == 303


def test_a_class_in_one_room_begins_at_once(tmp_path: Path) -> None:
    with serving(served_survey(tmp_path / "wide", places=30)) as served:
        token = served.invitation()
        assert [begin(served, token) for _ in range(24)] == [303] * 24
    # As many places as there are people: it is said in survey.toml, or everybody has a link of their own.
    with serving(served_survey(tmp_path / "said", places=3, unanswered_per_address=0)) as served:
        token = served.invitation()
        assert [begin(served, token) for _ in range(6)] == [303] * 6
    with serving(served_survey(tmp_path / "links", places=3)) as served:
        assert [begin(served, served.invitation(uses=1)) for _ in range(6)] == [303] * 6


def test_who_has_answered_does_not_count_any_more(tmp_path: Path) -> None:
    with serving(served_survey(tmp_path, places=4)) as served:
        token = served.invitation()
        visitors = [served.visitor() for _ in range(ALWAYS)]
        for visitor in visitors:
            visitor.begin(token)
        assert begin(served, token) == 429
        visitors[0].until("answer-clarity")
        assert begin(served, token) == 429
        assert visitors[0].answer().status_code == 303
        assert begin(served, token) == 303


def test_researchers_are_told_and_can_give_the_places_back(tmp_path: Path) -> None:
    with serving(served_survey(tmp_path, places=4)) as served:
        researcher, token = served.researcher(), served.invitation()
        before = researcher.get("/admin").text
        assert "free-places" not in before
        assert "one network address" not in before
        answering = served.participant()
        answering.until("answer-clarity")
        assert answering.answer().status_code == 303
        refused = [begin(served, token) for _ in range(6)]
        assert refused.count(429) == 2
        page = researcher.get("/admin").text
        assert 'id="unanswered">4<' in page
        assert "one network address" in page
        assert "同一网络地址" in researcher.get("/admin?language=zh").text
        # Once, however many were refused, and no address is kept.
        events = served.rows("SELECT detail FROM events WHERE kind = 'many from one address'")
        assert events == [('{"refused": 1}',)]
        form = next(each for each in forms_of(page) if each.action == "/admin/free-places")
        assert researcher.post(form.action, filled(form)).status_code == 303
        assert served.rows("SELECT status, count(*) FROM participants GROUP BY status ORDER BY status") == [
            ("active", 1),
            ("expired", 4),
        ]
        assert begin(served, token) == 303
        assert answering.answer().status_code == 303


def test_a_place_without_an_answer_is_held_for_a_short_time(database: Database) -> None:
    survey = small_survey(1, reservation_minutes=60.0, first_answer_minutes=10.0)
    token = database.write(invite, "real", NOW).result()
    person = database.write(register, survey, token, "zh", None, NOW).result().participant

    def page(step: int, now: float) -> float:
        submission = submission_of(survey, person, step)
        database.write(submit, submission, survey.settings, now).result()
        query = 'SELECT reserved FROM participants WHERE "number" = 0'
        return float(database.read(lambda connection: connection.exec_driver_sql(query).scalar_one()).result())

    assert person.reserved == NOW + 600
    # What somebody says about themselves, and that the instructions were read, is no answer to an item.
    assert page(0, NOW + 60) == NOW + 660
    assert page(1, NOW + 120) == NOW + 720
    assert page(2, NOW + 180) == NOW + 180 + 3600
    quick = database.write(register, survey, token, "zh", None, NOW).result().participant
    assert database.write(go_on, quick.id, survey.settings, NOW + 5000).result()


@pytest.mark.parametrize("minutes", [0.5, 60.0])
def test_the_short_time_is_never_the_longer_one(database: Database, minutes: float) -> None:
    survey = small_survey(1, reservation_minutes=1.0, first_answer_minutes=minutes)
    token = database.write(invite, "real", NOW).result()
    person = database.write(register, survey, token, "zh", None, NOW).result().participant
    assert person.reserved == NOW + 60 * min(1.0, minutes)


def test_no_more_addresses_are_remembered_than_there_is_room_for() -> None:
    newcomers = Newcomers()
    for number in range(NETWORKS + 5):
        newcomers.keep(str(number), ["a"])
    assert newcomers.of("0") == ()
    assert newcomers.of(str(NETWORKS)) == ("a",)
    newcomers.keep(str(NETWORKS), [])
    assert newcomers.of(str(NETWORKS)) == ()


def test_a_clock_that_is_set_back_does_not_silence_the_log() -> None:
    newcomers = Newcomers()
    assert newcomers.refuse(NOW, 100.0)
    assert not newcomers.refuse(NOW + 3600, 100.0 + ALERT_SECONDS - 1)
    # An hour earlier by the clock on the wall, and ten minutes after the last alert.
    assert newcomers.refuse(NOW - 3600, 100.0 + ALERT_SECONDS)
    assert (newcomers.refused, newcomers.last_refused) == (3, NOW - 3600)
