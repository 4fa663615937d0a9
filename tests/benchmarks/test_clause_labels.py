"""Does the ablation of clause labels change the labels that it says, and nothing else?"""

from __future__ import annotations

from benchmarks.clause_labels import labels, subordinators, without_clause_label

from hengliang.corpora import chunked_tree
from hengliang.corpora.trees import SUBORDINATORS
from hengliang.grammar import suites


def test_subordinate_clauses_are_renamed_and_relative_ones_are_not() -> None:
    words = ["如果", "他", "买", "了", "女儿", "喜欢", "的", "车", "，", "我", "就", "放心", "。"]
    tree = chunked_tree(words, ["c", "r", "v", "u", "n", "v", "u", "n", "w", "r", "d", "v", "w"])
    renamed = without_clause_label(tree)
    assert renamed.words() == tree.words()
    changed = [pair for pair in zip(labels([tree]), labels([renamed]), strict=True) if len(set(pair)) == 2]
    assert changed == [("CP", "IP")]  # the clause of 如果; 女儿 喜欢 的 stays a CP
    assert list(labels([renamed])).count("CP") == 1


def test_every_subordinator_of_the_suites_is_in_the_list() -> None:
    found = subordinators(suites("subordination").items())
    assert len(found) == 7 and set(found) <= SUBORDINATORS
