from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hengliang.people.pages.courses import Course, Openings, courses_of
from hengliang.people.storage.participants import participants
from tests.people.pages.browser_stand_in import open_site


def test_a_course_counts_items_and_practice(tmp_path: Path) -> None:
    with open_site(tmp_path, practice=True, pause_every=3) as site:
        site.participant()
        person = site.database.read(participants).result()[0]
        course = courses_of(site.survey)(person)
        kinds = [step.kind for step in course.steps]
        trials = ["trial", "trial", "trial", "pause", "trial"]
        assert kinds == ["demographics", "instructions", "trial", "practice done", *trials, "end"]
        assert (course.items, course.practice) == (4, 1)
        # How many items are done before each page: the practice item does not count.
        assert [course.done_before(place) for place in range(len(kinds))] == [0, 0, 0, 0, 0, 1, 2, 3, 3, 4]


def test_pages_are_timed_from_when_they_became_the_current_ones() -> None:
    openings = Openings(remembered=2)
    openings.begin("a", 3, 10.0)
    openings.begin("a", 3, 15.0)
    assert openings.seconds("a", 3, 20.0) == 10.0
    assert openings.seconds("a", 4, 20.0) is openings.seconds("b", 3, 20.0) is None
    for place, who in enumerate("bc"):
        openings.begin(who, place, 20.0)
    assert openings.seconds("a", 3, 20.0) is None and openings.seconds("b", 0, 21.0) == 1.0


def test_the_same_facts_give_the_same_course_and_it_is_remembered(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        site.participant()
        person = site.database.read(participants).result()[0]
        course_of = courses_of(site.survey)
        assert course_of(person) is course_of(replace(person, step=3, language="zh"))
        other = course_of(replace(person, order=tuple(reversed(person.order))))
        assert isinstance(other, Course)
        assert other.steps != course_of(person).steps
