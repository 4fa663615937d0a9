"""Are the trees of all files read, plain and in order?"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.corpora.trees.brackets import write_brackets
from hengliang.corpora.trees.chunking import chunked_tree
from hengliang.corpora.trees.constituents import Tree
from hengliang.corpora.trees.files import has_parts_of_speech, read_trees

CONLLU = "1\t他\t他\tPRON\tPN\t_\t2\tnsubj\t_\t_\n2\t走\t走\tVERB\tVV\t_\t0\troot\t_\t_\n"


def put(path: Path, content: str) -> Path:
    path.write_text(content, encoding="utf-8")
    return path


def test_brackets_lose_parts_of_speech_and_trees_without_words(tmp_path: Path) -> None:
    first = put(tmp_path / "1.mrg", "( (IP (NP-SBJ (PN 他)) (VP (VV 走))) )\n(IP (NP (-NONE- *pro*)))\n")
    second = put(tmp_path / "2.mrg", "(VP (VV 来) (AS 了))\n")
    found = list(read_trees("brackets", [first, second]))
    assert found == [Tree("IP", (Tree("NP", ("他",)), Tree("VP", ("走",)))), Tree("VP", ("来", "了"))]


def test_dependencies_are_projected(tmp_path: Path) -> None:
    path = put(tmp_path / "a.conllu", CONLLU + "\n" + CONLLU)
    assert list(read_trees("conllu", [path])) == [Tree("VP", ("他", "走"))] * 2


def test_the_sinica_treebank_is_read(tmp_path: Path) -> None:
    path = put(tmp_path / "parsed", "#1:1.[1] S(agent:NP(Head:Nhaa:他)|Head:VA11:走)#。(PERIODCATEGORY)\n")
    (tree,) = read_trees("sinica", [path])
    assert tree.words() == ("他", "走", "。")


def test_plain_and_tagged_text_has_no_trees_of_its_own(tmp_path: Path) -> None:
    path = put(tmp_path / "a.txt", "他 走 。\n")
    assert list(read_trees("plain", [path])) == list(read_trees("pku", [path])) == []


def test_phrases_of_one_word_stay_where_there_are_no_parts_of_speech(tmp_path: Path) -> None:
    trees = [chunked_tree(["他", "买", "了", "书", "。"], ["r", "v", "u", "n", "w"])] * 3
    assert write_brackets(trees).startswith("(S (IP (NP 他) (VP 买 了 (NP 书))) 。)")
    path = put(tmp_path / "silver.brackets", write_brackets(trees))
    assert list(read_trees("brackets", [path])) == trees


WORDS = st.sampled_from(["他", "走", "书"])
PHRASES = st.recursive(
    WORDS,
    lambda parts: st.builds(Tree, st.sampled_from(["NP", "VP"]), st.lists(parts, min_size=2, max_size=3).map(tuple)),
    max_leaves=6,
)


@given(st.lists(st.builds(Tree, st.just("S"), st.tuples(PHRASES, WORDS)), min_size=1, max_size=4))
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, trees: list[Tree]) -> None:
    path = put(tmp_path_factory.mktemp("written") / "a.brackets", write_brackets(trees))
    assert list(read_trees("brackets", [path])) == trees


def test_a_few_words_without_parts_of_speech_are_mistakes() -> None:
    tagged = Tree("VP", (Tree("VV", ("走",)), Tree("AS", ("了",))))
    odd = Tree("VP", (Tree("VV", ("走",)), "了"))
    assert has_parts_of_speech([tagged] * 50, Path("a.mrg"))
    assert not has_parts_of_speech([odd, tagged], Path("a.mrg"))
    with pytest.raises(UserError, match=r"tree 51: the word '了' in the constituent 'VP' has no part of speech"):
        has_parts_of_speech([*[tagged] * 50, odd], Path("a.mrg"))
