"""Which command was asked for, and how does it end?"""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

import click

from hengliang.core.commands.groups import LazyGroup

COMMANDS = {
    "agree": "hengliang.cli.agree:agree",
    "analyse": "hengliang.cli.analyse:analyse",
    "check": "hengliang.cli.check:check",
    "classifiers": "hengliang.cli.classifiers:classifiers",
    "compare": "hengliang.cli.compare:compare",
    "data": "hengliang.cli.data:data",
    "doctor": "hengliang.cli.doctor:doctor",
    "filter": "hengliang.cli.filter:filter_command",
    "fit": "hengliang.cli.fit:fit",
    "lm": "hengliang.language_models.cli:lm",
    "models": "hengliang.language_models.cli_models:models",
    "new": "hengliang.cli.new:new",
    "power": "hengliang.cli.power:power",
    "replicate": "hengliang.cli.replicate:replicate",
    "report": "hengliang.cli.report:report",
    "run": "hengliang.cli.run:run",
    "scenes": "hengliang.cli.scenes:scenes",
    "score": "hengliang.cli.score:score",
    "suites": "hengliang.grammar.cli:suites",
    "survey": "hengliang.cli.survey:survey",
    "taggers": "hengliang.tagging.cli.group:taggers",
    "version": "hengliang.cli.version:version",
}


@click.group(cls=LazyGroup, homes=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="hengliang", prog_name="hengliang")
def cli() -> None:
    """衡量: evaluate language technology the way linguists and readers do.

    \b
    Example:
      hengliang run classifier_baselines --quick
      hengliang doctor
    """


INTERRUPTED = 130
RESUMING = ("classifiers", "data", "filter", "lm", "models", "run", "score", "suites", "taggers")
"""The commands that keep what is finished; the others are quick and begin again."""
KEPT = {"survey": "What was written and answered so far is kept."}
"""What is said of commands that keep something, but do not go on by themselves."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and end with its exit code: 2 the input is wrong, 1 it failed, 130 interrupted."""
    _write_chinese()
    try:
        code = outcome(arguments)
    except KeyboardInterrupt:
        # One Ctrl-C may be told twice, by polars and by Python; the second is raised while the first is handled.
        code = INTERRUPTED
    if code == INTERRUPTED:
        given = sys.argv[1:] if arguments is None else arguments
        command = next((word for word in given if not word.startswith("-")), "")
        kept = (
            "What was finished is kept; the same command goes on from there."
            if command in RESUMING
            else KEPT.get(command, "Nothing was kept.")
        )
        click.echo(f"hengliang: interrupted. {kept}", err=True)
    sys.exit(code)


def _write_chinese() -> None:
    """Let both outputs take Chinese: what Windows pipes into a file, or a service's log, may have an older encoding."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            try:
                "衡量 −".encode(stream.encoding)
            except UnicodeEncodeError:
                stream.reconfigure(encoding="utf-8")


def outcome(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; a user's mistake is one message, never a traceback."""
    try:
        result = cli.main(args=list(arguments) if arguments is not None else None, standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except Exception as error:
        from hengliang.core.commands.groups import explained

        told = explained(error)
        click.echo(f"hengliang: {told}", err=True)
        return told.exit_code
