"""Ordinal mixed models of ratings: a cumulative-link model with raters and items as random effects.

First the columns that the model uses, then the model. A column in which every cell is a number (or missing) is numeric,
every other is a factor. A response that is numeric but for a few cells is a mistake in those cells, and is named with
its row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import polars as pl

from hengliang.analyses.ratings.comparisons import COPIED, SHARE, TITLES, UNIQUE, Unique
from hengliang.analyses.ratings.parts import Part, Questions
from hengliang.analyses.ratings.reading import ROW, RatingsFile, Scale, as_numbers, write_rating
from hengliang.analyses.ratings.table import Ratings
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.terms import Bilingual
from hengliang.statistics.models.results import ModelFit

# --- model frame: numeric columns and factors -------------------------------------------------------------------------


_MOSTLY = 0.5


def model_frame(
    file: RatingsFile, response: str, others: Iterable[str], *, scale: Scale | None = None
) -> tuple[pl.DataFrame, tuple[Bilingual, ...]]:
    """Return the columns that a model uses, and notes on columns that are numbers but for some cells.

    `scale` bounds the response where it is one of numbers.
    """
    names = [response, *(name for name in dict.fromkeys(others) if name != response)]
    notes = []
    columns = []
    for name in names:
        if name not in file.columns:
            remedy = f"Name columns of {file.path}; one with spaces or signs stands in `backticks`."
            raise unknown_name("column", name, file.columns, remedy=remedy)
        column, wrong = _typed(file, name)
        columns.append(column)
        if wrong is not None and name == response:
            cell, row = file.frame[name][wrong], file.frame[ROW][wrong]
            raise UserError(
                f"The column '{name}' holds '{cell}' in row {row} of {file.path}, where a number belongs.",
                valid="Numbers; an empty cell or NA is missing.",
                remedy="Correct the cell, or empty it.",
            )
        if wrong is not None:
            notes.append(_note(file, name, wrong))
    if scale is not None:
        _check_scale(columns[0], file, scale)
    return pl.DataFrame(columns), tuple(notes)


def _typed(file: RatingsFile, name: str) -> tuple[pl.Series, int | None]:
    """Return a column as numbers, or as names with the place of the first cell that keeps it from being numbers."""
    cells = file.frame[name].str.strip_chars()
    labels = file.labels.get(name)
    numbers, wrong = as_numbers(cells, decimal_comma=file.decimal_comma)
    present = (cells != "").to_numpy().sum()
    if not wrong.len() and not labels:
        whole = numbers.drop_nulls()
        return (numbers.cast(pl.Int64) if len(whole) and (whole == whole.round()).all() else numbers).alias(name), None
    names = cells.replace(["", "NA"], None)
    names = names.replace(labels) if labels else names
    mostly = present - wrong.len() > _MOSTLY * present
    return names.alias(name), int(wrong[0]) if wrong.len() and mostly else None


def _note(file: RatingsFile, name: str, wrong: int) -> Bilingual:
    cell, row = file.frame[name][wrong], file.frame[ROW][wrong]
    return Bilingual(
        f"The column '{name}' is taken for names, because row {row} holds '{cell}'; most of its cells are numbers.",
        f"“{name}”列按名称处理，因为第 {row} 行为“{cell}”；该列大多数单元格是数字。",
    )


def _check_scale(response: pl.Series, file: RatingsFile, scale: Scale) -> None:
    if not response.dtype.is_numeric():
        return
    outside = ((response < scale.low) | (response > scale.high)).fill_null(value=False).arg_true()
    if outside.len():
        at = int(outside[0])
        more = f"; {outside.len() - 1} more such cells." if outside.len() > 1 else "."
        raise UserError(
            f"The column '{response.name}' holds {write_rating(response[at])} in row {file.frame[ROW][at]} of "
            f"{file.path}, outside the scale {scale}{more}",
            valid=f"Ratings from {write_rating(scale.low)} to {write_rating(scale.high)}.",
            remedy="Correct the cell, or give the true scale: --scale LOW-HIGH",
        )


# --- the models -------------------------------------------------------------------------------------------------------
# Fits a model of all ratings at once, with raters and items as random effects.


def model_parts(ratings: Ratings, questions: Questions, unique: Unique | None) -> Iterator[Part]:
    """Give a cumulative-link mixed model of each measure; none where ratings are not steps or nobody's."""
    if not ratings.clusters or not ratings.scale.steps:
        return
    for measure in ratings.columns.measures:
        for kind, formula, frame in _asked(ratings, questions, unique, measure):
            titled = TITLES[kind] if kind else Bilingual("", "")
            name = f"model of {measure}" + (f", {kind}" if kind else "")
            title = Bilingual(
                f"Ordinal mixed model of {measure}" + (f", {titled.en}" if kind else ""),
                f"“{measure}”的有序混合模型" + (f"（{titled.zh}）" if kind else ""),
            )
            explanation = _explanation(ratings, kind, ratings.reference(questions.reference))
            try:
                fits, caution = {measure: _fitted(formula, frame, questions)}, _intercepts_only(ratings)
                yield Part(name, title, explanation, fits=fits, sentences=(caution,) if caution else ())
            except UserError as error:
                failure = Bilingual(f"No model could be fitted: {error}", f"未能拟合模型：{error}")
                yield Part(name, title, explanation, sentences=(failure,))


