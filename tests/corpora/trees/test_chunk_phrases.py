"""Do base phrases hold what belongs together before verbs and modifiers are looked at?"""

from __future__ import annotations

import pytest

from tests.corpora.trees.tagged_examples import chunks_of, shown


@pytest.mark.parametrize(
    ("tagged", "expected"),
    [
        # numbers and classifiers
        ("三/m 本/q 新/a 书/n", "quantity[(QP 三 本)] noun[(NP 新 书)]"),
        ("这/r 三/m 本/q", "quantity[(DP 这 三 本)]"),
        ("十/m 多/m 年/q", "quantity[(QP 十 多 年)]"),
        ("三十/m 公里/q 以上/f", "quantity[(QP 三十 公里 以上)]"),
        # compounds
        ("中国/ns 农村/n 经济/n", "noun[(NP 中国 农村 经济)]"),
        ("同学/n 们/k", "noun[(NP 同学 们)]"),
        ("最/d 大/a 城市/n", "noun[(NP (ADJP 最 大) 城市)]"),
        ("不/d 大/a", "adverb[不] adjective[大]"),
        ("书/n 我/r", "noun[书] noun[我]"),
        ("他/r 自己/r", "noun[(NP 他 自己)]"),
        ("第九/m 届/q 委员会/n 第一/m 次/q 会议/n", "quantity[(QP 第九 届)] noun[(NP 委员会 (QP 第一 次) 会议)]"),
        # time
        ("去年/t 春天/t", "time[(NP 去年 春天)]"),
        ("三月/t 至/p 五月/t", "time[(NP 三月 至 五月)]"),
        ("举行/v 新年/t 晚会/n", "verb[举行] noun[(NP 新年 晚会)]"),
        ("新年/t 晚会/n", "time[新年] noun[晚会]"),
        # localisers
        ("桌子/n 上/f", "place[(LCP 桌子 上)]"),
        ("三/m 年/q 来/f", "time[(LCP (QP 三 年) 来)]"),
        ("两/m 张/q 桌子/n 上/f", "place[(LCP (NP (QP 两 张) 桌子) 上)]"),
        ("今后/t 三/m 年/q 内/f", "time[(LCP (NP 今后 (QP 三 年)) 内)]"),
        # a clause may end here, which is for a later stage to say
        ("解决/v 问题/n 后/f", "verb[解决] noun[问题] localiser[后]"),
        # verbs
        ("追/v 上/v 了/u", "verb[追 上 了]"),
        ("讨论/v 和/c 通过/v 了/u", "verb[讨论 和 通过 了]"),
        ("写/v 得/u 很/d 好/a", "verb[写 得 (ADJP 很 好)]"),
        ("做/v 好/a 工作/vn", "verb[做 好] noun[工作]"),
        # adverbials
        ("非常/d 认真/a 地/u 读/v", "adverb[(DVP 非常 认真 地)] verb[读]"),
        ("地/u 读/v", "adverb[地] verb[读]"),
    ],
)
def test_words_stand_together(tagged: str, expected: str) -> None:
    assert shown(chunks_of(tagged)) == expected
