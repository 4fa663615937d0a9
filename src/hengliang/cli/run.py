"""Which study is to be run, how, and into which folder?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import click

from hengliang.cli.overview import write_overview
from hengliang.core.commands.groups import explained
from hengliang.core.commands.options import (
    echo_json,
    engine_of,
    engine_option,
    json_option,
    quiet_option,
    scheduler_option,
    watcher,
)
from hengliang.core.errors import UserError
from hengliang.core.io.estimate_rows import estimate_rows
from hengliang.core.progress import Watcher
from hengliang.core.runs import STAGES, Stage, stage_named
from hengliang.report import words
from hengliang.study.study import Run, load_study, missing_for, study_names


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
) -> int:
    """Run a study, by its name or the path of its file, to a report.

    The same command goes on after a crash or Ctrl-C and does not redo what is finished. With --all, a study that fails
    does not stop the others; which failed and why is told at the end, and by the exit code.

    \b
    Example:
      hengliang run classifier_baselines --quick --out runs/baselines
      hengliang run ./my_study.py --only judgements --out runs/mine
      hengliang run --all --quick --out runs
    """
    if listed:
        click.echo("\n".join(study_names()))
        return 0
    names = _chosen(study, everything)
    only_stage, start_stage = _stage(only), _stage(start)
    chosen_engine = engine_of(engine, scheduler)

    def run_one(name: str, watched: Watcher) -> Run:
        loaded = load_study(name, quick=quick)
        if quick and loaded.form == "full":
            click.echo(f"hengliang: {name} has one form only; --quick changes nothing.", err=True)
        return loaded.run(
            _folder(out, loaded.name, everything),
            only=only_stage,
            start=start_stage,
            engine=chosen_engine,
            cache=not no_cache,
            watcher=watched,
        )

    if not everything:
        _tell([run_one(name, watcher(quiet)) for name in names], {}, None, as_json)
        return 0
    runs, failed = _run_all(names, run_one, quiet)
    _tell(runs, failed, out or Path("runs"), as_json)
    return min((error.exit_code for error in failed.values()), default=0)


def _chosen(study: str | None, everything: bool) -> Sequence[str]:
    if everything and study:
        raise UserError(f"--all and the study '{study}' cannot be given together.", valid="Give one of them.")
    if everything:
        return study_names()
    if not study:
        raise UserError(
            "No study is named.", valid=f"Studies: {', '.join(study_names())}.", remedy="See hengliang run --help"
        )
    return [study]


def _run_all(
    names: Sequence[str], run_one: Callable[[str, Watcher], Run], quiet: bool
) -> tuple[list[Run], dict[str, UserError]]:
    """Run one study after the other, whatever becomes of those before it; return the runs and what failed."""
    runs: list[Run] = []
    failed: dict[str, UserError] = {}
    for number, name in enumerate(names, start=1):
        watched = watcher(quiet, about=name)
        try:
            needed = missing_for(name)
            if needed:
                click.echo(f"hengliang: {name} is left out: it needs {needed}", err=True)
                continue
            watched.say(f"study {number} of {len(names)}")
            runs.append(run_one(name, watched))
        except Exception as error:
            failed[name] = explained(error)
            watched.say("failed; the reason is told at the end")
    return runs, failed


def _stage(name: str | None) -> Stage | None:
    return stage_named(name) if name else None


def _folder(out: Path | None, name: str, everything: bool) -> Path:
    if everything:
        return (out or Path("runs")) / name
    return out or Path("runs") / name


def _tell(runs: Sequence[Run], failed: Mapping[str, UserError], index: Path | None, as_json: bool) -> None:
    """Print what was found and where it is, with an index page over several runs, and what failed and why."""
    reasons = {name: str(error) for name, error in failed.items()}
    if index is not None:
        page = write_overview(index, [run for run in runs if run.folder.has("report")], reasons)
    if as_json:
        held = [row for run in runs if run.folder.has("estimates") for row in estimate_rows(run.estimates)]
        echo_json(runs=[_named(run) for run in runs], failed=reasons, estimates=held)
    else:
        _tell_runs(runs)
        if index is not None:
            click.echo(page)
    for name, reason in reasons.items():
        click.echo(f"hengliang: {name} failed: {reason}", err=True)


def _tell_runs(runs: Sequence[Run]) -> None:
    if any(run.form == "quick" for run in runs):
        click.echo(f"{words.QUICK.en}\n{words.QUICK.zh}")
    for run in runs:
        if run.folder.has("report"):
            click.echo(run.headline().en)
        click.echo(run.folder.path / "report.html" if run.folder.has("report") else run.folder.path)


def _named(run: Run) -> dict[str, str]:
    return {"study": run.study, "folder": str(run.folder.path), "form": run.form}
