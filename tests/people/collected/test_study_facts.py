"""Are the facts about a survey those of its folder and its database?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang.people.collected.answers import read_collected
from hengliang.people.collected.study_facts import Ages, StudyFacts
from hengliang.people.storage.engines import database_url
from tests.people.collected.answered import CONSENTED, answered_survey, person, six_readers, store


def test_facts_of_an_answered_survey(tmp_path: Path) -> None:
    survey = answered_survey(tmp_path / "e")
    url = database_url(survey.folder)
    six_readers(url)
    slow = person("slow", ended=CONSENTED + 6000, language="en")
    store(url, [slow, person("w", status="withdrawn"), person("x", status="excluded", reason="bot")])
    facts = StudyFacts(survey, read_collected(url))
    assert facts.roles == {"target": 8, "catch": 1, "repeat": 1}
    assert (facts.n_items, facts.list_sizes, facts.systems) == (4, (10,), ("CORPUS", "BERT", "RULE"))
    assert (facts.began, facts.state("finished"), facts.state("withdrawn")) == (9, 7, 1)
    # Ages 20, 23, …, 35: mean 27.5; squares of ±1.5, ±4.5, ±7.5 sum to 157.5, over 5: 31.5, whose root is 5.612.
    assert facts.ages == Ages(6, 27.5, pytest.approx(5.6125, abs=1e-4), 20, 35)  # type: ignore[arg-type]
    assert facts.told("gender") == {"female": 3, "male": 3} and facts.told("region") == {}
    assert facts.languages == {"en": 1, "zh": 6}
    # Six took 600 s, one 6,000 s: the median is 10 minutes.
    assert facts.minutes == 10.0
    assert facts.raters == (6, 6, 6)
    assert facts.consents == ("1",)


def test_before_anybody_has_come_nothing_is_made_up(tmp_path: Path) -> None:
    survey = answered_survey(tmp_path / "e")
    for facts in (StudyFacts(survey), StudyFacts(survey, read_collected(database_url(survey.folder)))):
        assert (facts.began, facts.ages, facts.minutes, facts.raters) == (0, None, None, None)
        assert facts.told("gender") == {} and facts.languages == {}
        assert not facts.simulated
