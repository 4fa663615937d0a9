"""How does an experiment go, from its items to its report, before a person has answered?"""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from hengliang.core.commands.options import quiet_option, table_options, table_words
from hengliang.core.errors import UserError
from hengliang.core.io.delimited import TableOptions
from hengliang.core.io.files import write_text
from hengliang.people.storage.requirements import need_survey_extra


@click.command()
@click.argument("source", type=click.Path(path_type=Path))
@click.option(
    "--choices", metavar="NAMES", default="", help="Of a file: what its columns of choices are called: RULE,LSTM,BERT."
)
@click.option("--participants", type=click.IntRange(1), default=8, show_default=True, help="How many take part.")
@click.option("--versions", type=click.IntRange(1), default=4, show_default=True, help="Number of lists.")
@click.option(
    "--model",
    "model_file",
    type=click.Path(path_type=Path),
    metavar="TOML",
    help="How they answer: hengliang survey simulate --template [default: that template].",
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Of the lists and of the answers.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write everything into this new folder [default: NAME-rehearsal].",
)
@table_options("header")
@quiet_option
def rehearse(
    source: Path,
    choices: str,
    participants: int,
    versions: int,
    model_file: Path | None,
    seed: int,
    out: Path | None,
    table: TableOptions,
    quiet: bool,
) -> None:
    """Go the whole way with simulated participants: design, serve, answer the real pages, export, analyse, report.

    SOURCE is a file in the format of the Chinese Classifier Dataset with columns of choices, as `hengliang classifiers
    experiment` takes it, or an experiment folder. Every step is a command that is shown and can be given by itself.
    Nothing in the report is about people, and it says so on every figure.

    \b
    Example:
      hengliang survey rehearse exp1.csv --choices RULE,LSTM,BERT
      hengliang survey rehearse fluency --versions 4 --participants 16 --model model.toml --out rehearsal
    """
    need_survey_extra()
    from hengliang.people.bots.response_model import TEMPLATE, read_model
    from hengliang.people.design.survey_design import check_new

    if choices and source.is_dir():
        raise UserError(f"--choices names the columns of a file, and {source} is a folder.", remedy="Leave it out.")
    name = source.resolve().name if source.is_dir() else source.stem
    place = out or Path(f"{name}-rehearsal")
    check_new(place)
    model = TEMPLATE
    if model_file is not None:
        # Refused before anything is written.
        read_model(model_file)
        model = model_file.read_text(encoding="utf-8")
    silence = ["--quiet"] if quiet else []
    folder, survey, kept = source, place / f"{name}-survey", place / "model.toml"
    if not source.is_dir():
        folder = place / "experiment"
        named = [*(["--choices", choices] if choices else []), *table_words(table)]
        _step("classifiers experiment", source, *named, "--groups", versions, "--seed", seed, "--out", folder, *silence)
    _step("survey design", folder, "--versions", versions, "--seed", seed, "--out", survey)
    write_text(kept, model)
    counted = ["--participants", participants, "--model", kept, "--seed", seed]
    _step("survey simulate", survey, *counted, *silence)
    _step("survey export", survey, "--kind", "simulated", "--out", place / "data")
    _step("analyse", survey, "--kind", "simulated", "--seed", seed, "--out", place / "report.html", *silence)


def _step(command: str, *arguments: object) -> None:
    """Show a command as one would type it, and carry it out."""
    from hengliang.cli.main import cli

    words = [*command.split(), *map(str, arguments)]
    click.echo(click.style(f"\n$ hengliang {shlex.join(words)}", bold=True))
    cli.main(args=words, prog_name="hengliang", standalone_mode=False)
