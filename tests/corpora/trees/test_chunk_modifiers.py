"""Do modifiers with 的 join the noun that they modify?"""

from __future__ import annotations

import pytest

from hengliang.corpora.trees.modifiers import with_modifiers
from tests.corpora.trees.tagged_examples import chunks_of, shown


@pytest.mark.parametrize(
    ("tagged", "expected"),
    [
        ("新/a 的/u 书/n", "noun[(NP (DNP 新 的) 书)]"),
        ("非常/d 新/a 的/u 书/n", "noun[(NP (DNP (ADJP 非常 新) 的) 书)]"),
        ("老师/n 的/u 书/n", "noun[(NP (DNP 老师 的) 书)]"),
        ("老师/n 的/u 新/a 的/u 书/n", "noun[(NP (DNP 老师 的) (DNP 新 的) 书)]"),
        ("老师/n 的/u 朋友/n 的/u 书/n", "noun[(NP (DNP (NP (DNP 老师 的) 朋友) 的) 书)]"),
        ("他/r 买/v 的/u 一/m 本/q 书/n", "noun[(NP (CP (NP 他) (VP 买) 的) (QP 一 本) 书)]"),
        ("新/a 的/u 桌子/n 上/f", "place[(LCP (NP (DNP 新 的) 桌子) 上)]"),
        ("中国/ns 最/d 大/a 的/u 银行/n", "noun[(NP 中国 (DNP (ADJP 最 大) 的) 银行)]"),
        ("成功/an 之/u 路/n", "noun[(NP (DNP 成功 之) 路)]"),
        ("新/a 的/u 书/n 和/c 报/n", "noun[(NP (DNP 新 的) (NP 书 和 报))]"),
        # a verb that a noun with 的 modifies is one itself
        ("祖国/n 的/u 早日/d 腾飞/v 令/v", "noun[(NP (DNP 祖国 的) (VP 早日 腾飞))] verb[令]"),
        # nothing to modify, nothing that modifies
        ("卖/v 菜/n 的/u", "modifier[(CP (VP 卖 (NP 菜)) 的)]"),
        ("的/u 书/n", "other[的] noun[书]"),
    ],
)
def test_a_noun_takes_its_modifiers(tagged: str, expected: str) -> None:
    assert shown(with_modifiers(chunks_of(tagged))) == expected
