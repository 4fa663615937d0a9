"""Does a relative clause begin where a reader would say it does?"""

from __future__ import annotations

import pytest

from hengliang.corpora.trees.chunks import word_chunk
from hengliang.corpora.trees.modifiers import Ahead, beginning
from tests.corpora.trees.tagged_examples import bracketed, chunks_of


@pytest.mark.parametrize(
    ("tagged", "expected"),
    [
        # the verb before wants a noun, so what follows it is a relative clause
        (
            "儿子/n 成为/v 了/u 拍/v 电影/n 的/u 导演/n 。/w",
            "(IP (NP 儿子) (VP 成为 了 (NP (CP (VP 拍 (NP 电影)) 的) 导演))) 。",
        ),
        (
            "儿子/n 成为/v 了/u 拍/v 电影/n 并且/c 写/v 剧本/n 的/u 导演/n 。/w",
            "(IP (NP 儿子) (VP 成为 了 (NP (CP (VP (VP 拍 (NP 电影)) 并且 (VP 写 (NP 剧本))) 的) 导演))) 。",
        ),
        (
            "儿子/n 成为/v 了/u 拍/v 反映/v 历史/n 的/u 电影/n 的/u 导演/n 。/w",
            "(IP (NP 儿子) (VP 成为 了 (NP (CP (VP 拍 (NP (CP (VP 反映 (NP 历史)) 的) 电影)) 的) 导演))) 。",
        ),
        # an object relative takes its subject, and leaves the classifier of the head outside
        (
            "父亲/n 买/v 了/u 一/m 辆/q 女儿/n 喜欢/v 的/u 轿车/n 。/w",
            "(IP (NP 父亲) (VP 买 了 (NP (QP 一 辆) (CP (NP 女儿) (VP 喜欢) 的) 轿车))) 。",
        ),
        # but a classifier of people goes with the subject
        (
            "父亲/n 读/v 了/u 一/m 位/q 老师/n 写/v 的/u 书/n 。/w",
            "(IP (NP 父亲) (VP 读 了 (NP (CP (NP (QP 一 位) 老师) (VP 写) 的) 书))) 。",
        ),
        (
            "大火/n 包围/v 了/u 这/r 座/q 我们/r 帮助/v 过/u 的/u 农民/n 盖/v 的/u 房子/n 。/w",
            "(IP (NP 大火) (VP 包围 了 "
            "(NP (DP 这 座) (CP (NP (CP (NP 我们) (VP 帮助 过) 的) 农民) (VP 盖) 的) 房子))) 。",
        ),
        (
            "这个/r 热爱/v 生活/vn 的/u 农民/n 盖/v 的/u 房子/n 倒/v 了/y 。/w",
            "(IP (NP 这个 (CP (NP (CP (VP 热爱 (NP 生活)) 的) 农民) (VP 盖) 的) 房子) (VP 倒) 了) 。",
        ),
        (
            "那/r 家/q 认识/v 我/r 的/u 老板/n 在/p 市中心/n 投资/v 的/u 饭店/n 很/d 大/a 。/w",
            "(IP (NP (DP 那 家) (CP (NP (CP (VP 认识 (NP 我)) 的) 老板) (VP (PP 在 (NP 市中心)) 投资) 的) 饭店) "
            "(VP 很 大)) 。",
        ),
        # a subject before the only verb: the noun alone modifies
        ("我/r 认识/v 他/r 的/u 老师/n 。/w", "(IP (NP 我) (VP 认识 (NP (DNP 他 的) 老师))) 。"),
        (
            "他/r 写/v 书/n 并且/c 研究/v 气候/n 的/u 变化/vn 。/w",
            "(IP (NP 他) (VP (VP 写 (NP 书)) 并且 (VP 研究 (NP (DNP 气候 的) 变化)))) 。",
        ),
        (
            "他/r 开始/v 写/v 老师/n 的/u 故事/n 。/w",
            "(IP (NP 他) (VP 开始 (VP 写 (NP (DNP 老师 的) 故事)))) 。",
        ),
        # no subject, and a predicate still to come: a relative clause in the subject
        (
            "研究/v 气候/n 的/u 科学家/n 发现/v 了/u 规律/n 。/w",
            "(IP (NP (CP (VP 研究 (NP 气候)) 的) 科学家) (VP 发现 了 (NP 规律))) 。",
        ),
        ("提高/v 人民/n 的/u 生活/vn 水平/n 。/w", "(VP 提高 (NP (DNP 人民 的) 生活 水平)) 。"),
        # nouns that clauses explain
        (
            "他/r 来/v 北京/ns 的/u 时候/n 下雨/v 了/y 。/w",
            "(VP (NP (CP (NP 他) (VP 来 (NP 北京)) 的) 时候) 下雨 了) 。",
        ),
        # prepositions outside and inside
        (
            "他/r 把/p 老师/n 写/v 的/u 书/n 读/v 完/v 了/u 。/w",
            "(IP (NP 他) (VP (PP 把 (NP (CP (NP 老师) (VP 写) 的) 书)) 读 完 了)) 。",
        ),
        (
            "由/p 老师/n 写/v 的/u 书/n 很/d 好/a 。/w",
            "(IP (NP (CP (VP (PP 由 (NP 老师)) 写) 的) 书) (VP 很 好)) 。",
        ),
        (
            "在/p 发展/v 经济/n 的/u 过程/n 中/f ，/w",
            "(PP 在 (LCP (NP (CP (VP 发展 (NP 经济)) 的) 过程) 中)) ，",
        ),
        (
            "记者/n 来到/v 设/v 在/p 北京/ns 的/u 公司/n 。/w",
            "(IP (NP 记者) (VP 来到 (NP (CP (VP 设 (PP 在 (NP 北京))) 的) 公司))) 。",
        ),
        (
            "汽车/n 停/v 在/p 学校/n 的/u 门口/s 。/w",
            "(IP (NP 汽车) (VP 停 (PP 在 (NP (DNP 学校 的) 门口)))) 。",
        ),
        (
            "政府/n 加强/v 对/p 企业/n 的/u 管理/vn 。/w",
            "(IP (NP 政府) (VP 加强 (NP (DNP (PP 对 (NP 企业)) 的) 管理))) 。",
        ),
        (
            "他/r 对/p 政府/n 的/u 计划/n 表示/v 满意/v 。/w",
            "(IP (NP 他) (VP (PP 对 (NP (DNP 政府 的) 计划)) 表示 (VP 满意))) 。",
        ),
        # a clause with an adjective
        (
            "经济/n 发达/a 的/u 地区/n 需要/v 工人/n 。/w",
            "(IP (NP (CP (NP 经济) (VP 发达) 的) 地区) (VP 需要 (NP 工人))) 。",
        ),
        # causatives within
        (
            "他/r 写/v 了/u 令/v 人/n 感动/v 的/u 书/n 。/w",
            "(IP (NP 他) (VP 写 了 (NP (CP (VP 令 (IP (NP 人) (VP 感动))) 的) 书))) 。",
        ),
        # without a head
        ("卖/v 菜/n 的/u 来/v 了/y 。/w", "(IP (CP (VP 卖 (NP 菜)) 的) (VP 来) 了) 。"),
        ("他/r 是/v 昨天/t 来/v 的/u 。/w", "(IP (NP 他) (VP 是 (CP (VP (NP 昨天) 来) 的))) 。"),
    ],
)
def test_a_relative_clause_has_its_bounds(tagged: str, expected: str) -> None:
    assert bracketed(tagged) == expected


def test_what_follows_the_head_decides() -> None:
    before = chunks_of("研究/v 气候/n")
    de, head = word_chunk("的", "u"), word_chunk("科学家", "n")
    assert beginning(before, de, Ahead(head, None, predicate=True)) == (0, "CP")
    assert beginning(before, de, Ahead(head, None, predicate=False)) == (1, "DNP")
    assert beginning([], de, Ahead(head, None, predicate=True)) == (0, "")
