"""Inter-rater agreement of a file of ratings: Krippendorff's α and diagnosis of single raters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from hengliang.analyses.ratings.parts import MEASURE, Part, Questions
from hengliang.analyses.ratings.table import Ratings
from hengliang.core.base_classes import StatisticLabel
from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual
from hengliang.statistics.inter_rater.krippendorff import Metric, krippendorff_alpha
from hengliang.statistics.inter_rater.raters import RaterDiagnosis, diagnose_raters
from hengliang.statistics.inter_rater.ratings import AgreementResult

STATISTICS: Mapping[str, StatisticLabel] = {
    "krippendorff alpha interval": StatisticLabel(Bilingual("α, interval", "α（等距）"), "number", 3),
    "krippendorff alpha ordinal": StatisticLabel(Bilingual("α, ordinal", "α（有序）"), "number", 3),
    "mean": StatisticLabel(Bilingual("Mean", "均值"), "number", 2),
    "deviation": StatisticLabel(Bilingual("SD", "标准差"), "number", 2),
    "most used share": StatisticLabel(Bilingual("Most used answer", "最常用答案占比"), "percent", 0),
    "shift": StatisticLabel(Bilingual("Above the others", "高于他人"), "number", 2),
    "with others": StatisticLabel(Bilingual("r with the others", "与他人的相关"), "number", 2),
    "same again": StatisticLabel(Bilingual("Same answer again", "重复一致率"), "percent", 0),
    "alpha without": StatisticLabel(Bilingual("α without", "去除后的 α"), "number", 3),
    "flags": StatisticLabel(Bilingual("Flags", "标记数"), "integer", 0),
}
_UNIT = "\x1f"


def rater_parts(ratings: Ratings, questions: Questions) -> Iterator[Part]:
    """Give Krippendorff's α, and what is to be said of each rater; nothing where raters are not known.

    What is judged is a response to an item, or, where the file has no column for it, an item under one level.
    """
    item, rater = ratings.item_and_rater
    if item is None or rater is None or item == rater:
        return
    alphas: list[tuple[Mapping[str, str], AgreementResult]] = []
    diagnoses: list[tuple[str, RaterDiagnosis]] = []
    refused = []
    # Without a few steps there is nothing to order by: positions of a slider are distances.
    metric: Metric = "ordinal" if ratings.scale.steps else "interval"
    for measure in ratings.columns.measures:
        try:
            frame = _units(ratings, item, rater, measure)
            alphas.append(({MEASURE: measure}, _alpha(frame, rater, measure, questions, metric)))
            diagnoses.append((measure, diagnose_raters(frame, rater=rater, item="unit", rating=measure, metric=metric)))
        except UserError as error:
            refused.append(Bilingual(f"{measure}: {error}", f"{measure}：{error}"))
    yield Part(
        "agreement",
        Bilingual("Do the raters agree?", "评分者是否一致？"),
        Bilingual(
            "Krippendorff's α is 1 where all agree and 0 where they agree as chance has it.",
            "全体一致时 Krippendorff α 为 1，仅为随机一致时为 0。",
        ),
        results=tuple(alphas),
        sentences=tuple(refused),
        statistics=STATISTICS,
    )
    if diagnoses:
        yield _diagnosed(diagnoses)


def _units(ratings: Ratings, item: str, rater: str, measure: str) -> pl.DataFrame:
    """Return one row for each rater and thing judged; copies of a rating are one.

    Somebody who judged the same thing twice has no one judgement of it, and none is thrown away.
    """
    what = ratings.columns.response or ratings.columns.by
    # All that pairs ratings besides the rater tells things judged apart, be it a round of the same item.
    judged = dict.fromkeys((item, *(name for name in ratings.asked_pair if name != rater)))
    unit = pl.concat_str(*(pl.col(name).cast(pl.String) for name in (*judged, what)), separator=_UNIT)
    frame = ratings.frame.select(unit.alias("unit"), pl.col(rater).cast(pl.String), measure).drop_nulls()
    if ratings.columns.response is None and frame.select("unit", rater).is_duplicated().any():
        first = frame.filter(frame.select("unit", rater).is_duplicated()).row(0, named=True)
        parts = zip((*judged, what), first["unit"].split(_UNIT), strict=True)
        named = ", ".join(f"{name} '{value}'" for name, value in parts)
        raise UserError(
            f"{rater} '{first[rater]}' rated {named} more than once.",
            valid="One rating of each rater for each item and level.",
            remedy="Name what tells these ratings apart with --pair, after item and rater.",
        )
    return frame.unique(["unit", rater], keep="first", maintain_order=True).sort("unit", rater)


def _alpha(frame: pl.DataFrame, rater: str, measure: str, questions: Questions, metric: Metric) -> AgreementResult:
    table = frame.pivot("unit", index=rater, values=measure, maintain_order=True).sort(rater)
    names, level, seed = table[rater].to_list(), questions.level, questions.seed
    rows = table.drop(rater).rows()
    return krippendorff_alpha(rows, metric=metric, raters=names, pairs=False, level=level, seed=seed)


def _diagnosed(diagnoses: Sequence[tuple[str, RaterDiagnosis]]) -> Part:
    rows = [row for measure, diagnosis in diagnoses for row in diagnosis.estimates("raters", {MEASURE: measure})]
    sentences = [(measure, diagnosis.sentence()) for measure, diagnosis in diagnoses]
    return Part(
        "raters",
        Bilingual("Each rater", "每位评分者"),
        Bilingual(
            "Each rater is compared with the mean of the others on the same responses. A flag is a hint, not a "
            "verdict: look at the answers before anybody is left out.",
            "每位评分者与其他人对同一回答的平均分比较。标记只是提示，不是结论：剔除任何人之前应先查看其答案。",
        ),
        # Nobody judged anything twice in most files; a column of dashes would say nothing.
        estimates=tuple(row for row in rows if row.value is not None),
        sentences=tuple(
            Bilingual(f"{measure}: {sentence.en}", f"{measure}：{sentence.zh}") for measure, sentence in sentences
        ),
        statistics=STATISTICS,
    )
