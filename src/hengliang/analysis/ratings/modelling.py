"""What does a model of all ratings at once say, with raters and items as random effects?"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from hengliang.analysis.ratings.copies import COPIED, SHARE, TITLES, UNIQUE, Unique
from hengliang.analysis.ratings.parts import Part, Questions
from hengliang.analysis.ratings.table import Ratings
from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual
from hengliang.statistics.models.results import ModelFit


def model_parts(ratings: Ratings, questions: Questions, unique: Unique | None) -> Iterator[Part]:
    """Give a cumulative-link mixed model of each measure; none where ratings are no steps or nobody's."""
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
                told = Bilingual(f"No model could be fitted: {error}", f"未能拟合模型：{error}")
                yield Part(name, title, explanation, sentences=(told,))


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
