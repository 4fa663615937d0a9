"""What is an experiment in which people rebuild scenes from descriptions, or judge descriptions beside their scenes?

It follows one published experiment [1]. Readers are told the size of a scene, read a description, and say how many
things of each kind the scene holds; each pair of a scene and a description has the same number of readers, and a list
of the survey is one participant's (`pair_allocation`). Experts see scene and description and answer three questions
with five points; each sees all pairs, or a stated share of them.

A list takes one finished participant. Who withdraws, is excluded or stays away for too long gives the list back, and
the next participant gets it whole, in a new order: when all lists are done, every pair has the readers that were
wanted among those who finished.

[1] Pel, R. (2020). A task-based evaluation of algorithms that generate quantifiable expressions. Bachelor's thesis,
    Utrecht University.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.io.files import whole_file, write_text
from hengliang.core.terms import LANGUAGES, Bilingual, Language
from hengliang.experiments import Experiment, Plan, stimuli_frame
from hengliang.materials.scene_domains import Domain
from hengliang.people.design.allocation_proof import ALLOCATED
from hengliang.people.design.item_order import ordered_versions
from hengliang.people.design.list_proof import proof
from hengliang.people.design.order_rules import least_rows
from hengliang.people.design.pair_allocation import Allocation, Pair, allocate, inevitable_repeats
from hengliang.people.design.survey_design import DesignedSurvey, check_new
from hengliang.people.scene_pairs import ScenePair, pairs_frame
from hengliang.people.scene_texts import (
    RATING_TITLE,
    READING_TITLE,
    rating_consent,
    rating_instructions,
    reading_consent,
    reading_instructions,
)
from hengliang.people.sessions.settings import Settings
from hengliang.people.sessions.steps import Presentation
from hengliang.people.sessions.survey import Design
from hengliang.people.sessions.texts import CONSENT
from hengliang.people.tasks.base import Task, stimuli_of
from hengliang.people.tasks.likert import LikertRating
from hengliang.people.tasks.pieces import language_of
from hengliang.people.tasks.reconstruction import Reconstruction
from hengliang.people.tasks.scene_details import scene_details
from hengliang.people.tasks.scenes import kinds_of, kinds_told
from hengliang.people.tasks.statement_sets import DESCRIPTION

PAIRS_FILE, MODEL_FILE = "pairs.csv", "simulated.toml"

READING_MODEL = """\
# Simulated readers of this survey: hengliang survey simulate DIR --participants N --model DIR/simulated.toml
# They read the description: one of the scenes that fit what a grammar understands of it is drawn, and each thing in it
# is mistaken for another with the probability below. They never see the true scene. What people do, they do not tell.
[answers]
not_understood = 0.01

