"""What are the attributes of classifier slots, and their levels, called in a report?"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from hengliang.core.terms import Bilingual
from hengliang.materials.classifier_categories import CATEGORY_TITLES

SLOT_FACTORS: Mapping[str, Bilingual] = MappingProxyType(
    {
        "category": Bilingual("Category of use", "用法类别"),
        "category_by_form": Bilingual("Category of form", "词形类别"),
        "noun_seen": Bilingual("Noun in training", "训练中的名词"),
        "noun_band": Bilingual("Uses of the noun in training", "名词在训练中的次数"),
        "classifier_band": Bilingual("Uses of the classifier in training", "量词在训练中的次数"),
        "genre": Bilingual("Genre", "体裁"),
        "collection": Bilingual("Collection", "数据集"),
    }
)

_BANDS = {
    "00": Bilingual("0", "0"),
    "01": Bilingual("1", "1"),
    "02–04": Bilingual("2–4", "2–4"),
    "05–09": Bilingual("5–9", "5–9"),
}
_SLOT_LEVELS: Mapping[str, Mapping[str, Bilingual]] = {
    "category": CATEGORY_TITLES,
    "category_by_form": CATEGORY_TITLES,
    "noun_seen": {"seen": Bilingual("seen", "见过"), "unseen": Bilingual("unseen", "未见过")},
    "noun_band": _BANDS,
    "classifier_band": _BANDS,
    "genre": {
        "heading": Bilingual("headings and captions", "标题与图注"),
        "dispatch": Bilingual("dispatches", "电讯"),
        "quotation": Bilingual("quotations", "引语"),
        "prose": Bilingual("other prose", "其他正文"),
        "weibo": Bilingual("weblogs (Leiden Weibo Corpus)", "微博（莱顿微博语料库）"),
        "LCMC": Bilingual("LCMC", "LCMC"),
        "UCLA": Bilingual("UCLA Written Chinese", "UCLA 书面汉语"),
        "unknown": Bilingual("unknown", "未知"),
    },
    "construction": {
        "plain": Bilingual("noun follows", "名词紧随其后"),
        "modified": Bilingual("through a modifier", "中间有修饰语"),
        "through 的": Bilingual("through 的", "中间有“的”"),
        "noun first": Bilingual("noun first", "名词在前"),
        "coordinated": Bilingual("coordinated nouns", "并列名词"),
        "nominalised": Bilingual("nominalised head", "名物化中心语"),
        "title": Bilingual("title", "书名、篇名"),
        "compound": Bilingual("compound", "复合词"),
    },
}


def slot_levels(factor: str) -> Mapping[str, Bilingual]:
    """Return what the levels of an attribute are called; those that are not here are shown as they stand."""
    return _SLOT_LEVELS.get(factor, {})
