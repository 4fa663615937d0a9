"""Who takes part in a survey before people do?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hengliang.cli.survey_database import database_option, folder_argument
from hengliang.core.commands.options import echo_json, json_option, quiet_option, watcher
from hengliang.core.errors import Failure, UserError
from hengliang.experiments import read_experiment
from hengliang.people.storage.requirements import need_survey_extra
from hengliang.people.tasks.scene_details import asks_for_scenes, tells_scenes

if TYPE_CHECKING:
    from hengliang.people.bots.simulating import Simulation, Target


def _show_template(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        from hengliang.people.bots.response_model import TEMPLATE

        click.echo(TEMPLATE, nl=False)
        context.exit()


@click.command()
@folder_argument
@click.option("--participants", type=click.IntRange(1), default=8, show_default=True, help="How many take part.")
@click.option(
    "--model",
    "model_file",
    type=click.Path(path_type=Path),
    metavar="TOML",
    help="How they answer, or a plan for hengliang power; --template prints an example.",
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="The same seed, the same answers.")
@click.option(
    "--think",
    type=click.FloatRange(0),
    default=0.0,
    show_default=True,
    metavar="SECONDS",
    help="Mean time before each submit, exponentially distributed.",
)
@click.option(
    "--concurrency", type=click.IntRange(1), default=50, show_default=True, help="How many take part at a time."
)
@click.option("--browser", is_flag=True, help="In a real Chromium, one after the other, instead of over HTTP.")
@click.option("--url", metavar="URL", help="Go to this server instead of one that this command starts.")
@click.option("--invitation", metavar="TOKEN", help="With --url: the token of an invitation, the end of its link.")
@database_option
@click.option(
    "--template", is_flag=True, is_eager=True, expose_value=False, callback=_show_template, help="Print a model file."
)
@quiet_option
@json_option
def simulate(
    folder: Path,
    participants: int,
    model_file: Path | None,
    seed: int,
    think: float,
    concurrency: int,
    browser: bool,
    url: str | None,
    invitation: str | None,
    database_url: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Let simulated participants take part in the survey in DIR: the real pages, over HTTP or in a browser.

    The survey is served on this machine while they answer, unless --url names a server that runs. They are kept apart
    from people by their kind. Afterwards what the server acknowledged is compared with what the database holds.

    \b
    Example:
      hengliang survey simulate fluency-survey --participants 8
      hengliang survey simulate fluency-survey --participants 200 --think 5 --concurrency 200 --model model.toml
      hengliang survey simulate --template
    """
    need_survey_extra()
    from hengliang.people.bots.http_bot import Patience
    from hengliang.people.bots.response_model import ResponseModel, read_model
    from hengliang.people.bots.simulating import simulate as play
    from hengliang.people.pages.starting import checked_survey

    target = _target(url, invitation)
    played = play(
        checked_survey(folder),
        participants=participants,
        model=ResponseModel() if model_file is None else read_model(model_file),
        seed=seed,
        concurrency=concurrency,
        patience=Patience(think),
        database=database_url,
        target=target,
        browser=browser,
        watcher=watcher(quiet or as_json),
    )
    if as_json:
        echo_json(simulation=_figures(played))
    else:
        _print(played, folder)
    comparison = played.comparison
    if comparison is not None and not comparison.equal:
        wrong = [*comparison.lost, *comparison.invented, *comparison.doubled]
        raise Failure(f"What is stored is not what was acknowledged: {len(wrong)} differences, as {wrong[0]}.")


def _target(url: str | None, invitation: str | None) -> Target | None:
    from hengliang.people.bots.simulating import Target

    if url is None and invitation is None:
        return None
    if url is None or invitation is None:
        given, missing = ("--url", "--invitation") if url else ("--invitation", "--url")
        raise UserError(
            f"{given} needs {missing}.",
            remedy="hengliang survey invite DIR --kind simulated makes an invitation; its token ends the link.",
        )
    return Target(url.rstrip("/"), invitation.rpartition("/")[2])


def _figures(played: Simulation) -> dict[str, object]:
    from hengliang.people.bots.simulating import quantile

    comparison = played.comparison
    return {
        "endings": dict(played.counts),
        "answers": len(played.ledger.entries),
        "submits": len(played.times.submits),
        "retries": played.times.retries,
        "seconds": played.seconds,
        "submit_p50_ms": 1000 * quantile(played.times.submits, 0.5),
        "submit_p95_ms": 1000 * quantile(played.times.submits, 0.95),
        "stored": comparison.stored if comparison else None,
        "equal": comparison.equal if comparison else None,
    }


def _next(folder: Path) -> str:
    """Return the command that fits: ratings of several systems and scenes are analysed, all else is taken out."""
    held = read_experiment(folder)
    if asks_for_scenes(held):
        return f"hengliang scenes analyse {folder} --kind simulated"
    if tells_scenes(held):
        # Experts judged descriptions; their scores are set beside what readers made of the same ones.
        return f"hengliang scenes analyse READERS-FOLDER --experts {folder} --kind simulated"
    systems = held.stimuli["systems"].explode().drop_nulls().n_unique()
    if systems > 1 and any(scale.points for scale in held.scales):
        return f"hengliang analyse {folder} --kind simulated"
    return f"hengliang survey export {folder} --kind simulated --out {folder}-simulated"


def _print(played: Simulation, folder: Path) -> None:
    from hengliang.people.bots.simulating import quantile

    counts, times = played.counts, played.times.submits
    click.echo(
        f"{counts['finished']} of {len(played.endings)} simulated participants finished, {counts['left']} left early, "
        f"{counts['refused']} were refused; {len(played.ledger.entries):,} answers in {played.seconds:.1f} s."
    )
    if times:
        click.echo(
            f"Submits: {len(times):,}, p50 {1000 * quantile(times, 0.5):.0f} ms, "
            f"p95 {1000 * quantile(times, 0.95):.0f} ms, {played.times.retries} sent again."
        )
    comparison = played.comparison
    if comparison is None:
        click.echo("Not compared with what is stored: the database is the server's own (--database URL).")
    elif comparison.equal:
        click.echo(f"Acknowledged = stored: {comparison.stored:,} answers, none lost, none twice.")
    click.echo(f"\n{_next(folder)}")
