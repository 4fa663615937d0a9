"""How is a survey described in a paper?"""

from __future__ import annotations

from pathlib import Path

import click

from hengliang.cli.survey_database import database_option, folder_argument
from hengliang.core.io.files import write_json, write_text
from hengliang.core.terms import LANGUAGES, Language
from hengliang.people.collected.reading import KINDS, collected, has_database
from hengliang.people.storage.requirements import need_survey_extra


@click.command()
@folder_argument
@click.option("--language", type=click.Choice(LANGUAGES), help="Language of the paragraph [default: both].")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Write the paragraph into this file.")
@click.option(
    "--heds", type=click.Path(path_type=Path), metavar="FILE.json", help="Write a Human Evaluation Datasheet as JSON."
)
@click.option("--kind", type=click.Choice(KINDS), default="real", show_default=True, help="Which participants.")
@click.option("--finished-only", is_flag=True, help="As for the data that are reported: only who reached the end.")
@database_option
def methods(
    folder: Path,
    language: Language | None,
    out: Path | None,
    heds: Path | None,
    kind: str,
    finished_only: bool,
    database_url: str | None,
) -> None:
    """Describe the survey in DIR as a methods section would, from what is known; what is not is said to be not stated.

    \b
    Example:
      hengliang survey methods fluency-survey
      hengliang survey methods fluency-survey --language zh --out methods.txt --heds heds.json
    """
    need_survey_extra()
    from hengliang.people.collected.datasheet import datasheet
    from hengliang.people.collected.methods import methods_paragraph
    from hengliang.people.collected.study_facts import StudyFacts
    from hengliang.people.sessions.survey import read_survey

    survey = read_survey(folder)
    there = has_database(folder, database_url)
    held = collected(folder, database_url, kind, finished_only=finished_only) if there else None
    facts = StudyFacts(survey, held)
    paragraph = methods_paragraph(facts)
    text = "\n\n".join(paragraph[each] for each in ([language] if language else LANGUAGES)) + "\n"
    if heds is not None:
        write_json(heds, datasheet(facts))
        click.echo(heds, err=True)
    if out is not None:
        write_text(out, text)
        click.echo(out)
        return
    click.echo(text, nl=False)
