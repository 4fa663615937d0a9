"""What are the measures of descriptions called in tables?"""

from __future__ import annotations

from collections.abc import Mapping

from hengliang.analysis.descriptions.argument_order import BOTH_PLACES, FIRST_PLACE, SECOND_PLACE, SHAPE_FIRST
from hengliang.analysis.descriptions.size_trends import ALL, COEFFICIENT, SLOPE, TREND
from hengliang.core.base_classes import StatisticLabel
from hengliang.core.terms import Bilingual

STATISTICS: Mapping[str, StatisticLabel] = {
    "share": StatisticLabel(Bilingual("Share", "比例"), "percent", 1),
    "mean": StatisticLabel(Bilingual("Mean", "均值"), "number", 2),
    SLOPE: StatisticLabel(Bilingual("Slope", "斜率"), "number", 3),
    COEFFICIENT: StatisticLabel(Bilingual("Coefficient of the mixed model", "混合模型系数"), "number", 3),
}
FACTORS: Mapping[str, Bilingual] = {
    "measure": Bilingual("Measure", "指标"),
    "size": Bilingual("Things in a scene", "场景中的物体数"),
    "describer": Bilingual("Describer", "描述者"),
}
_NARROW, _WIDE = Bilingual("narrow", "狭义"), Bilingual("wide", "广义")
_READINGS = {"pragmatic": Bilingual("pragmatic", "语用"), "semantic": Bilingual("semantic", "语义")}
_BY_READING: Mapping[str, Bilingual] = {
    "complete, of those parsed whole": Bilingual("Complete, of those parsed whole", "完备（在全部解析者中）"),
    "complete, none of the others": Bilingual("Complete, if none of the others is", "完备（其余均不算）"),
    "complete, all of the others": Bilingual("Complete, if all of the others are", "完备（其余全算）"),
    "complete and true of the scene, of those parsed whole": Bilingual(
        "Complete and true of the scene, of those parsed whole", "完备且与场景相符（在全部解析者中）"
    ),
    "complete by what was read": Bilingual("Complete by what was read", "完备（按已解析的部分）"),
    "true of the scene, of those parsed whole": Bilingual(
        "True of the scene, of those parsed whole", "与场景相符（在全部解析者中）"
    ),
    "complete": Bilingual("Complete", "完备"),
    "complete and true": Bilingual("Complete and true of the scene", "完备且与场景相符"),
}


def _of(title: Bilingual, kind: Bilingual) -> Bilingual:
    return Bilingual(f"{title.en} ({kind.en})", f"{title.zh}（{kind.zh}）")


LEVELS: Mapping[str, Bilingual] = {
    ALL: Bilingual("all", "全部"),
    TREND: Bilingual("for each doubling", "每翻一倍"),
    "people": Bilingual("people", "人"),
    "parsed whole": Bilingual("Parsed whole", "全部解析"),
    "something parsed": Bilingual("Something parsed", "至少解析一部分"),
    **{
        f"vague expressions ({kind.en})": _of(Bilingual("Vague, of the expressions", "量化式中模糊者"), kind)
        for kind in (_NARROW, _WIDE)
    },
    **{
        f"descriptions with a vague word ({kind.en})": _of(
            Bilingual("Descriptions with a vague word", "含模糊词的描述"), kind
        )
        for kind in (_NARROW, _WIDE)
    },
    **{
        f"{name} ({reading})": _of(title, kind)
        for name, title in _BY_READING.items()
        for reading, kind in _READINGS.items()
    },
    "words": Bilingual("Words", "词数"),
    "characters": Bilingual("Characters", "字符数"),
    "expressions, of those parsed whole": Bilingual(
        "Quantified expressions, of those parsed whole", "量化式数（在全部解析者中）"
    ),
    "expressions": Bilingual("Quantified expressions", "量化式数"),
    SHAPE_FIRST: Bilingual("Shape first, colour second", "先形状后颜色"),
    FIRST_PLACE: Bilingual("Shape, of first places that name one attribute", "形状（在只提一种属性的第一论元中）"),
    SECOND_PLACE: Bilingual("Colour, of second places that name one attribute", "颜色（在只提一种属性的第二论元中）"),
    BOTH_PLACES: Bilingual("Shape before colour less colour before shape", "形状在颜色之前减颜色在形状之前"),
}
"""What levels of factors are called; sizes are called by their number."""
