"""How many raters and items does an experiment need?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import click
from rich.console import Console

from hengliang.core.base_classes import StatisticLabel
from hengliang.core.commands.options import (
    echo_json,
    engine_of,
    engine_option,
    json_option,
    language_option,
    quiet_option,
    report_option,
    scheduler_option,
    watcher,
)
from hengliang.core.errors import UserError
from hengliang.core.io.estimate_rows import estimate_rows
from hengliang.core.records import estimates_frame
from hengliang.core.terms import Bilingual, Language
from hengliang.report.content import MaterialEntry, ReportContent
from hengliang.report.formats import Style
from hengliang.report.statistics import check_report_file, section_of_results, statistics_content, write_report
from hengliang.report.tables import Column, Table
from hengliang.statistics.power import PowerResult, estimate_power, read_plan
from hengliang.statistics.power.plan import TEMPLATE
from hengliang.statistics.results import signed

_SHARE = Style("percent", 0)
_COUNT = Style("integer")


@click.command()
@click.argument("plan", type=click.Path(path_type=Path), required=False)
@click.option("--template", is_flag=True, help="Print an example of a plan and stop.")
@click.option("--simulations", type=click.IntRange(min=1), help="Simulated experiments a size, instead of the plan's.")
@click.option("--seed", type=click.IntRange(0), help="The seed of the simulation, instead of the plan's.")
@report_option
@language_option
@engine_option
@scheduler_option
@json_option
@quiet_option
def power(
    plan: Path | None,
    template: bool,
    simulations: int | None,
    seed: int | None,
    out: Path | None,
    language: Language,
    engine: str,
    scheduler: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Simulate the experiment that PLAN describes, and say how many raters and items find its effects.

    A plan states systems, numbers of raters and items, the expected answers and effects, and the test. Each size is
    simulated with the effects and without any, so that a test that finds too much shows itself. The same command goes
    on after a crash or Ctrl-C; simulations that are done are not done again.

    \b
    Example:
      hengliang power --template > plan.toml
      hengliang power plan.toml --engine processes:2 --out power.html
    """
    if template:
        click.echo(TEMPLATE, nl=False)
        return
    if plan is None:
        raise UserError(
            "No plan is named.",
            valid="A plan is a TOML file.",
            remedy="hengliang power --template > plan.toml writes an example; then: hengliang power plan.toml",
        )
    if out:
        check_report_file(out)
    changes = {name: value for name, value in (("simulations", simulations), ("seed", seed)) if value is not None}
    chosen = engine_of(engine, scheduler)
    result = estimate_power(read_plan(plan).with_(**changes), engine=chosen, watcher=watcher(quiet))
    if out:
        write_report(_report(plan, result), out, language)
    if as_json:
        echo_json(
            estimates=estimate_rows(estimates_frame(list(result.estimates("power")))),
            sentences=[result.sentence().to_json()],
            report=str(out) if out else None,
        )
        return
    console = Console()
    console.print(_table(result).in_language(language))
    console.print(result.sentence()[language], markup=False, highlight=False)
    if out:
        click.echo(f"\n{out}")


def _table(result: PowerResult) -> Table:
    frame = result.table()
    interval = {"low": "low", "high": "high"}
    false_interval = {"low": "false low", "high": "false high"}
    columns = (
        Column("raters", Bilingual("Raters", "评分者"), _COUNT, header=True),
        Column("items", Bilingual("Items", "条目"), _COUNT, header=True),
        Column("ratings", Bilingual("Ratings", "评分数"), _COUNT),
        Column("system", Bilingual("System", "系统"), header=True),
        Column("power", Bilingual("Power, %", "检验力（%）"), _SHARE, beside=interval),
        Column("false positives", Bilingual("False positives, %", "假阳性（%）"), _SHARE, beside=false_interval),
        Column("unfit", Bilingual("No result", "无结果"), _COUNT),
    )
    return Table(frame, columns)


def _report(plan: Path, result: PowerResult) -> ReportContent:
    explanation = Bilingual(
        "Power is the share of simulated experiments that find the stated effect; false positives are found when there "
        "is no effect, and should be as frequent as α says.",
        "检验力是模拟实验中发现所述效应的比例；假阳性是在没有效应时的发现，其频率应等于 α。",
    )
    section = section_of_results(
        "power",
        Bilingual("Power by size of the experiment", "不同实验规模的检验力"),
        explanation,
        [({}, result)],
        statistics={
            "power": StatisticLabel(Bilingual("Power", "检验力"), "percent", 1),
            "false positives": StatisticLabel(Bilingual("False positives", "假阳性"), "percent", 1),
        },
        factors={
            "raters": Bilingual("Raters", "评分者"),
            "items": Bilingual("Items", "条目"),
            "system": Bilingual("System", "系统"),
        },
        figure="intervals",
    )
    layout = replace(section.layout, rows=("raters", "items", "system"))
    question = Bilingual("How many raters and items are needed?", "需要多少评分者和条目？")
    # No ratings are made up for a result here: what is simulated is said of every number, and may be cited.
    return statistics_content(
        plan.name, question, [replace(section, layout=layout)], materials=[_planned(plan, result)]
    )


def _planned(plan: Path, result: PowerResult) -> MaterialEntry:
    """Return what was planned, as the report shows it."""
    held = result.plan
    facts = (
        (Bilingual("Systems", "系统"), ", ".join(held.systems)),
        (Bilingual("Effects, log-odds", "效应（对数优势）"), _listed(held.effects)),
        (Bilingual("Shares of the answers", "各回答的比例"), ", ".join(f"{share:g}" for share in held.shares)),
        (
            Bilingual("Standard deviations", "标准差"),
            _listed({name: getattr(held, name) for name in ("rater", "item", "rater_by_system", "item_by_system")}),
        ),
        (Bilingual("Assignment", "分配方式"), held.assignment),
        (Bilingual("Identical answers", "相同回答的比例"), f"{held.identical:g}"),
        (Bilingual("Test", "检验"), f"{held.test}, α = {held.alpha:g}"),
        (Bilingual("Simulations a size", "每种规模的模拟次数"), f"{held.simulations:,}"),
    )
    return MaterialEntry(plan.name, Bilingual("Plan", "实验计划"), max(held.items), facts=facts)


def _listed(numbers: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {signed(f'{number:g}')}" for name, number in numbers.items())
