"""Are the trees of all files read, plain and in order?"""

from __future__ import annotations

from pathlib import Path

from hengliang.materials.trees.constituents import Tree
from hengliang.materials.trees.tree_files import read_trees

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
    assert list(read_trees("dependencies", [path])) == [Tree("VP", ("他", "走"))] * 2


def test_the_sinica_treebank_is_read(tmp_path: Path) -> None:
    path = put(tmp_path / "parsed", "#1:1.[1] S(agent:NP(Head:Nhaa:他)|Head:VA11:走)#。(PERIODCATEGORY)\n")
    (tree,) = read_trees("sinica", [path])
    assert tree.words() == ("他", "走", "。")


def test_plain_and_tagged_text_has_no_trees_of_its_own(tmp_path: Path) -> None:
    path = put(tmp_path / "a.txt", "他 走 。\n")
    assert list(read_trees("plain", [path])) == list(read_trees("tagged", [path])) == []
