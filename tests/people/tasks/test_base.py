"""Is a row of the stimulus table what a task is given, and what does a task do unless it says otherwise?"""

from __future__ import annotations

from hengliang import Span
from hengliang.experiments import stimuli_frame
from hengliang.people.tasks.base import Screen, Stimulus, stimuli_of
from hengliang.people.tasks.cloze import Cloze
from hengliang.people.tasks.library import TASKS
from hengliang.people.tasks.likert import LikertRating
from hengliang.scenes import Reconstruction


def test_stimuli_of_a_table() -> None:
    frame = stimuli_frame(
        [
            {
                **{
                    "about": "a",
                    "item": "horse",
                    "text": "两匹马",
                    "systems": ["RULE"],
                    "details": '{"scene_size": 4}',
                },
                "spans": [{"name": "classifier", "start": 3, "end": 6}],
            },
            {"about": "b", "item": "horse", "text": "两头马", "spans": None, "systems": None},
        ]
    )
    assert stimuli_of(frame) == {
        "a": Stimulus("a", "horse", "两匹马", (Span("classifier", 3, 6),), ("RULE",), {"scene_size": 4}),
        "b": Stimulus("b", "horse", "两头马"),
    }


def test_all_scales_on_one_screen_unless_a_task_says_otherwise() -> None:
    kinds = ("red circle", "red square", "blue circle", "blue square")
    assert Reconstruction().screens(0) == Reconstruction().screens(7) == (Screen(kinds),)
    assert len(LikertRating(pages="separate").screens(0)) == 2


def test_which_tasks_show_the_text_and_need_scripts() -> None:
    assert [name for name, task in TASKS.items() if task.shows_text] == ["cloze", "speeded"]
    assert [name for name, task in TASKS.items() if task.needs_script] == ["speeded"]
    assert Cloze().parameters()["question"] == {"en": "Which word fits the gap best?", "zh": "空格处填哪个词最合适？"}
