"""Which trees are properties tried on?"""

from __future__ import annotations

from hypothesis import strategies as st

from hengliang.corpora.trees.constituents import Tree

LABELS = st.sampled_from(["S", "NP", "VP", "得‧VP", "-LRB-", "NP-SBJ", "0"])
# Anything that can stand in a file of brackets: no white space that separates, and not the signs for brackets.
WORDS = st.sampled_from(["他", "走", "了", "。", "，", "(", ")", "(a)", "-", "　"]) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters=" \t\r\n"), min_size=1, max_size=4
).filter(lambda word: "RB-" not in word)


def trees(words: st.SearchStrategy[str] = WORDS, labels: st.SearchStrategy[str] = LABELS) -> st.SearchStrategy[Tree]:
    """Return trees of up to twelve words, with constituents of any number of parts, also of one."""

    def constituents(parts: st.SearchStrategy[Tree | str]) -> st.SearchStrategy[Tree]:
        return st.builds(Tree, labels, st.lists(parts, min_size=1, max_size=4).map(tuple))

    below: st.SearchStrategy[Tree | str] = st.recursive(words, constituents, max_leaves=12)
    return constituents(below)


def deep_tree(length: int) -> Tree:
    """Return a tree in which every word but the last stands beside a constituent of all words after it."""
    tree = Tree("X", (f"词{length}",))
    for number in range(length - 1, 0, -1):
        tree = Tree("X", (f"词{number}", tree))
    return tree
