"""Which small surveys do the tests of bots play: one of every task?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hengliang import Bilingual
from hengliang.experiments import Experiment, stimuli_frame, versions_frame, write_experiment
from hengliang.people.sessions.settings import Settings
from hengliang.people.sessions.survey import Design, Survey, read_survey, write_survey
from hengliang.people.tasks.library import task_of

SENTENCES = ("门口停着一辆车。", "他写了两封信。", "河边有三棵树。", "我们买了四张票。")

PARAMETERS: dict[str, dict[str, Any]] = {
    "likert": {},
    "forced_choice": {},
    "slider": {"low": -5, "high": 5, "step": 0.5},
    "cloze": {},
    "free_text": {},
    "reconstruction": {},
    "speeded": {"fixation": 0, "timeout": 700},
}
"""Every task with parameters that are a little unusual."""


def task_survey(folder: Path, task: str, parameters: dict[str, Any] | None = None, **settings: Any) -> Survey:
    """Write a survey of one task: three targets, the first of them repeated, and a catch item; and read it."""
    rows = [_stimulus(task, place, text) for place, text in enumerate(SENTENCES)]
    made = task_of(task, {**PARAMETERS[task], **(parameters or {})})
    shown = [("s0", "target", 1), ("s1", "target", 1), ("s3", "catch", 1), ("s2", "target", 1), ("s0", "repeat", 2)]
    versions = [
        {"version": "1", "position": place, "about": about, "role": role, "occurrence": occurrence}
        for place, (about, role, occurrence) in enumerate(shown, 1)
    ]
    experiment = Experiment(
        name=task,
        title=Bilingual("Bots", "机器人"),
        scales=made.scales(),
        stimuli=stimuli_frame(rows),
        versions=versions_frame(versions),
    )
    folder.mkdir(parents=True)
    write_experiment(folder, experiment)
    write_survey(folder, made, Design(order="version"), Settings(**settings))
    return read_survey(folder)


def _stimulus(task: str, place: int, text: str) -> dict[str, Any]:
    # The classifier is the character before the last two: 辆 in 一辆车。
    start = len(text[:-3].encode())
    span = {"name": "slot" if task == "cloze" else "target", "start": start, "end": start + 3}
    details = "{}"
    if task == "forced_choice":
        details = '{"options": [{"id": "A", "text": "这样说。"}, {"id": "B", "text": "那样说。"}]}'
    elif task == "reconstruction":
        details = '{"scene_size": 9, "scene": {"red circle": 4, "blue square": 5}}'
    elif task == "likert" and place == 3:
        details = '{"expected": {"clarity": [1, 2], "fluency": 1}}'
    return {
        "about": f"s{place}",
        "item": f"i{place}",
        "text": text,
        "spans": [span],
        "systems": ["A" if place % 2 else "B"],
        "details": details,
    }