def _explanation(ratings: Ratings, kind: str, reference: str) -> Bilingual:
    by, unit = ratings.columns.by, " and ".join(ratings.clusters)
    units = "与".join(f"“{name}”" for name in ratings.clusters)
    plain = Bilingual(
        "A cumulative-link mixed model: all ratings at once, the steps of the scale need not be equally wide, and "
        f"{unit} have effects of their own. Coefficients are log-odds against {reference}.",
        f"累积链接混合模型：同时利用全部评分，不要求量表各级间距相等，并为{units}设随机效应。"
        f"系数为相对于 {reference} 的对数优势。",
    )
    if kind == UNIQUE:
        return Bilingual(
            f"{plain.en} Each rating counts once; its response belongs in equal shares to every {by} that gave it "
            f"({SHARE}…), so that a coefficient holds a response that one {by} alone gave against one that {reference} "
            "alone gave.",
            f"{plain.zh}每个评分只计一次；其回答按等份归属于所有给出它的“{by}”（{SHARE}…），"
            f"因此系数比较的是某一“{by}”独有的回答与 {reference} 独有的回答。",
        )
    if kind == COPIED:
        return Bilingual(
            f"{plain.en} One judgement counts as several here, and the standard errors are too small: for comparison "
            "only.",
            f"{plain.zh}此处一次判断被算作多次，标准误偏小，仅供对照。",
        )
    return plain


def _intercepts_only(ratings: Ratings) -> Bilingual | None:
    """Return the caution where the levels vary within an item or a rater, for the model has no slopes."""
    by = ratings.columns.by
    frame = ratings.frame
    varied = [name for name in ratings.clusters if frame.select(name, by).n_unique() > frame[name].n_unique()]
    if not varied:
        return None
    names = " and ".join(f"'{name}'" for name in varied)
    chinese = "、".join(f"“{name}”" for name in varied)
    return Bilingual(
        f"The model has random intercepts only: where the effect of '{by}' varies between {names}, it finds "
        "differences too often (hengliang fit takes slopes).",
        f"模型只含随机截距：若“{by}”的效应因{chinese}而异，模型会过于频繁地得出有差异的结论"
        "（hengliang fit 可加入随机斜率）。",
    )


def _asked(
    ratings: Ratings, questions: Questions, unique: Unique | None, measure: str
) -> list[tuple[str, str, pl.DataFrame]]:
    """Return the formulas and their data: that of unique ratings and that of all rows, as far as they apply."""
    kept = ratings.frame.filter(pl.col(measure).is_not_null()).with_columns(pl.col(measure).cast(pl.Int64))
    first = ratings.reference(questions.reference)
    order = [first, *(level for level in ratings.levels if level != first)]
    kept = kept.with_columns(pl.col(ratings.columns.by).cast(pl.Enum(order)))
    random = "".join(f" + (1 | {_quoted(name)})" for name in ratings.clusters if kept[name].n_unique() > 1)
    plain = (f"{_quoted(measure)} ~ {_quoted(ratings.columns.by)}{random}", kept)
    if unique is None:
        return [("", *plain)]
    rated = unique.of(measure).with_columns(pl.col(measure).cast(pl.Int64))
    shares = " + ".join(_quoted(f"{SHARE}{level}") for level in order[1:])
    return [(UNIQUE, f"{_quoted(measure)} ~ {shares}{random}", rated), (COPIED, *plain)]


def _quoted(name: str) -> str:
    return name if name.isidentifier() and name.isascii() else f"`{name}`"


def _fitted(formula: str, frame: pl.DataFrame, questions: Questions) -> ModelFit:
    from hengliang.statistics.models.ordinal import fit_ordinal

    return fit_ordinal(formula, frame, alpha=questions.alpha, level=questions.level).model
