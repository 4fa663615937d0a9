"""How do items, a task and a plan become a survey that can be served?

`design_survey` divides the targets into lists, adds practice, fillers, catch items and repeats, orders every list,
proves that all of it keeps the design, and puts on record what was decided before the first answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from hengliang.core.errors import UserError, file_errors, unknown_name
from hengliang.core.terms import Bilingual
from hengliang.experiments import Experiment, Plan, Scale, write_experiment
from hengliang.people.design.item_files import Items
from hengliang.people.design.item_order import REPEAT_DISTANCE, ordered_versions
from hengliang.people.design.list_division import Lists, divide
from hengliang.people.design.list_proof import proof
from hengliang.people.design.list_rows import Blocks, blocks_of, rows_of
from hengliang.people.sessions.settings import Settings
from hengliang.people.sessions.survey import Design, write_survey
from hengliang.people.tasks.base import Task, stimuli_of

TITLE = Bilingual("How do these texts read?", "这些文本读起来怎么样？")
ORDERS = ("participant", "version")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the lists are to be like. Without `versions` and `lists`, those of an experiment folder are kept."""

    versions: int | None = None
    lists: Lists | None = None
    distance: int = 2
    repeat_distance: int = REPEAT_DISTANCE
    repeats: float = 0.0
    blocks: str | None = None
    order: str = "participant"
    uneven: bool = False
    seed: int = 1


@dataclass(frozen=True, slots=True)
class DesignedSurvey:
    """A survey that is not yet written: all that its folder will hold."""

    experiment: Experiment
    task: Task
    design: Design
    settings: Settings = field(default_factory=Settings)
    blocks: tuple[Any, ...] = ()
    """The values by which blocks were made, in their order."""

    def sizes(self) -> dict[str, int]:
        """Return how many rows each list has, all roles together."""
        counted = self.experiment.versions.group_by("version", maintain_order=True).len()
        return dict(counted.iter_rows())

    def write(self, folder: Path) -> None:
        """Write the folder; one that holds anything is refused."""
        check_new(folder)
        write_experiment(folder, self.experiment)
        write_survey(folder, self.task, self.design, self.settings)


def check_new(folder: Path) -> None:
    """Refuse a folder that is not new or empty: a survey is never written over another one."""
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file, not a folder.", remedy="Choose another --out.")
    with file_errors(folder, "read"):
        held = sorted(file.name for file in folder.iterdir()) if folder.exists() else []
    if held:
        raise UserError(f"The folder {folder} is not empty ({held[0]}).", remedy="Choose a new folder for --out.")


def design_survey(
    items: Items,
    task: Task,
    wanted: Wanted | None = None,
    *,
    beside: Sequence[Items] = (),
    name: str = "survey",
    title: Bilingual | None = None,
    plan: Plan | None = None,
    settings: Settings | None = None,
) -> DesignedSurvey:
    """Return the survey, or say why it is impossible; `beside` are practice, fillers and catch items."""
    wanted = wanted or Wanted()
    _check_wanted(wanted)
    merged = _with_expected(_merged(items, beside), task)
    _check_task(merged, task)
    blocks = blocks_of(merged, wanted.blocks)
    shown, lists = _lists(items, merged, blocks, wanted)
    rows = {
        version: rows_of(version, targets, merged, blocks, wanted.repeats, wanted.repeat_distance, wanted.seed)
        for version, targets in shown.items()
    }
    versions = ordered_versions(
        rows,
        dict(merged.stimuli.select("about", "item").iter_rows()),
        distance=wanted.distance,
        repeat_distance=wanted.repeat_distance,
        seed=wanted.seed,
    )
    source = items.experiment
    experiment = Experiment(
        name,
        title or (source.title if source else TITLE),
        task.scales(),
        merged.stimuli,
        _plan(plan or (source.plan if source else Plan()), task.scales()),
        versions=versions,
        compared=items.compared,
    )
    design = Design(
        lists=lists,
        distance=wanted.distance,
        repeat_distance=wanted.repeat_distance,
        uneven=wanted.uneven,
        order=wanted.order,
        seed=wanted.seed,
    )
    proved = replace(design, proof=proof(experiment, design))
    return DesignedSurvey(experiment, task, proved, settings or Settings(), blocks.names)


def _check_wanted(wanted: Wanted) -> None:
    if wanted.order not in ORDERS:
        raise unknown_name("kind of order", wanted.order, ORDERS)
    for name in ("distance", "repeat_distance"):
        if getattr(wanted, name) < 1:
            raise UserError(f"A {name.replace('_', ' ')} of {getattr(wanted, name)} is none.", valid="From 1.")


def _merged(items: Items, beside: Sequence[Items]) -> Items:
    parts = [items, *beside]
    stimuli = pl.concat([part.stimuli for part in parts])
    twice = stimuli.filter(stimuli["about"].is_duplicated())
    if twice.height:
        raise UserError(f"The text '{twice['text'][0]}' of the item '{twice['item'][0]}' is there twice.")
    roles = {about: role for part in parts for about, role in part.roles.items()}
    if "target" not in roles.values():
        raise UserError("There are no targets.", valid="Rows whose role is empty or 'target'.")
    return replace(items, stimuli=stimuli, roles=roles)