[counts]
by = "description"
noise = 0.02
"""


@dataclass(frozen=True, slots=True)
class SceneExperiment:
    """A survey about descriptions of scenes that is not yet written, with what it was made from."""

    designed: DesignedSurvey
    pairs: tuple[ScenePair, ...]
    allocation: Allocation

    @property
    def describers(self) -> dict[str, int]:
        """How many pairs each describer has, in the order of the pairs."""
        return dict(Counter(pair.describer for pair in self.pairs))

    def listing(self) -> pl.DataFrame:
        """Return the pairs with the id of their stimulus, and the lists that have them."""
        lists: dict[str, list[str]] = {}
        for name, shown in zip(_names(len(self.allocation.lists)), self.allocation.lists, strict=True):
            for pair in shown:
                lists.setdefault(pair, []).append(name)
        held = [";".join(lists[pair.id]) for pair in self.pairs]
        return pairs_frame(self.pairs).with_columns(
            about=pl.Series([pair.about for pair in self.pairs], dtype=pl.String),
            lists=pl.Series(held, dtype=pl.String),
        )

    def write(self, folder: Path) -> None:
        """Write the folder; one that holds anything is refused.

        Beside what a survey has stand `pairs.csv` (the pairs, the ids of their stimuli, and the lists that have them)
        and, for readers, `simulated.toml` (how simulated readers answer).
        """
        check_new(folder)
        self.designed.write(folder)
        with whole_file(folder / PAIRS_FILE) as stream:
            self.listing().write_csv(stream)
        if isinstance(self.designed.task, Reconstruction):
            write_text(folder / MODEL_FILE, READING_MODEL)


def reconstruction_experiment(
    pairs: Sequence[ScenePair],
    *,
    readers: int,
    participants: int,
    seed: int = 1,
    name: str = "scenes",
    title: Bilingual = READING_TITLE,
    settings: Settings | None = None,
) -> SceneExperiment:
    """Make a survey in which each pair has so many readers among so many participants."""
    domain = _domain(pairs)
    task = Reconstruction(kinds=kinds_of(domain), things=Bilingual(domain.plural, domain.chinese))
    plan = Plan(
        family="each algorithm against people on swaps, corrected by Holm; experts' scores on swaps, corrected by Holm",
        stopping_rule=f"one finished participant on each of {participants} lists",
        raters_per_item=readers,
    )
    languages = _languages(pairs)
    told = _told(settings, reading_consent(domain, languages), reading_instructions(domain, languages))
    details = [scene_details(pair.scene, pair.id, pair.describer) for pair in pairs]
    allocation = allocate(_for_allocation(pairs), readers, participants, seed)
    return _made(pairs, details, task, plan, told, allocation, name=name, title=title)


def rating_experiment(
    pairs: Sequence[ScenePair],
    *,
    experts: int,
    share: float = 1.0,
    seed: int = 1,
    name: str = "scene-ratings",
    title: Bilingual = RATING_TITLE,
    settings: Settings | None = None,
) -> SceneExperiment:
    """Make a survey in which experts judge descriptions beside their scenes, each of them this share of the pairs.

    Every pair is judged by equally many: four experts with a share of a half are two for each pair.
    """
    domain = _domain(pairs)
    if experts < 1:
        raise UserError(f"{experts} experts cannot judge anything.", valid="At least one expert.")
    each = experts * share
    raters = round(each)
    if not 0 < share <= 1 or raters < 1 or abs(each - raters) > 1e-6:
        possible = ", ".join(f"{number}/{experts}" for number in range(1, experts + 1))
        raise UserError(
            f"{experts} experts with a share of {share:g} are {each:g} for each pair.",
            valid=f"A share with which each pair is judged by equally many: {possible}.",
        )
    plan = Plan(
        primary_outcome="informativity",
        family="all pairs of describers on informativity, corrected by Holm",
        stopping_rule=f"one finished expert on each of {experts} lists",
        raters_per_item=raters,
    )
    languages = _languages(pairs)
    told = _told(settings, rating_consent(languages), rating_instructions(domain, languages))
    kinds = kinds_told(kinds_of(domain))
    details = [
        {**scene_details(pair.scene, pair.id, pair.describer), "layout": f"{seed} {pair.scene.code}", "kinds": kinds}
        for pair in pairs
    ]
    allocation = allocate(_for_allocation(pairs), raters, experts, seed)
    return _made(pairs, details, LikertRating(DESCRIPTION), plan, told, allocation, name=name, title=title)


def _told(settings: Settings | None, consent: Bilingual, instructions: Bilingual) -> Settings:
    """Return the settings with our texts; a consent that researchers wrote stays."""
    held = settings or Settings()
    own = held.consent != CONSENT
    return replace(held, consent=held.consent if own else consent, instructions=instructions, places=1)


def _languages(pairs: Sequence[ScenePair]) -> list[Language]:
    """Return the languages of the descriptions."""
    found = {language_of(pair.text) for pair in pairs}
    return [language for language in LANGUAGES if language in found]


def _domain(pairs: Sequence[ScenePair]) -> Domain:
    domains = list(dict.fromkeys(pair.scene.domain for pair in pairs))
    if not domains:
        raise UserError("There are no pairs to read.", valid="At least one description of a scene.")
    if len(domains) > 1:
        raise UserError(f"The pairs are of the domains {', '.join(domain.name for domain in domains)}.", valid="One.")
    return domains[0]


def _for_allocation(pairs: Sequence[ScenePair]) -> list[Pair]:
    return [Pair(pair.id, pair.scene.code, pair.scene.size) for pair in pairs]


def _made(
    pairs: Sequence[ScenePair],
    details: Sequence[dict[str, Any]],
    task: Task,
    plan: Plan,
    settings: Settings,
    allocation: Allocation,
    *,
    name: str,
    title: Bilingual,
) -> SceneExperiment:
    stimuli = _stimuli(pairs, details)
    _check_task(task, stimuli)
    sizes = sorted({pair.scene.size for pair in pairs})
    by_id = {pair.id: pair for pair in pairs}
    lists = {
        name: [Presentation(by_id[id].about, "target", sizes.index(by_id[id].scene.size) + 1) for id in shown]
        for name, shown in zip(_names(len(allocation.lists)), allocation.lists, strict=True)
    }
    scene_of = {pair.about: pair.scene.code for pair in pairs}
    design = Design(lists=ALLOCATED, distance=_distance(lists, scene_of), seed=allocation.seed)
    versions = ordered_versions(lists, scene_of, distance=design.distance, seed=allocation.seed)
    experiment = Experiment(name, title, task.scales(), stimuli, plan, versions=versions)
    proved = replace(design, proof=proof(experiment, design))
    designed = DesignedSurvey(experiment, task, proved, settings, tuple(sizes))
    return SceneExperiment(designed, tuple(pairs), allocation)


def _names(lists: int) -> list[str]:
    """Return the names of the lists: numbers of one length, so that the tenth does not come before the second."""
    width = len(str(lists))
    return [f"{number:0{width}d}" for number in range(1, lists + 1)]


def _stimuli(pairs: Sequence[ScenePair], details: Sequence[dict[str, Any]]) -> pl.DataFrame:
    return stimuli_frame(
        {
            "about": pair.about,
            "item": pair.scene.code,
            "text": pair.text,
            "spans": [],
            "systems": [pair.describer],
            "details": json.dumps(told, ensure_ascii=False, sort_keys=True),
        }
        for pair, told in zip(pairs, details, strict=True)
    )


def _check_task(task: Task, stimuli: pl.DataFrame) -> None:
    fault = task.fault()
    if fault:
        raise UserError(f"Nobody can be asked about this domain: {fault}.", remedy="Change the names of its values.")
    for stimulus in stimuli_of(stimuli).values():
        fault = task.check(stimulus)
        if fault:
            raise UserError(f"The pair '{stimulus.details['pair']}' cannot be shown: {fault}.")


def _distance(lists: dict[str, list[Presentation]], scene_of: dict[str, str]) -> int:
    """Return how far apart two descriptions of a scene stand: not side by side, where other scenes suffice."""
    for shown in lists.values():
        for block in {each.block for each in shown}:
            held = [scene_of[each.about] for each in shown if each.block == block]
            if least_rows(list(Counter(held).values()), 2) > len(held):
                return 1
    return 2


def readings_again(made: SceneExperiment) -> tuple[int, int]:
    """Return how many readings are of a scene that the participant met before, and how many of these must be."""
    allocation = made.allocation
    needed = inevitable_repeats(_for_allocation(made.pairs), allocation.readers, len(allocation.lists))
    return allocation.again, needed
