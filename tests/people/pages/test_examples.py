"""Is the example in the language of the texts, and does it show a scene where texts stand beside scenes?"""

from __future__ import annotations

import pytest

from hengliang.people.pages.examples import example_among
from hengliang.people.tasks.base import Stimulus, stimuli_of
from hengliang.people.tasks.likert import LikertRating
from hengliang.people.tasks.scenes import drawn_scene
from hengliang.people.tasks.statement_sets import DESCRIPTION
from hengliang.scenes import DEFAULT_DOMAIN, Domain, rating_experiment, reconstruction_experiment
from tests.people.scene_examples import ANIMALS, SIGNS, scene_pairs


@pytest.mark.parametrize(
    ("texts", "shown"),
    [
        (["A horse.", "Two horses."], "This is an example sentence."),
        (["一匹马。", "两匹马。", "A horse."], "这是一个例句。"),
        ([""], "这是一个例句。"),
        ([], "这是一个例句。"),
    ],
)
def test_the_language_of_most_texts(texts: list[str], shown: str) -> None:
    assert example_among([Stimulus(str(place), "x", text) for place, text in enumerate(texts)]).text == shown


@pytest.mark.parametrize(
    ("domain", "text", "words"),
    [
        (DEFAULT_DOMAIN, "There are only blue squares and red circles.", "blue squares: 4, red circles: 3"),
        (ANIMALS, "There are only black cats and white dogs.", "black cats: 4, white dogs: 3"),
        (SIGNS, "There are only green triangles and ochre diamonds.", "green triangles: 4, ochre diamonds: 3"),
    ],
    ids=["default", "animals", "signs"],
)
def test_experts_see_a_scene_and_what_is_said_of_it(domain: Domain, text: str, words: str) -> None:
    made = rating_experiment(scene_pairs(domain=domain), experts=2).designed.experiment
    example = example_among(stimuli_of(made.stimuli).values())
    assert example.text == text and LikertRating(DESCRIPTION).check(example) is None
    assert (drawn_scene(example.details["scene"], "en", example.details) or {})["words"] == words


def test_readers_have_the_examples_of_the_instructions_instead() -> None:
    made = reconstruction_experiment(scene_pairs(), readers=1, participants=2).designed
    example = example_among(stimuli_of(made.experiment.stimuli).values())
    assert made.task.check(example) is not None
