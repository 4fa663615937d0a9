"""Which study is to be run, how, and into which folder?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from hengliang.cli.options import (
    echo_json,
    engine_of,
    engine_option,
    json_option,
    quiet_option,
    scheduler_option,
    watcher,
)
from hengliang.errors import UserError
from hengliang.overview import write_overview
from hengliang.report.rows import estimate_rows
from hengliang.runs import STAGES, Stage, stage_named
from hengliang.study import Run
from hengliang.study_files import load_study, missing_for, study_names


@click.command()
@click.argument("study", required=False)
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the run [default: runs/STUDY].")
@click.option("--quick", is_flag=True, help="The quick form of the study: minutes instead of hours.")
@click.option(
    "--all", "everything", is_flag=True, help="Run all studies that come with hengliang, with one index page."
)
@click.option("--only", metavar="STAGE", help=f"Run this stage only, from what the folder holds: {', '.join(STAGES)}.")
@click.option("--from", "start", metavar="STAGE", help="Run this stage and all after it, from what the folder holds.")
@click.option("--no-cache", is_flag=True, help="Do not share finished batches with other runs.")
@click.option("--list", "listed", is_flag=True, help="List the studies.")
@engine_option
@scheduler_option
@quiet_option
@json_option
def run(
    study: str | None,
    out: Path | None,
    quick: bool,
    everything: bool,
    only: str | None,
    start: str | None,
    no_cache: bool,
    listed: bool,
    engine: str,
    scheduler: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Run a study, by its name or the path of its file, to a report.

    The same command goes on after a crash or Ctrl-C and does not redo what is finished.

    \b
    Example:
      hengliang run classifier_baselines --quick --out runs/baselines
      hengliang run ./my_study.py --only judgements --out runs/mine
      hengliang run --all --quick --out runs
    """
    if listed:
        click.echo("\n".join(study_names()))
        return
    names = _chosen(study, everything)
    only_stage, start_stage = _stage(only), _stage(start)
    chosen_engine = engine_of(engine, scheduler)
    runs: list[Run] = []
    for name in names:
        loaded = load_study(name, quick=quick)
        runs.append(
            loaded.run(
                _folder(out, loaded.name, everything),
                only=only_stage,
                start=start_stage,
                engine=chosen_engine,
                cache=not no_cache,
                watcher=watcher(quiet),
            )
        )
    _conclude(runs, (out or Path("runs")) if everything else None, as_json)


def _chosen(study: str | None, everything: bool) -> Sequence[str]:
    if everything and study:
        raise UserError(f"--all and the study '{study}' cannot be given together.", valid="Give one of them.")
    if everything:
        return [name for name in study_names() if _can_run(name)]
    if not study:
        raise UserError(
            "No study is named.", valid=f"Studies: {', '.join(study_names())}.", remedy="See hengliang run --help"
        )
    return [study]


def _can_run(name: str) -> bool:
    reason = missing_for(name)
    if reason:
        click.echo(f"hengliang: {name} is left out: it {reason}", err=True)
    return not reason


def _stage(name: str | None) -> Stage | None:
    return stage_named(name) if name else None


def _folder(out: Path | None, name: str, everything: bool) -> Path:
    if everything:
        return (out or Path("runs")) / name
    return out or Path("runs") / name


def _conclude(runs: Sequence[Run], index: Path | None, as_json: bool) -> None:
    if as_json:
        held = [row for run in runs if run.folder.has("estimates") for row in estimate_rows(run.estimates)]
        echo_json(estimates=held)
        return
    for run in runs:
        if run.folder.has("report"):
            click.echo(run.headline().en)
        click.echo(run.folder.path / "report.html" if run.folder.has("report") else run.folder.path)
    if index is not None:
        click.echo(write_overview(index, runs))
