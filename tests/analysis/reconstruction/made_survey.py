"""Which small survey about scenes have people answered?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl

from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.materials.scenes import read_scene
from hengliang.people.scene_experiment import rating_experiment, reconstruction_experiment
from hengliang.people.scene_pairs import ScenePair
from hengliang.surveys import answers_frame, read_experiment, write_experiment

PAIRS = tuple(
    ScenePair(f"{who} {place}", who, read_scene(code), text)
    for place, code in enumerate(("BS=2 RC=2", "BS=4", "BS=4 RC=4", "BC=6 RC=2"))
    for who, text in (("Human", "Some of them are blue."), ("QDG-IA", f"A description of scene number {place}."))
)


def reading_survey(folder: Path) -> Path:
    """Write a survey whose readers are right about QDG-IA's descriptions, a swap away from people's, once at a loss."""
    reconstruction_experiment(PAIRS, readers=2, participants=4).write(folder)
    held = read_experiment(folder)
    by_about = {pair.about: pair for pair in PAIRS}
    rows: list[dict[str, object]] = []
    for version, about, trial in held.versions.select("version", "about", "position").iter_rows():
        pair = by_about[about]
        counts = list(pair.scene.counts)
        if pair.describer == "Human":
            counts[0], counts[3] = counts[0] + 1, counts[3] - 1
            if counts[3] < 0:
                counts[0], counts[1], counts[3] = counts[0] - 2, counts[1] + 1, 0
        at_a_loss = not any(row["status"] == "missing" for row in rows) and pair.describer == "Human"
        for kind, count in zip(DEFAULT_DOMAIN.kind_names, counts, strict=True):
            given = {"status": "missing", "reason": "not understood"} if at_a_loss else {"value": float(count)}
            own = {"participant": f"reader {version}", "about": about, "scale": kind, "trial": trial}
            rows.append({"status": "ok", **own, "version": version, **given})
    write_experiment(folder, replace(held, answers=answers_frame(rows)))
    return folder


def rating_survey(folder: Path) -> Path:
    """Write a survey in which two experts give people's descriptions lower scores."""
    rating_experiment(PAIRS, experts=2).write(folder)
    held = read_experiment(folder)
    by_about = {pair.about: pair for pair in PAIRS}
    scales = [scale.name for scale in held.scales]
    rows = [
        {"participant": f"expert {version}", "about": about, "scale": scale, "trial": trial, "version": version}
        | {"value": float(3 + trial % 2 if by_about[about].describer == "Human" else 5 - (scale == scales[0]))}
        for version, about, trial in held.versions.select("version", "about", "position").iter_rows()
        for scale in scales
    ]
    write_experiment(folder, replace(held, answers=answers_frame(rows)))
    return folder


def all_pairs(frame: pl.DataFrame) -> list[str]:
    """Return the pairs of a table, sorted."""
    return sorted(frame["pair"].unique().to_list())
