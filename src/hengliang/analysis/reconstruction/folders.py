"""How are reconstructions read from a run, or from the folder of a survey that people answered?

An item is a description: its gold answer is the code of the scene, its condition (or its attribute `describer`) who
wrote it, its attribute `pair` the pair. Responses are counts, by people (respondents) or by systems, of which every
seed is a reader. Where several systems read, each is taken as an experiment of its own, with pairs of its own; what
experts call the pair is kept beside them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from hengliang.analysis.reconstruction.answers import Answer, Reconstructions, reconstructions
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import attribute_names
from hengliang.core.runs import RunFolder, Tables
from hengliang.core.terms import Bilingual
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.materials.scenes import Scene, read_scene
from hengliang.measures.reconstruction import counted_scene
from hengliang.people.collected.reading import collected_experiment
from hengliang.people.collected.run_records import run_records
from hengliang.people.sessions.survey import read_survey
from hengliang.people.tasks.reconstruction import Reconstruction
from hengliang.people.tasks.scene_details import domain_in

PILOT = Bilingual(
    "These are answers of a pilot, not of the experiment itself.", "这是预实验的回答，不是正式实验的回答。"
)


def read_folder(
    folder: Path,
    domain: Domain | None = None,
    *,
    database_url: str | None = None,
    kind: str = "real",
    finished_only: bool = False,
    system: str | None = None,
) -> Reconstructions:
    """Read the folder of a run (it has a manifest) or of a survey (it has experiment.json)."""
    if (folder / "manifest.json").exists():
        tables = RunFolder.open(folder).tables()
        return table_reconstructions(tables, domain or DEFAULT_DOMAIN, source=folder.resolve().name, system=system)
    if not (folder / "experiment.json").exists():
        raise UserError(
            f"{folder} holds neither a run nor a survey.",
            valid="The folder of a run, of a survey about scenes, or a file of reconstructions.",
            remedy="Make a survey with: hengliang scenes experiment",
        )
    return survey_reconstructions(folder, domain, database_url=database_url, kind=kind, finished_only=finished_only)


def survey_reconstructions(
    folder: Path,
    domain: Domain | None = None,
    *,
    database_url: str | None = None,
    kind: str = "real",
    finished_only: bool = False,
) -> Reconstructions:
    """Read the answers that a survey has collected, from its database or its folder."""
    task = read_survey(folder).task
    if not isinstance(task, Reconstruction):
        raise UserError(
            f"The survey in {folder} asks for '{task.name}', not for reconstructions.",
            remedy=f"hengliang analyse {folder}; or as the scores of experts: hengliang scenes analyse FILE --experts "
            f"{folder}",
        )
    experiment = collected_experiment(folder, database_url=database_url, kind=kind, finished_only=finished_only)
    if not experiment.answers.height:
        raise UserError(f"Nobody has answered the survey in {folder} yet.", remedy=f"hengliang survey serve {folder}")
    details = experiment.stimuli["details"].to_list()
    own = domain or (domain_in(json.loads(details[0] or "{}")) if details else DEFAULT_DOMAIN)
    held = run_records(experiment, task, folder)
    tables = Tables(held.items, held.systems, held.responses, held.judgements)
    return table_reconstructions(
        tables,
        own,
        source=folder.resolve().name,
        notes=(PILOT,) if kind == "pilot" else (),
        simulated=experiment.simulated,
    )


def table_reconstructions(
    tables: Tables,
    domain: Domain = DEFAULT_DOMAIN,
    *,
    source: str = "",
    system: str | None = None,
    notes: tuple[Bilingual, ...] = (),
    simulated: bool = False,
) -> Reconstructions:
    """Return the counts that readers gave in a run; `system` chooses one of several reading systems."""
    given = tables.responses.get("counts")
    if given is None or not given.height:
        raise UserError(
            "This run has no reconstructions: nobody answered with counts.",
            valid="Responses of the kind counts, by a reader or by people.",
        )
    readers = given["system"].unique(maintain_order=True).to_list()
    if system is not None:
        if system not in readers:
            raise unknown_name("reader", system, readers)
        given, readers = given.filter(pl.col("system") == system), [system]
    answers = list(_answers(tables.items, given, domain, several=len(readers) > 1))
    return reconstructions(answers, domain, source=source, form="records of a run", notes=notes, simulated=simulated)


def _answers(items: pl.DataFrame, given: pl.DataFrame, domain: Domain, *, several: bool) -> Iterator[Answer]:
    attributes = attribute_names(items)
    held = {row["id"]: row for row in items.iter_rows(named=True)}
    scenes: dict[str, Scene] = {}
    for row in given.sort("system", "item", "seed", "respondent").iter_rows(named=True):
        item = held.get(row["item"])
        if item is None or not item["gold"]:
            raise UserError(
                f"The item '{row['item']}' has no scene to compare the answer with.",
                valid="The gold answer of an item is the code of its scene: BS=2 RC=2.",
            )
        if item["id"] not in scenes:
            scenes[item["id"]] = read_scene(item["gold"], domain)
        scene = scenes[item["id"]]
        pair = str(item["pair"]) if "pair" in attributes and item["pair"] is not None else item["id"]
        own = item["describer"] if "describer" in attributes else None
        counts, reason = _counts(row, scene, domain)
        seeded = row["system"] if row["seed"] is None else f"{row['system']} (seed {row['seed']})"
        yield Answer(
            pair=f"{pair} · {row['system']}" if several else pair,
            describer=str(own or item["condition"] or "?"),
            scene=scene,
            participant=row["respondent"] or seeded,
            counts=counts,
            reason=reason,
            experiment=row["system"] if several else "",
            where=f"item {item['id']}",
            plain_pair=pair,
        )


def _counts(row: dict[str, object], scene: Scene, domain: Domain) -> tuple[tuple[int, ...] | None, str]:
    if row["status"] != "ok" or row["content"] is None:
        return None, str(row["reason"] or row["status"])
    try:
        return counted_scene(row["content"], domain, scene.size).counts, ""  # type: ignore[arg-type]
    except UserError as error:
        return None, error.problem
