"""Are nouns joined across conjunctions, and only where they belong together?"""

from __future__ import annotations

import pytest

from hengliang.corpora.trees.phrases import coordinated
from tests.corpora.trees.tagged_examples import chunks_of, shown, words_of


@pytest.mark.parametrize(
    ("tagged", "expected"),
    [
        ("老师/n 、/w 学生/n 和/c 家长/n", "noun[(NP 老师 、 学生 和 家长)]"),
        ("老师/n 和/c 新/a 学生/n", "noun[(NP (NP 老师) 和 (NP 新 学生))]"),
        ("三/m 个/q 老师/n 和/c 学生/n", "quantity[(QP 三 个)] noun[(NP 老师 和 学生)]"),
        (
            "三/m 个/q 老师/n 和/c 两/m 个/q 学生/n",
            "noun[(NP (NP (QP 三 个) 老师) 和 (NP (QP 两 个) 学生))]",
        ),
        ("北京/ns 、/w 上海/ns 等/u 城市/n", "noun[(NP (NP 北京 、 上海 等) 城市)]"),
        ("书/n 、/w 报/n 等/u", "noun[(NP 书 、 报 等)]"),
        ("北京/ns 等/u 三/m 个/q 城市/n", "noun[(NP (NP 北京 等) (QP 三 个) 城市)]"),
        # what a noun with 的 modifies comes first where both sides have one
        ("的/u 老师/n 和/c 我/r 的/u", "de[的] noun[老师] conjunction[和] noun[我] de[的]"),
        ("老师/n 和/c 他/r 的/u", "noun[老师] conjunction[和] noun[他] de[的]"),
        ("老师/n 和/c 学生/n 的/u", "noun[(NP 老师 和 学生)] de[的]"),
        ("写/v 和/c 书/n", "verb[写] conjunction[和] noun[书]"),
    ],
)
def test_members_of_one_kind_are_joined(tagged: str, expected: str) -> None:
    assert shown(chunks_of(tagged)) == expected


def test_late_in_the_cascade_nothing_has_to_wait() -> None:
    chunks = words_of("老师/n 和/c 他/r 的/u")
    assert shown(coordinated(chunks, early=True)) == "noun[老师] conjunction[和] noun[他] de[的]"
    assert shown(coordinated(chunks, early=False)) == "noun[(NP 老师 和 他)] de[的]"