def _with_expected(items: Items, task: Task) -> Items:
    """Say the right answers to catch items for each scale, and refuse those that are on none."""
    scales = {scale.name: scale for scale in task.scales()}
    labels = {column.scale for column in task.columns() if column.kind == "label"}
    found = []
    for about, text, told in items.stimuli.select("about", "text", "details").iter_rows():
        details = json.loads(told or "{}")
        expected = details.get("expected")
        if expected is not None and items.roles[about] == "catch":
            if not isinstance(expected, dict):
                # What is chosen or written is right or wrong, not at which side or how quickly.
                expected = dict.fromkeys(labels or scales, expected)
            unknown = [name for name in expected if name not in scales]
            if unknown:
                raise UserError(
                    f"The right answer to '{text}' is on a scale '{unknown[0]}', which is not asked.",
                    valid=f"Scales: {', '.join(scales)}.",
                )
            details["expected"] = {
                name: _right(text, scales[name], right, name in labels) for name, right in expected.items()
            }
        found.append(json.dumps(details, ensure_ascii=False, sort_keys=True))
    return replace(items, stimuli=items.stimuli.with_columns(details=pl.Series(found, dtype=pl.String)))


def _right(text: str, scale: Scale, right: Any, is_label: bool) -> Any:
    """Return the right answer, or the list of them, as answers on the scale are written."""
    among = right if isinstance(right, list) else [right]
    if is_label:
        # A table's 3 was read as a number; an answer in words has the sign.
        written = [each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in among]
        return written if isinstance(right, list) else written[0]
    numbers = [each for each in among if isinstance(each, int | float) and not isinstance(each, bool)]
    off = [each for each in numbers if scale.points and not 1 <= each <= scale.points]
    if not among or len(numbers) < len(among) or off:
        valid = f"A number from 1 to {scale.points}, or a range such as 1-3." if scale.points else "A number."
        raise UserError(f"The right answer to '{text}' on the scale '{scale.name}' is {right!r}.", valid=valid)
    return right


def _check_task(items: Items, task: Task) -> None:
    for stimulus in stimuli_of(items.stimuli).values():
        fault = task.check(stimulus)
        if fault:
            raise UserError(
                f"The task '{task.name}' cannot show '{stimulus.text}' of the item '{stimulus.item}': {fault}.",
                remedy="Change the items, or choose another --task.",
            )


def _lists(items: Items, merged: Items, blocks: Blocks, wanted: Wanted) -> tuple[dict[str, list[str]], Lists]:
    """Return the targets of each list, and which kind of lists they are."""
    source = items.experiment
    if source is not None and source.versions.height and wanted.versions is None and wanted.lists is None:
        return _kept_lists(source)
    lists = wanted.lists or "clusters"
    targets = merged.stimuli.filter(pl.col("about").is_in(merged.of_role("target")))
    held: dict[str, set[int]] = {}
    for about, item in targets.select("about", "item").iter_rows():
        held.setdefault(item, set()).add(blocks[about])
    strata = {item: repr((merged.strata.get(item, ""), sorted(numbers))) for item, numbers in held.items()}
    groups = wanted.versions or (1 if lists == "clusters" else _turns(targets))
    shown = divide(targets, groups, wanted.seed, lists, strata, uneven=wanted.uneven)
    return {str(number): each for number, each in enumerate(shown, 1)}, lists


def _turns(targets: pl.DataFrame) -> int:
    """Return how many lists a Latin square has at least: one a system."""
    systems = targets["systems"].explode(empty_as_null=True).drop_nulls().n_unique()
    return systems or max(targets.group_by("item").len()["len"].to_list())


def _kept_lists(source: Experiment) -> tuple[dict[str, list[str]], Lists]:
    """Return the lists that the folder has, and find out which kind they are."""
    rows = source.versions.filter(role="target").sort("version", "about")
    shown = {
        version: list(held) for version, held in rows.group_by("version", maintain_order=True).agg("about").iter_rows()
    }
    placed = rows.join(source.stimuli.select("about", "item"), on="about")
    if placed.group_by("item").agg(pl.col("version").n_unique())["version"].max() == 1:
        return shown, "clusters"
    if not placed.select(pl.struct("version", "item").is_duplicated().any()).item():
        return shown, "latin"
    raise UserError(
        "The versions of the experiment are neither whole clusters nor a Latin square.",
        remedy="Divide the items anew: --versions N",
    )


def _plan(plan: Plan, scales: Sequence[Scale]) -> Plan:
    """Return a plan whose primary outcome is one of the scales; of several, only researchers can name one."""
    names = [scale.name for scale in scales]
    if not plan.primary_outcome:
        return replace(plan, primary_outcome=names[0]) if len(names) == 1 else plan
    if plan.primary_outcome not in names:
        raise unknown_name("scale of the task", plan.primary_outcome, names, remedy="Name it with --primary.")
    return plan


def plan_of(source: Experiment | None, scales: Sequence[Scale], told: Mapping[str, Any]) -> Plan:
    """Return the plan of the source with what is told now; a plan about scales that are not asked is left behind."""
    base = source.plan if source is not None else Plan()
    if base.primary_outcome and base.primary_outcome not in [scale.name for scale in scales]:
        base = replace(base, primary_outcome="", family="")
    return replace(base, **{name: value for name, value in told.items() if value not in (None, "", ())})
