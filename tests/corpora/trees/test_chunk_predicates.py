"""Do predicates branch to the right, with objects where they belong?"""

from __future__ import annotations

import pytest

from hengliang.corpora.trees.brackets import write_brackets
from hengliang.corpora.trees.clauses import DEEPEST, predicate_tree
from hengliang.corpora.trees.constituents import Tree
from tests.corpora.trees.tagged_examples import bracketed, chunks_of


@pytest.mark.parametrize(
    ("tagged", "expected"),
    [
        ("就/d 会/v 修改/v 合同/n", "(VP 就 会 修改 (NP 合同))"),
        ("开始/v 写/v 书/n", "(VP 开始 (VP 写 (NP 书)))"),
        ("送/v 给/v 我/r 一/m 本/q", "(VP 送 给 (NP 我) (QP 一 本))"),
        ("去/v 北京/ns 开会/v", "(VP 去 (NP 北京) (VP 开会))"),
        ("变/v 好/a", "(VP 变 好)"),
        ("使/v 老师/n 高兴/a", "(VP 使 (IP (NP 老师) (VP 高兴)))"),
        ("帮助/v 他们/r 树立/v 信心/n", "(VP 帮助 (NP 他们) (VP 树立 (NP 信心)))"),
        # an adverb of tense shows that the noun is a subject
        ("见/v 工程/n 已经/d 完成/v", "(VP 见 (IP (NP 工程) (VP 已经 完成)))"),
    ],
)
def test_verbs_take_what_follows(tagged: str, expected: str) -> None:
    assert write_brackets([predicate_tree(chunks_of(tagged))]).strip() == expected


def test_the_phrase_of_a_preposition_goes_to_its_verb() -> None:
    assert bracketed("他/r 住/v 在/p 北京/ns") == "(IP (NP 他) (VP 住 (PP 在 (NP 北京))))"
    assert bracketed("他/r 开始/v 在/p 北京/ns 工作/v") == "(IP (NP 他) (VP 开始 (VP (PP 在 (NP 北京)) 工作)))"


def test_a_long_series_is_not_nested_without_end() -> None:
    tree = predicate_tree(chunks_of("写/v " * 50))
    depth = 0
    part: Tree | str = tree
    while isinstance(part, Tree):
        depth, part = depth + 1, part.children[-1]
    assert depth == DEEPEST
    assert len(tree.words()) == 50
