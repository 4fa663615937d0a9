"""Which small survey do the tests of surveys serve?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hengliang import Bilingual
from hengliang.experiments import Experiment, stimuli_frame, versions_frame, write_experiment
from hengliang.people.sessions.settings import Settings
from hengliang.people.sessions.survey import Design, Survey, read_survey, write_survey
from hengliang.people.tasks.base import Task
from hengliang.people.tasks.library import task_of

Sentences = Mapping[str, tuple[str, tuple[str, str]]]
SENTENCES: Sentences = {
    "cat": ("窗台上睡着一{}猫。", ("只", "条")),
    "book": ("她昨天借了三{}书。", ("本", "个")),
    "horse": ("山坡上有两{}马。", ("匹", "头")),
    "letter": ("我收到了一{}信。", ("封", "张")),
}
"""Four sentences of ours by name, with the two words that can stand in the gap."""

PRACTICE = "practice-1"
"""What the practice item is about, where there is one."""


def small_stimuli(sentences: Sentences = SENTENCES) -> list[dict[str, Any]]:
    """Return eight stimuli: each sentence with either word, which is the target (`cat-1`, `cat-2`, `book-1`, …)."""
    return [
        _stimulus(f"{item}-{place}", item, frame, word)
        for item, (frame, words) in sentences.items()
        for place, word in enumerate(words, 1)
    ]


def _stimulus(about: str, item: str, frame: str, word: str) -> dict[str, Any]:
    start = len(frame.partition("{}")[0].encode())
    span = {"name": "target", "start": start, "end": start + len(word.encode())}
    return {"about": about, "item": item, "text": frame.format(word), "spans": [span], "systems": ["tested"]}


def small_versions(versions: int, practice: bool, sentences: Sentences = SENTENCES) -> list[dict[str, Any]]:
    """Return the lists `1` … `versions`: all variants of a sentence in one list, never adjacent if there are two."""
    rows: list[dict[str, Any]] = []
    for version in range(versions):
        items = [item for place, item in enumerate(sentences) if place % versions == version]
        abouts = [f"{item}-{variant}" for variant in (1, 2) for item in items]
        first = [{"about": PRACTICE, "role": "practice"}] if practice else []
        listed = [*first, *({"about": about} for about in abouts)]
        rows += [{"version": str(version + 1), "position": place, **row} for place, row in enumerate(listed, 1)]
    return rows


def small_task() -> Task:
    """Return the ready Likert task: two statements on seven points."""
    return task_of("likert", {})


def small_survey(
    folder: Path,
    *,
    task: Task | None = None,
    versions: int = 2,
    practice: bool = False,
    sentences: Sentences = SENTENCES,
    **settings: Any,
) -> Survey:
    """Write a survey of four sentences with two variants each into the folder and read it, with some settings.

    A list needs two sentences at least, so there are at most two versions of the four.
    """
    task = task or small_task()
    stimuli = small_stimuli(sentences)
    if practice:
        stimuli.append(_stimulus(PRACTICE, "practice", "桌上放着一{}笔。", "支"))
    folder.mkdir(parents=True, exist_ok=True)
    experiment = Experiment(
        name="small",
        title=Bilingual("A small survey", "一项小调查"),
        scales=task.scales(),
        stimuli=stimuli_frame(stimuli),
        versions=versions_frame(small_versions(versions, practice, sentences)),
    )
    write_experiment(folder, experiment)
    write_survey(folder, task, Design(), Settings(**settings))
    return read_survey(folder)
