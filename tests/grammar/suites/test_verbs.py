"""Are the verbs of the suites found with their roles?"""

from __future__ import annotations

from hengliang.grammar.suites.library import open_suites
from hengliang.grammar.suites.text_format import parse_suite
from hengliang.grammar.suites.verbs import SuiteVerb, TransitivityTable, VerbUses, suite_verbs

SUITE = """\
class: missing object
conditions: complete *missing control_complete control_missing
regions: subject verb rest
predict: missing.rest > complete.rest

1  They entered the room.
   complete          他们 | 走 进 | 房间 。
   missing           他们 | 走 进 | 。
   control_complete  他们 | 忘记 | 房间 。
   control_missing   他们 | 忘记 | 。

2  They entered the school.
   complete          他们 | 走 进 | 学校 。
   missing           他们 | 走 进 | 。
   control_complete  他们 | 放弃 | 学校 。
   control_missing   他们 | 放弃 | 。
"""
TABLE = TransitivityTable("toy", {"走 进": VerbUses("走 进", 83, 0)}, "")


def test_verbs_with_their_roles_and_items() -> None:
    assert suite_verbs([parse_suite(SUITE, "toy")], TABLE) == [
        SuiteVerb("needs an object", ("1", "2"), VerbUses("走 进", 83, 0)),
        SuiteVerb("needs none", ("1",), VerbUses("忘记", 0, 0)),
        SuiteVerb("needs none", ("2",), VerbUses("放弃", 0, 0)),
    ]


def test_suites_without_a_verb_or_controls_have_none() -> None:
    assert suite_verbs(open_suites("subordination", "verb–noun"), TABLE) == []
