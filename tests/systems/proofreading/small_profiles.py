"""Which small profiles, chooser and tagger do the tests of the proofreader share?"""

from __future__ import annotations

from functools import cache

import polars as pl

from hengliang.materials.classifier_inventory import inventory
from hengliang.systems.classifier_choosers.rule import NounCounts, Rule
from hengliang.systems.proofreading.profiles import Profiles, profiles_of
from hengliang.systems.proofreading.proofreader import Proofreader

COUNTS = [
    ("书", "本", 20),
    ("书", "部", 4),
    ("桌子", "张", 6),
    ("学生", "名", 9),
    ("学生", "位", 3),
    ("马", "匹", 5),
    ("信", "封", 12),
    ("甲乙", "个", 40),
    ("楼", "栋", 2),
    ("楼", "幢", 2),
    ("房子", "栋", 2),
    ("房子", "幢", 2),
    ("大厦", "栋", 9),
    ("狗", "条", 12),
]


def small_rule() -> Rule:
    table = pl.DataFrame(COUNTS, schema={"noun": pl.String, "label": pl.String, "count": pl.Int64}, orient="row")
    return Rule(NounCounts(table, "by hand", "CC0"))


@cache
def small_profiles() -> Profiles:
    return profiles_of(inventory(cedict=False), COUNTS)


def small_reader() -> Proofreader:
    return Proofreader(small_rule(), profiles=small_profiles())
