"""How do items become a survey, asked from the command line?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from hengliang.core.commands.options import echo_json, json_option, table_options
from hengliang.core.errors import UserError
from hengliang.core.io.delimited import TableOptions
from hengliang.core.terms import Bilingual
from hengliang.experiments import Experiment
from hengliang.people.design.item_files import Items, read_items
from hengliang.people.design.item_order import REPEAT_DISTANCE
from hengliang.people.design.list_division import LISTS
from hengliang.people.design.power_results import raters_from_power
from hengliang.people.design.survey_design import ORDERS, DesignedSurvey, Wanted, check_new, design_survey, plan_of
from hengliang.people.sessions.settings import HIGHLIGHTS, Settings
from hengliang.people.tasks.base import Task
from hengliang.people.tasks.library import TASKS, task_of
from hengliang.people.tasks.statement_sets import SETS, statement_set

PAGES = ("together", "separate", "counterbalanced", "separate counterbalanced")
_FILE = click.Path(path_type=Path)


@click.command()
@click.argument("source", type=_FILE)
@click.option("--out", type=_FILE, metavar="DIR", required=True, help="Write the survey into this new folder.")
@click.option(
    "--task", "task_name", type=click.Choice(list(TASKS)), default="likert", show_default=True, help="What is asked."
)
@click.option(
    "--statements", metavar="SET", help=f"likert: {', '.join(SETS)} or a TOML file [default: the source's own]."
)
@click.option("--pages", type=click.Choice(PAGES), help="likert: how statements are shown [default: together].")
@click.option(
    "--parameter",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    help="A parameter of the task; the value may be JSON.",
)
@click.option("--title", nargs=2, metavar="ENGLISH CHINESE", help="What participants read at the top.")
@click.option("--versions", type=click.IntRange(1), help="Number of lists [default: those of the folder, or 1].")
@click.option(
    "--lists", type=click.Choice(LISTS), help="clusters: all variants of an item in one list; latin: one of them."
)
@click.option("--uneven", is_flag=True, help="Lists may differ in size by more than one, if they must.")
@click.option(
    "--distance", type=click.IntRange(1), default=2, show_default=True, help="Places between variants; 2: not adjacent."
)
@click.option(
    "--order", type=click.Choice(ORDERS), default=ORDERS[0], show_default=True, help="Whose own the random order is."
)
@click.option("--practice", type=_FILE, metavar="FILE", help="Items that come first, in the order of the file.")
@click.option("--fillers", type=_FILE, metavar="FILE", help="Items that stand between the others on every list.")
@click.option("--catch", type=_FILE, metavar="FILE", help="Items with a right answer in the column expected.")
@click.option(
    "--repeats", type=click.FloatRange(0, 0.2), default=0.0, show_default=True, help="Share of targets shown again."
)
@click.option(
    "--repeat-distance",
    type=click.IntRange(1),
    default=REPEAT_DISTANCE,
    show_default=True,
    help="Places before a repeat.",
)
@click.option(
    "--blocks", metavar="COLUMN", help="Blocks by this column, in ascending order [default: block, if there]."
)
@click.option(
    "--pause-every", type=click.IntRange(0), default=40, show_default=True, help="A pause after so many items; 0: none."
)
@click.option(
    "--highlight",
    type=click.Choice(HIGHLIGHTS),
    default="on",
    show_default=True,
    help="Who sees target words stand out.",
)
@click.option(
    "--raters", type=click.IntRange(1), help="Planned raters of each item; a list takes so many participants."
)
@click.option("--power", type=_FILE, metavar="JSON", help="Take the raters from `hengliang power PLAN --json`.")
@click.option("--primary", metavar="SCALE", help="Plan: the primary outcome.")
@click.option("--margin", type=click.FloatRange(0, min_open=True), help="Plan: a difference within it counts as none.")
@click.option("--family", metavar="TEXT", help="Plan: the family of tests and its correction.")
@click.option("--stopping", metavar="TEXT", help="Plan: when no more participants are asked.")
@click.option("--exclusion", multiple=True, metavar="TEXT", help="Plan: who is left out; may be repeated.")
@click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, help="The same seed, the same lists and orders."
)
@table_options("header")
@json_option
def design(source: Path, out: Path, table: TableOptions, as_json: bool, **given: Any) -> None:
    """Make a survey of SOURCE: divide its items into lists, order them, and write a folder that can be served.

    SOURCE is an experiment folder, as `hengliang classifiers experiment` writes it, or a table (.csv, .tsv, .parquet)
    with the columns item and text, and perhaps system, target, block, role and others. Lists and orders are checked
    after they are made; the proof is kept in the folder. A design that is impossible is refused with the reason.

    \b
    Example:
      hengliang survey design fluency --out fluency-survey --raters 8
      hengliang survey design mine.csv --versions 4 --catch catch.csv --repeats 0.05 --out mine-survey
      hengliang survey design scenes.csv --task reconstruction --blocks scene_size --out scenes-survey
    """
    check_new(out)
    items = read_items(source, table=table)
    task = _task(items.experiment, given)
    beside = [
        read_items(given[option], role, table)
        for option, role in (("practice", "practice"), ("fillers", "filler"), ("catch", "catch"))
        if given[option] is not None
    ]
    raters, reason = _raters(items, given)
    told = {
        "primary_outcome": given["primary"],
        "margin": given["margin"],
        "family": given["family"],
        "stopping_rule": given["stopping"],
        "exclusion_rules": given["exclusion"],
        "raters_per_item": raters,
    }
    plan = plan_of(items.experiment, task.scales(), told)
    names = ("versions", "lists", "distance", "repeat_distance", "repeats", "blocks", "order", "uneven", "seed")
    made = design_survey(
        items,
        task,
        Wanted(**{name: given[name] for name in names}),
        beside=beside,
        name=out.name,
        title=Bilingual(*given["title"]) if given["title"] else None,
        plan=plan,
        settings=Settings(highlight=given["highlight"], pause_every=given["pause_every"], places=plan.raters_per_item),
    )
    made.write(out)
    if as_json:
        echo_json(survey=str(out), lists=made.sizes(), proof=made.design.proof, raters=plan.raters_per_item)
    else:
        click.echo("\n".join([*_described(made), *([reason] if reason else []), "", f"hengliang survey serve {out}"]))


def _task(source: Experiment | None, given: dict[str, Any]) -> Task:
    name = given["task_name"]
    parameters = dict(_parameter(text) for text in given["parameters"])
    if name != "likert":
        for option in ("statements", "pages"):
            if given[option] is not None:
                raise UserError(f"--{option} is for the task 'likert', not for '{name}'.")
        return task_of(name, parameters)
    if given["statements"] is not None:
        parameters["statements"] = statement_set(given["statements"])
    elif source is not None and source.scales and all(scale.points for scale in source.scales):
        # An experiment folder says itself what is judged; its scales are those of its plan and of its analysis.
        parameters.setdefault("statements", source.scales)
    if given["pages"] is not None:
        parameters["pages"] = given["pages"]
    return task_of(name, parameters)


def _parameter(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise UserError(f"--parameter {text}: there is no value.", valid="NAME=VALUE, as high=10.")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _raters(items: Items, given: dict[str, Any]) -> tuple[int | None, str]:
    if given["power"] is None:
        return given["raters"], ""
    if given["raters"] is not None:
        raise UserError("--raters and --power both say how many raters there are.", remedy="Leave one of them out.")
    targets = items.of_role("target")
    found = raters_from_power(
        given["power"], items.stimuli.filter(items.stimuli["about"].is_in(targets))["item"].n_unique()
    )
    return found.each, f"By {given['power']}, {found}: {found.each} raters an item."


def _described(made: DesignedSurvey) -> Sequence[str]:
    experiment = made.experiment
    sizes = made.sizes()
    named = next(iter(sizes))
    roles = experiment.versions.filter(version=named)["role"].value_counts(sort=True).iter_rows()
    first = ", ".join(f"{count} {role}" for role, count in roles)
    items = experiment.stimuli["item"].n_unique()
    rows = "row" if set(sizes.values()) == {1} else "rows"
    stimuli = "stimulus" if experiment.stimuli.height == 1 else "stimuli"
    lines = [
        f"{experiment.stimuli.height} {stimuli} of {items} item{'s' * (items != 1)}; task {made.task.name}: "
        f"{', '.join(scale.name for scale in experiment.scales)}.",
        f"{len(sizes)} list{'s' * (len(sizes) > 1)} of {', '.join(map(str, sizes.values()))} {rows} "
        f"(list {named}: {first}).",
    ]
    if len(made.blocks) > 1:
        lines.append(f"Blocks in this order: {', '.join(map(str, made.blocks))}.")
    if experiment.plan.raters_per_item:
        people = experiment.plan.raters_per_item * len(sizes)
        lines.append(f"{experiment.plan.raters_per_item} raters an item: {people} participants.")
    if not experiment.plan.primary_outcome:
        names = ", ".join(scale.name for scale in experiment.scales)
        lines.append(f"The plan names no primary outcome: --primary SCALE, of {names}.")
    return [*lines, f"Proved: {made.design.proof}."]
