"""Is an object taken from verbs only that cannot do without it?"""

from __future__ import annotations

import pytest

from hengliang.grammar import corpus_transitivity
from hengliang.materials.perturbations.missing_objects import (
    FEWEST_USES,
    MOST_WITHOUT,
    NEED_AN_OBJECT,
    missing_objects,
    needs_an_object,
)
from tests.materials.perturbations.toys import tagged


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("小林/nr 成为/v 医生/n 。/w", "小林成为。"),
        ("这/r 本/q 小说/n 引起/v 了/u 很大/a 的/u 兴趣/n ，/w 我/r 也/d 读/v 了/y 。/w", "这本小说引起了，我也读了。"),
        ("花园/n 充满/v 梨/n 、/w 桃/n 和/c 枣/n 的/u 香味/n 。/w", "花园充满。"),
    ],
)
def test_the_whole_noun_phrase_goes(text: str, content: str) -> None:
    (change,) = missing_objects(tagged(text))
    assert change.content == content
    assert change.changed[0][0] == change.changed[0][1]


@pytest.mark.parametrize(
    "text",
    [
        "护士/n 照顾/v 病人/n 。/w",  # may be dropped
        "他们/r 把/p 花园/n 变成/v 菜地/n 。/w",  # its object stands before it
        "医生/n 用/p 小林/nr 作为/v 例子/n 。/w",
        "他们/r 面临/v 的/u 困难/n 。/w",  # a relative clause
        "小林/nr 成为/v 医生/n 以后/f 结婚/v 。/w",  # the clause goes on
        "他/r 说/v “/w 我/r 成为/v 医生/n 。/w ”/w",  # quoted
        "小林/nr 成为/v 。/w",  # nothing to take
        "小林/nr 得到/v 支持/vn ，/w 也/d 感谢/v 大家/r 的/u 支持/vn 。/w",  # one object for both verbs
    ],
)
def test_nothing_is_taken_where_that_may_be_good(text: str) -> None:
    assert not list(missing_objects(tagged(text)))


def test_the_corpus_agrees_with_our_list() -> None:
    table = corpus_transitivity()
    # Each verb of the list is confirmed; those that were not are no longer on it.
    assert {verb for verb in NEED_AN_OBJECT if not needs_an_object(verb)} == set()
    for verb in NEED_AN_OBJECT:
        uses = table.uses(verb)
        assert uses.uses >= FEWEST_USES
        assert uses.without_object <= MOST_WITHOUT * uses.uses
    assert not needs_an_object("照顾")
    assert not needs_an_object("咕噜")
