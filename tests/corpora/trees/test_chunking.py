"""Are chunked trees trees, over the words of the sentence, within their bounds, and what a linguist would draw?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.corpora.tagged import PKU_TAGS
from hengliang.corpora.trees import chunk_words as classes
from hengliang.corpora.trees.chunking import CHAIN, DEPTH, ROOT, chunked_tree
from hengliang.corpora.trees.constituents import Tree
from hengliang.tagging import read_gold
from tests.corpora.trees.tagged_examples import bracketed

LABELS = {"S", "IP", "VP", "CP", "NP", "QP", "DP", "ADJP", "DNP", "DVP", "LCP", "PP", "PRN", "QUO"}
MARKS = ["，", "。", "、", "：", "“", "”", "（", "）", "《", "》", "‘", "’", "……"]
KEYWORDS = sorted({word for name in dir(classes) if name.isupper() for word in getattr(classes, name)})


@pytest.mark.parametrize(
    ("tagged", "expected"),
    [
        # subordination
        (
            "如果/c 经理/n 熟悉/v 的/u 客户/n 不/d 接受/v 合同/n ，/w 公司/n 就/d 会/v 修改/v 合同/n 。/w",
            "(CP 如果 (NP (CP (NP 经理) (VP 熟悉) 的) 客户) (VP 不 接受 (NP 合同))) ， "
            "(IP (NP 公司) (VP 就 会 修改 (NP 合同))) 。",
        ),
        (
            "尽管/c 从事/v 科研/vn 的/u 专家/n 提出/v 了/u 建议/n ，/w 厂长/n 还是/d 没有/d 采纳/v 建议/n 。/w",
            "(CP 尽管 (NP (CP (VP 从事 (NP 科研)) 的) 专家) (VP 提出 了 (NP 建议))) ， "
            "(IP (NP 厂长) (VP 还是 没有 采纳 (NP 建议))) 。",
        ),
        (
            "一旦/d 大学/n 培养/v 的/u 科学家/n 发现/v 了/u 规律/n ，/w 工程师/n 就/d 会/v 利用/v 规律/n 。/w",
            "(CP 一旦 (NP (CP (NP 大学) (VP 培养) 的) 科学家) (VP 发现 了 (NP 规律))) ， "
            "(IP (NP 工程师) (VP 就 会 利用 (NP 规律))) 。",
        ),
        # what is missing gets no place
        ("儿子/n 成为/v 了/u 。/w", "(IP (NP 儿子) (VP 成为 了)) 。"),
        # clauses between commas
        ("他/r 来/v 了/u ，/w 写/v 了/u 书/n 。/w", "(IP (NP 他) (VP 来 了)) ， (VP 写 了 (NP 书)) 。"),
        # quotations, terms and titles
        (
            "他/r 说/v ：/w “/w 我/r 不/d 去/v ，/w 你/r 去/v 吧/y 。/w ”/w",
            "(IP (NP 他) (VP 说)) ： (QUO “ (IP (NP 我) (VP 不 去)) ， (IP (NP 你) (VP 去) 吧) 。 ”)",
        ),
        ("他/r 反对/v “/w 下岗/v ”/w 政策/n", "(IP (NP 他) (VP 反对 (NP (NP “ (VP 下岗) ”) 政策)))"),
        (
            "《/w 春天/t 的/u 故事/n 》/w 是/v 一/m 首/q 好/a 歌/n 。/w",
            "(IP (NP 《 (DNP 春天 的) 故事 》) (VP 是 (NP (QP 一 首) 好 歌))) 。",
        ),
        ("张/nr 明/nr （/w 右/f ）/w 来/v 了/u", "(IP (NP 张 明 (PRN （ (NP 右) ）)) (VP 来 了))"),
        # a mark without its partner stands alone
        ("他/r 走/v 了/u 。/w ”/w", "(IP (NP 他) (VP 走 了)) 。 ”"),
        ("“/w ”/w", "“ ”"),
    ],
)
def test_sentences_are_drawn_as_expected(tagged: str, expected: str) -> None:
    assert bracketed(tagged) == expected


def faults(tree: Tree) -> list[str]:
    """Return what is wrong with a tree apart from its words."""
    found: list[str] = []
    waiting: list[tuple[Tree, int, int, tuple[str, ...]]] = [(tree, 1, 1, ())]
    while waiting:
        part, chain, depth, whole_of = waiting.pop()
        if not part.children:
            found.append(f"{part.label} is empty")
        if part.label not in LABELS or (part.label == ROOT) != (depth == 1):
            found.append(f"{part.label} at depth {depth}")
        if chain > CHAIN or depth > DEPTH:
            found.append(f"{part.label} is number {chain} of a chain, {depth} deep")
        if part.label in whole_of:
            found.append(f"{part.label} is all of {part.label}")
        only = len(part.children) == 1
        for place, child in enumerate(part.children):
            if isinstance(child, Tree):
                above = (*whole_of, part.label) if only else ()
                waiting.append((child, chain + 1 if place == 0 else 1, depth + 1, above))
    return found


TOKENS = st.tuples(
    st.sampled_from([*KEYWORDS, *"的了着过地得等、个人", "某", "国家"]), st.sampled_from(sorted(PKU_TAGS))
) | st.tuples(st.sampled_from(MARKS), st.just("w"))
LIKELY = st.sampled_from(
    [("人", "n"), ("他", "r"), ("来", "v"), ("有", "v"), ("使", "v"), ("了", "u"), ("的", "u"), ("在", "p"),
     ("对", "p"), ("上", "f"), ("后", "f"), ("一", "m"), ("个", "q"), ("这", "r"), ("大", "a"), ("很", "d"),
     ("和", "c"), ("而", "c"), ("如果", "c"), ("，", "w"), ("、", "w"), ("“", "w"), ("”", "w")]
)  # fmt: skip


@given(st.lists(TOKENS | LIKELY, min_size=1, max_size=40))
def test_any_words_and_tags_have_a_tree(tokens: list[tuple[str, str]]) -> None:
    words, tags = [word for word, _ in tokens], [tag for _, tag in tokens]
    tree = chunked_tree(words, tags)
    assert list(tree.words()) == words
    assert faults(tree) == []
    assert chunked_tree(words, tags) == tree


@pytest.mark.parametrize(
    "tagged",
    [
        "来/v",
        "在/p",
        "为/p 来/v",
        "人/n 的/u",
        "有/v 人/n 的/u",
        "“/w",
        "人/n 后/f",
        "来/v 后/f",
        "人/n 和/c",
        "来/v 得/u",
    ],
)
def test_long_repetitions_stay_within_the_bounds(tagged: str) -> None:
    words, tags = read_gold(tagged)
    tree = chunked_tree(words * 500, tags * 500)
    assert tree.words() == words * 500
    assert faults(tree) == []


def test_nested_marks_stay_within_the_bounds() -> None:
    words = ["“"] * 300 + ["人"] + ["”"] * 300
    tree = chunked_tree(words, ["w"] * 300 + ["n"] + ["w"] * 300)
    assert list(tree.words()) == words
    assert faults(tree) == []


@pytest.mark.parametrize(("word", "tag"), [("书", "NN"), ("书", "NOUN"), ("书", ""), ("走", "VV"), ("的", "ude1")])
def test_tags_of_other_sets_are_refused(word: str, tag: str) -> None:
    with pytest.raises(UserError, match=rf"'{tag}', the tag of '{word}', is no tag of the PKU set") as caught:
        chunked_tree(["他", word], ["r", tag])
    assert "Tags: " in str(caught.value)


def test_words_and_tags_must_match() -> None:
    with pytest.raises(UserError, match="2 words have 1 tags"):
        chunked_tree(["他", "走"], ["r"])
    with pytest.raises(UserError, match="without words"):
        chunked_tree([], [])


def test_stray_tags_of_the_default_corpus_are_known() -> None:
    assert chunked_tree(["他", "面试"], ["r", "vvn"]).words() == ("他", "面试")
