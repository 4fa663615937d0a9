"""Do clauses have their subjects, adjuncts and conjunctions in the right place?"""

from __future__ import annotations

import pytest

from tests.corpora.trees.tagged_examples import bracketed


@pytest.mark.parametrize(
    ("tagged", "expected"),
    [
        ("他/r 走/v 了/y", "(IP (NP 他) (VP 走) 了)"),
        ("走/v 了/u", "(VP 走 了)"),
        ("新/a 书/n", "(NP 新 书)"),
        ("昨天/t 他/r 走/v 了/u", "(IP (NP 昨天) (NP 他) (VP 走 了))"),
        ("他/r 昨天/t 走/v 了/u", "(IP (NP 他) (VP (NP 昨天) 走 了))"),
        ("今年/t 是/v 虎年/t", "(IP (NP 今年) (VP 是 (NP 虎年)))"),
        ("罚款/v 不/d 是/v 目的/n", "(IP (VP 罚款) (VP 不 是 (NP 目的)))"),
        ("如果/c 他/r 走/v", "(CP 如果 (NP 他) (VP 走))"),
        ("他/r 如果/c 走/v", "(CP (NP 他) (VP 如果 走))"),
        ("但/c 他/r 走/v", "(IP 但 (NP 他) (VP 走))"),
        ("他/r 写/v 书/n 并且/c 教/v 课/n", "(IP (NP 他) (VP (VP 写 (NP 书)) 并且 (VP 教 (NP 课))))"),
        ("他/r 写/v 书/n 而/c 我/r 教/v 课/n", "(IP (NP 他) (VP 写 (NP 书))) 而 (IP (NP 我) (VP 教 (NP 课)))"),
        # prepositions
        ("他/r 在/p 桌子/n 上/f 写/v", "(IP (NP 他) (VP (PP 在 (LCP 桌子 上)) 写))"),
        ("他/r 被/p 警察/n 抓/v 住/v 了/u", "(IP (NP 他) (VP (PP 被 (NP 警察)) 抓 住 了))"),
        ("他/r 被/p 抓/v 住/v 了/u", "(IP (NP 他) (VP 被 抓 住 了))"),
        ("他/r 比/p 我/r 高/a", "(IP (NP 他) (VP (PP 比 (NP 我)) 高))"),
        ("对/p 我/r 来说/u", "(PP 对 (NP 我) 来说)"),
        ("为了/p 提高/v 质量/n", "(PP 为了 (VP 提高 (NP 质量)))"),
        ("随着/p 经济/n 发展/v", "(PP 随着 (IP (NP 经济) (VP 发展)))"),
        ("工厂/n 因/p 资金/n 短缺/a 停产/v", "(IP (NP 工厂) (VP (PP 因 (IP (NP 资金) (VP 短缺))) 停产))"),
        ("以/p 农业/n 为/v 基础/n", "(VP (PP 以 (NP 农业)) 为 (NP 基础))"),
        # localisers after clauses
        ("他/r 来/v 北京/ns 后/f", "(LCP (IP (NP 他) (VP 来 (NP 北京))) 后)"),
        ("在/p 会议/n 结束/v 时/Ng", "(PP 在 (LCP (IP (NP 会议) (VP 结束)) 时))"),
        # names with numbers
        ("北京市/ns 各/r 城区/n", "(NP 北京市 各 城区)"),
    ],
)
def test_a_clause_has_its_parts(tagged: str, expected: str) -> None:
    assert bracketed(tagged) == expected


def test_prepositions_do_not_nest_without_end() -> None:
    count = 200
    shown = bracketed("为/p 写/v " * count)
    assert shown.count("为") == shown.count("写") == count
