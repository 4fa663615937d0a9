"""What can be asked about surveys from the command line?"""

from __future__ import annotations

import click

from hengliang.core.commands.groups import LazyGroup

COMMANDS = {
    "backup": "hengliang.cli.survey_backup:backup",
    "close": "hengliang.cli.survey_close:close",
    "design": "hengliang.cli.survey_design:design",
    "exclude": "hengliang.cli.survey_exclude:exclude",
    "export": "hengliang.cli.survey_export:export",
    "invite": "hengliang.cli.survey_invite:invite",
    "methods": "hengliang.cli.survey_methods:methods",
    "progress": "hengliang.cli.survey_progress:progress",
    "rehearse": "hengliang.cli.survey_rehearse:rehearse",
    "restore": "hengliang.cli.survey_restore:restore",
    "serve": "hengliang.cli.survey_serve:serve",
    "simulate": "hengliang.cli.survey_simulate:simulate",
}


@click.group(cls=LazyGroup, homes=COMMANDS, what="command about surveys")
def survey() -> None:
    """Put items to people in the browser: design lists, serve the pages, keep every answer, take the data out.

    \b
    Example:
      hengliang survey design fluency --versions 4 --out fluency-survey
      hengliang survey serve fluency-survey
      hengliang survey export fluency-survey --out data
      hengliang analyse fluency-survey
    """
