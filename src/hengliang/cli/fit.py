"""Which model is fitted to which table, and what does it say?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import polars as pl

from hengliang.analyses.ratings.modelling import model_frame
from hengliang.analyses.ratings.reading import ROW, RatingsFile, Scale, parse_scale, read_ratings_file
from hengliang.core.commands.options import echo_json, json_option, language_option, report_option, table_options
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.io.estimate_rows import estimate_rows
from hengliang.core.signature import Signature, version
from hengliang.core.terms import Bilingual, Language
from hengliang.report.content import MaterialEntry, ReportContent
from hengliang.report.statistics import (
    StatisticsSection,
    check_report_file,
    section_of_models,
    section_of_results,
    statistics_content,
    write_report,
)
from hengliang.statistics.models.formula import parse
from hengliang.statistics.models.results import ModelFit
from hengliang.statistics.results import TestResult


@click.command()
@click.argument("formula")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--family",
    type=click.Choice(("gaussian", "binomial", "ordinal")),
    default="gaussian",
    show_default=True,
    help="What the response is: a measurement, one of two outcomes, a rating.",
)
@click.option("--link", type=click.Choice(("logit", "probit")), help="Link of an ordinal model [default: logit].")
@click.option(
    "--threshold",
    type=click.Choice(("flexible", "symmetric", "equidistant")),
    help="Thresholds of an ordinal model [default: flexible].",
)
@click.option("--scale", metavar="LOW-HIGH", help="Scale of an ordinal response: 1-7, or all answers: poor,fair,good.")
@click.option(
    "--reference",
    "references",
    multiple=True,
    metavar="COLUMN=LEVEL",
    help="Level that the others are held against [default: the first in order]; may be repeated.",
)
@click.option("--thresholds-by", metavar="COLUMN", help="Ordinal: each level (rater, say) has its own thresholds.")
@click.option("--profile", is_flag=True, help="Ordinal: profile intervals of the fixed effects instead of Wald.")
@click.option(
    "--tests",
    is_flag=True,
    help="Also test each fixed term by likelihood ratio, and in an ordinal model whether its odds are proportional.",
)
@click.option("--ml", is_flag=True, help="Gaussian: maximum likelihood instead of REML, to compare models.")
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Probability of error of a test.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Level of the intervals.")
@table_options()
@report_option
@language_option
@json_option
def fit(formula: str, file: Path, out: Path | None, language: Language, as_json: bool, **options: Any) -> None:
    """Fit a mixed model to a table: FORMULA as in lme4, FILE as for `hengliang analyse`.

    A group stands to the right of a bar: (1 | rater) lets raters differ in level, (1 + system | rater) also in how they
    rate the systems.

    \b
    Example:
      hengliang fit "fluency ~ system + (1 | rater) + (1 | item)" ratings.csv --family ordinal
      hengliang fit "fluency ~ system + (1 | rater)" ratings.csv --family ordinal --reference system=RULE --tests
      hengliang fit "correct ~ model * modifier + (1 | item)" results.tsv --family binomial --json
    """
    if out is not None:
        check_report_file(out)
    _check_options(options)
    held = read_ratings_file(file, options["table"])
    fitted, tests, notes = _fitted(formula, held, options)
    content = _content(fitted, tests, held, notes)
    if out is not None:
        write_report(content, out, language)
    if as_json:
        told = [fitted.sentence(), *(test.sentence() for test in tests.values())]
        echo_json(
            estimates=estimate_rows(content.estimates),
            sentences=[sentence.to_json() for sentence in told],
            notes=[note.to_json() for note in content.notes],
            report=str(out) if out else None,
        )
        return
    for note in notes:
        click.echo(f"hengliang: note: {note[language]}", err=True)
    click.echo(fitted.summary())
    click.echo(f"\n{fitted.sentence()[language]}")
    for test in tests.values():
        click.echo(test.sentence()[language])
    if out is not None:
        click.echo(f"\n{out}")


_ODDS = ", proportional odds"
_SHOWN = 7
"""Answers that a message lists."""
_ORDINAL = ("link", "threshold", "scale", "thresholds_by", "profile")


def _check_options(options: dict[str, Any]) -> None:
    """Refuse options that the chosen family has no use for."""
    given = [name for name in _ORDINAL if options[name]]
    if given and options["family"] != "ordinal":
        raise UserError(
            f"--{given[0].replace('_', '-')} belongs to ordinal models.",
            remedy="Add --family ordinal, or leave it away.",
        )
    if options["ml"] and options["family"] != "gaussian":
        raise UserError("--ml belongs to gaussian models; others know nothing but maximum likelihood.")


Tests = dict[str, TestResult]


def _fitted(formula: str, file: RatingsFile, options: dict[str, Any]) -> tuple[ModelFit, Tests, tuple[Bilingual, ...]]:
    parsed = parse(formula)
    by = options["thresholds_by"]
    scale, answers = _scale(options["scale"])
    others = [*parsed.columns, *([by] if by else [])]
    frame, notes = model_frame(file, parsed.response.column, others, scale=scale)
    _check_response(frame, file, options)
    frame = _with_references(frame, parsed.response.column, options["references"])
    settings = {"level": options["level"], "alpha": options["alpha"]}
    fit = _ordinal if options["family"] == "ordinal" else _mixed
    fitted, tests = fit(formula, frame, answers, options, settings)
    return fitted, tests, (*notes, *_reference_notes(fitted, frame))


def _check_response(frame: pl.DataFrame, file: RatingsFile, options: dict[str, Any]) -> None:
    """Refuse words where the family needs numbers or an order, in the words of this command."""
    response = frame.to_series(0)
    if response.dtype.is_numeric() or options["family"] == "binomial" or (_is_ordinal(options) and options["scale"]):
        return
    at = int(response.is_not_null().arg_max() or 0)
    answers = response.drop_nulls().unique(maintain_order=True).to_list()
    shown = ",".join(answers[:_SHOWN]) + (",…" if len(answers) > _SHOWN else "")
    raise UserError(
        f"The column '{response.name}' holds '{response[at]}' in row {file.frame[ROW][at]} of {file.path}: words, "
        + ("and nothing says which is higher." if _is_ordinal(options) else "where numbers belong."),
        valid="Numbers, or answers in words with their order.",
        remedy=f"Two outcomes: --family binomial; more, from low to high: --family ordinal --scale {shown}",
    )


def _is_ordinal(options: dict[str, Any]) -> bool:
    return bool(options["family"] == "ordinal")


def _with_references(frame: pl.DataFrame, response: str, references: tuple[str, ...]) -> pl.DataFrame:
    """Put the levels that were named first: a model holds the others against them."""
    for text in references:
        column, equals, level = text.partition("=")
        if not equals:
            raise UserError(f"--reference {text} names no level.", valid="COLUMN=LEVEL, for example system=RULE")
        factors = [name for name in frame.columns if name != response and frame[name].dtype == pl.String]
        if column not in factors:
            raise unknown_name("factor of the formula", column, factors)
        levels = sorted(frame[column].drop_nulls().unique().to_list())
        if level not in levels:
            raise unknown_name(f"level of '{column}'", level, levels)
        order = [level, *(other for other in levels if other != level)]
        frame = frame.with_columns(pl.col(column).cast(pl.Enum(order)))
    return frame


def _reference_notes(fitted: ModelFit, frame: pl.DataFrame) -> list[Bilingual]:
    """Say of each factor among the fixed effects which level the others are held against."""
    names = [coefficient.name for coefficient in fitted.coefficients]
    notes = []
    for column in frame.columns[1:]:
        if frame[column].dtype not in (pl.String, pl.Enum):
            continue
        without = [level for level in frame[column].drop_nulls().unique() if f"{column}[{level}]" not in names]
        if len(without) == 1 and frame[column].n_unique() > 1:
            notes.append(
                Bilingual(
                    f"Coefficients of {column} are differences from {without[0]}.",
                    f"“{column}”的系数是与 {without[0]} 的差异。",
                )
            )
    return notes


def _mixed(
    formula: str, frame: pl.DataFrame, _: Any, options: dict[str, Any], settings: dict[str, float]
) -> tuple[ModelFit, Tests]:
    from hengliang.statistics.models.comparison import drop_terms
    from hengliang.statistics.models.mixed import fit_mixed

    family, reml = options["family"], not options["ml"]
    fitted = fit_mixed(formula, frame, family=family, reml=reml, level=settings["level"], alpha=settings["alpha"])
    return fitted.model, drop_terms(fitted) if options["tests"] else {}


def _ordinal(
    formula: str, frame: pl.DataFrame, answers: Any, options: dict[str, Any], settings: dict[str, float]
) -> tuple[ModelFit, Tests]:
    from hengliang.statistics.models.ordinal import fit_ordinal
    from hengliang.statistics.models.ordinal.profiles import (
        drop_ordinal_terms,
        proportional_odds,
        with_profile_intervals,
    )

    fitted = fit_ordinal(
        formula,
        frame,
        link=options["link"] or "logit",
        threshold=options["threshold"] or "flexible",
        thresholds_by=options["thresholds_by"],
        scale=answers,
        **settings,
    )
    tests: Tests = {}
    if options["tests"]:
        tests |= drop_ordinal_terms(fitted)
        if fitted.settings.threshold == "flexible" and len(fitted.problem.thresholds.categories) > 2:
            tests |= {f"{term}{_ODDS}": test for term, test in proportional_odds(fitted).items()}
    return (with_profile_intervals(fitted) if options["profile"] else fitted).model, tests


def _scale(text: str | None) -> tuple[Scale | None, tuple[int, int] | tuple[str, ...] | None]:
    """Read the bounds of a scale of numbers, or the names of all answers from low to high."""
    if text is None:
        return None, None
    names = tuple(name.strip() for name in text.replace("，", ",").split(",") if name.strip())
    if len(names) > 2 or (len(names) == 2 and not all(name.lstrip("-").isdigit() for name in names)):
        return None, names
    scale = parse_scale(text)
    if scale.low != int(scale.low) or scale.high != int(scale.high):
        raise UserError(
            f"The scale {text} does not go in steps of one from one whole number to another.",
            remedy="Name all answers from low to high: --scale 0.5,1,1.5,2.",
        )
    return scale, (int(scale.low), int(scale.high))


def _content(fitted: ModelFit, tests: Tests, file: RatingsFile, notes: tuple[Bilingual, ...]) -> ReportContent:
    model = section_of_models(
        "model",
        fitted.title,
        Bilingual("Intervals and p-values as the method of each number says.", "区间与 p 值的由来见各数值的方法。"),
        {fitted.formula: fitted},
    )
    facts = ((Bilingual("Read as", "读取方式"), file.form),)
    material = MaterialEntry(
        file.path.name,
        Bilingual("Table", "数据表"),
        file.frame.height,
        signature=str(Signature.of(hengliang=version(), file=file.checksum)),
        facts=facts,
    )
    question = Bilingual(f"What does the model {fitted.formula} say?", f"模型 {fitted.formula} 说明了什么？")
    sections = [model, *_tests_sections(tests)]
    return statistics_content(file.path.name, question, sections, materials=[material], notes=notes)


def _tests_sections(tests: Tests) -> Iterator[StatisticsSection]:
    """Give the tests of the terms, and those of proportional odds, each with a table of its own."""
    dropped = [({"term": term}, test) for term, test in tests.items() if not term.endswith(_ODDS)]
    odds = [({"term": term.removesuffix(_ODDS)}, test) for term, test in tests.items() if term.endswith(_ODDS)]
    if dropped:
        title = Bilingual("Tests of the terms", "各项的检验")
        told = Bilingual("Each model is compared with one that lacks the term.", "将模型与去掉该项的模型比较。")
        yield section_of_results("terms", title, told, dropped)
    if odds:
        title = Bilingual("Are the odds proportional?", "是否满足比例优势？")
        told = Bilingual(
            "The model is compared with one in which the effect of the term differs from threshold to threshold.",
            "将模型与该项效应随阈值变化的模型比较。",
        )
        yield section_of_results("proportional odds", title, told, odds)
