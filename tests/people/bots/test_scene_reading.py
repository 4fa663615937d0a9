"""Does a simulated reader answer by what a description says, and never by the scene behind it?"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.materials.scenes import read_scene
from hengliang.people.bots.page_reading import form_of
from hengliang.people.bots.scene_reading import read_counts, understood_text
from hengliang.people.bots.task_answers import Asked, answers_to
from hengliang.people.tasks.reconstruction import Reconstruction
from hengliang.people.tasks.scene_details import scene_details
from hengliang.people.tasks.scenes import kinds_of
from hengliang.surveys import ResponseModel, SimulatedRater, Stimulus

TRUE = read_scene("BS=1 RC=3")
"""The scene behind every description here, which none of them is true of."""


def stimulus(text: str) -> Stimulus:
    """Return a description of the scene."""
    return Stimulus("s", "s", text, details=scene_details(TRUE, "s", "X"))


def rater(number: int = 1, noise: float = 0.0) -> SimulatedRater:
    return SimulatedRater(ResponseModel(by="description", noise=noise), 1, number)


@pytest.mark.parametrize("text", ["All objects are blue squares.", "所有的图形都是蓝色方形。"])
def test_what_is_said_is_answered(text: str) -> None:
    assert read_counts(rater(), stimulus(text)) == {
        "blue square": 4,
        "blue circle": 0,
        "red square": 0,
        "red circle": 0,
    }


def test_scenes_that_fit_are_drawn_by_their_weights() -> None:
    drawn = [read_counts(rater(number), stimulus("All objects are squares.")) for number in range(600)]
    seen = Counter(counts["blue square"] for counts in drawn)
    # Four squares, 0 to 4 of them blue: five scenes, all alike; 120 each, with a standard deviation of about 10.
    assert sorted(seen) == [0, 1, 2, 3, 4] and min(seen.values()) > 70 and max(seen.values()) < 170
    assert all(counts["blue circle"] == counts["red circle"] == 0 for counts in drawn)
    assert read_counts(rater(7), stimulus("All objects are squares.")) == drawn[7]


def test_what_is_not_understood_leaves_all_scenes() -> None:
    # C(4 + 3, 3) = 35 scenes of four things of four kinds.
    assert understood_text("Lorem ipsum dolor.", 4, DEFAULT_DOMAIN).number == 35


def test_of_a_contradiction_the_first_part_is_kept() -> None:
    understood = understood_text("All objects are squares. All objects are circles.", 4, DEFAULT_DOMAIN)
    assert understood.number == 5


def test_the_page_is_filled_in_by_the_description_with_a_stated_error() -> None:
    task = Reconstruction(kinds=kinds_of(DEFAULT_DOMAIN))
    form = form_of("<form></form>")
    assert form is not None
    shown = stimulus("All objects are blue squares.")
    sent = answers_to(task, Asked(rater(), shown, 1, form, {}))
    assert sent["answer-blue square"] == "4" and sent["answer-red circle"] == "0"
    by_scene = SimulatedRater(ResponseModel(noise=0.0), 1, 1)
    assert answers_to(task, Asked(by_scene, shown, 1, form, {}))["answer-red circle"] == "3"
    # One thing in five is mistaken, for one of four kinds: a quarter of these mistakes are none. 4 × 300 × .15 = 180.
    noisy = [answers_to(task, Asked(rater(number, 0.2), shown, 1, form, {})) for number in range(300)]
    mistaken = sum(4 - int(each["answer-blue square"]) for each in noisy)
    assert 140 < mistaken < 220
    assert answers_to(task, Asked(rater(), replace(shown, details={"scene_size": 4}), 1, form, {})) == sent
