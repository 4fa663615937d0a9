"""In which form, and of whom, does a survey's data come out?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hengliang.cli.survey_database import database_option, folder_argument
from hengliang.core.base_classes import Layout, StatisticLabel
from hengliang.core.commands.options import quiet_option
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.runs import RunFolder, StageRecord, now
from hengliang.core.signature import Signature, version
from hengliang.core.terms import Bilingual, both
from hengliang.people.collected.reading import KINDS
from hengliang.people.storage.requirements import need_survey_extra
from hengliang.report.content import AnalysisEntry, MaterialEntry, MeasureEntry, ReportContent, SystemEntry

if TYPE_CHECKING:
    import polars as pl

    from hengliang.people.collected.export import Exported

FORMS = ("long", "wide", "parquet", "excel", "run", "folder")
MEANS = "means"


@click.command()
@folder_argument
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="FOLDER", help="Folder to write into.")
@click.option(
    "--form",
    "forms",
    type=click.Choice(FORMS),
    multiple=True,
    default=("long",),
    show_default=True,
    help="What to write; may be repeated. folder: answers.parquet of DIR itself.",
)
@click.option("--kind", type=click.Choice(KINDS), default="real", show_default=True, help="Whose answers.")
@click.option(
    "--identified", is_flag=True, help="With panel ids, comments, exact ages, regions and times: personal data."
)
@click.option("--finished-only", is_flag=True, help="Only participants who reached the end.")
@database_option
@quiet_option
def export(
    folder: Path,
    out: Path,
    forms: tuple[str, ...],
    kind: str,
    identified: bool,
    finished_only: bool,
    database_url: str | None,
    quiet: bool,
) -> None:
    """Write the answers to the survey in DIR, with participants and a codebook; also while it is being served.

    Anonymous unless --identified: random ids, ages in bands of five years, times from each one's consent, no comments.
    Withdrawn and excluded participants are left out, and counted.

    \b
    Example:
      hengliang survey export fluency-survey --out data
      hengliang survey export fluency-survey --out data --form wide --form excel --finished-only
      hengliang survey export fluency-survey --out trial --kind simulated --form run
    """
    need_survey_extra()
    from hengliang.people.collected.export import export as write
    from hengliang.people.sessions.survey import read_survey

    survey = read_survey(folder)
    made = write(
        survey,
        out,
        forms,
        kind=kind,
        identified=identified,
        finished_only=finished_only,
        database_url=database_url,
    )
    if "run" in forms:
        described_run(RunFolder.open(out / "run"), survey.experiment.title, simulated=kind == "simulated")
    for file in made.files:
        click.echo(file)
    if not quiet:
        _tell(made, identified)


def _tell(made: Exported, identified: bool) -> None:
    from hengliang.people.collected.frames import left_out

    held = made.collected
    people = f"{held.participants.height:,} {held.kind} participant{'s' * (held.participants.height != 1)}"
    click.echo(f"{held.answers.height:,} answer{'s' * (held.answers.height != 1)} of {people}", err=True)
    for why, count in left_out(held).items():
        click.echo(f"left out: {count:,} {why}", err=True)
    if identified:
        click.echo("These files hold personal data. Do not publish them.", err=True)


# --- a run that reports -----------------------------------------------------------------------------------------------


def described_run(folder: RunFolder, question: Bilingual, *, simulated: bool) -> None:
    """Add to an exported run its description and the means of its ratings, so that `hengliang report` shows it."""
    manifest = folder.manifest()
    if manifest is None:
        return
    tables = folder.tables()
    means = _means(tables.judgements, next(iter(tables.responses.values())))
    with folder.lock():
        files = folder.write_tables({folder.table_file("estimates"): means})
        line = str(Signature.of(hengliang=version(), stage="estimates", survey=files["estimates.parquet"]))
        record = StageRecord(line, {"survey": line}, files, means.height, 0.0, now())
        label = StatisticLabel(Bilingual("Mean", "均值"), "number", 2)
        content = ReportContent(
            name=manifest.study,
            question=question,
            created="",
            simulated=simulated,
            materials=(MaterialEntry(manifest.study, both(manifest.study), tables.items.height),),
            systems=tuple(SystemEntry(name, both(name)) for name in tables.systems["name"]),
            measures=tuple(
                MeasureEntry(name, both(name), "person")
                for name in tables.judgements["measure"].unique(maintain_order=True)
            ),
            analyses=(
                AnalysisEntry(
                    MEANS,
                    Bilingual("Means", "均值"),
                    Bilingual(
                        "A rating of a response that several systems share counts for each of them here; for tests: "
                        "hengliang analyse.",
                        "多个系统共有的输出，其评分在此计入每个系统；检验请用 hengliang analyse。",
                    ),
                    Layout(rows=("measure", "system"), statistics={"mean": label}, figure="intervals"),
                ),
            ),
        )
        stages = {**manifest.stages, "estimates": record}
        folder.write_manifest(replace(manifest, description=content.to_json(), stages=stages))


def _means(judgements: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
    given = responses.select("system", about="id").unique(maintain_order=True)
    joined = judgements.join(given, on="about", how="inner", maintain_order="left")
    line = str(Signature.of(hengliang=version(), analysis="means of an exported survey"))
    estimates = []
    for (measure, system), rows in joined.group_by("measure", "system", maintain_order=True):
        value = rows["value"].mean()
        estimates.append(
            Estimate(
                MEANS,
                {"measure": str(measure), "system": str(system)},
                "mean",
                float(value) if isinstance(value, int | float) else None,
                n=rows["value"].count(),
                n_missing=rows["value"].null_count(),
                method="mean of all ratings",
                signature=line,
            )
        )
    return estimates_frame(estimates)
