"""Which small suites do the tests of the lint begin from?"""

from __future__ import annotations

from collections.abc import Iterable

from hengliang.classifiers import Inventory, read_classifiers
from hengliang.corpora import FrequencyTable, frequency_table
from hengliang.grammar.suites.lint import LintFinding
from hengliang.grammar.suites.suite import Suite
from hengliang.grammar.suites.text_format import parse_suite
from hengliang.materials.classifier_inventory import OURS

HEADER = """class:      verb–noun / 动词与名词
modifier:   none / 无修饰语
conditions: match *mismatch
regions:    subject verb classifier modifier noun stop
predict:    mismatch.noun:stop > match.noun:stop
fits:       match.classifier match.noun
balanced:   verb
"""

ITEMS = (
    """1  The engineer repaired this computer.
   match     工程师 | 修理 了 | 这 台 | | 电脑 | 。
   mismatch  工程师 | 浇灌 了 | 这 台 | | 电脑 | 。
""",
    """2  The pupil read this book.
   match     学生 | 阅读 了 | 这 本 | | 书 | 。
   mismatch  学生 | 驾驶 了 | 这 本 | | 书 | 。
""",
    """3  Grandfather fed this horse.
   match     爷爷 | 喂养 了 | 这 匹 | | 马 | 。
   mismatch  爷爷 | 粉刷 了 | 这 匹 | | 马 | 。
""",
    """4  The sailors boarded this ship.
   match     水手 | 登上 了 | 这 艘 | | 轮船 | 。
   mismatch  水手 | 翻译 了 | 这 艘 | | 轮船 | 。
""",
)

TABLE = (
    "classifier\tpinyin\tkind\tenglish\tchinese\tnouns\n"
    "个\tgè\tgeneral\tthings\t事物\t问题 电脑\n"
    "台\ttái\tsortal\tmachines\t机器\t电脑\n"
    "本\tběn\tsortal\tbooks\t书\t书\n"
    "匹\tpǐ\tsortal\thorses\t马\t马\n"
    "艘\tsōu\tsortal\tships\t船\t轮船\n"
)


def suite(items: Iterable[str] = ITEMS, header: str = HEADER, name: str = "toy") -> Suite:
    """Return a suite of these items; without arguments a good one."""
    return parse_suite("\n".join([header, *items]), name)


def toy_inventory(table: str = TABLE) -> Inventory:
    """Return a small inventory that bears out the good suite."""
    rows = tuple(read_classifiers(table))
    listed: dict[str, dict[str, tuple[str, ...]]] = {}
    for row in rows:
        for noun in row.nouns:
            listed.setdefault(noun, {})[row.form] = (OURS,)
    return Inventory({row.form: row for row in rows}, listed)


def toy_frequencies(held: Suite, **changed: int) -> FrequencyTable:
    """Return a table in which every word of a suite occurs 50 times, those named otherwise."""
    words = {
        word for item in held.items for sentence in item.sentences.values() for region in sentence for word in region
    }
    return frequency_table({**dict.fromkeys(words, 50), **changed}, "toy counts")


def codes(findings: Iterable[LintFinding]) -> list[tuple[str, str, str]]:
    """Return item, code and severity of findings."""
    return [(finding.item, finding.code, finding.severity) for finding in findings]
