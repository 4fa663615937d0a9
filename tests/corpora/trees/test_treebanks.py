"""Do sentences have their trees, in the order and the parts of the running text?"""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.corpora.catalogue import DEFAULT_CORPUS, locate
from hengliang.corpora.parts import PARTS, Part
from hengliang.corpora.running_text import RunningText, read_running_text
from hengliang.corpora.trees import treebanks
from hengliang.corpora.trees.constituents import Tree
from hengliang.corpora.trees.treebanks import Treebank, read_treebank

CONLLU = (
    "1\t{}\t_\tPRON\tPN\t_\t2\tnsubj\t_\t_\n"
    "2\t走\t_\tVERB\tVV\t_\t0\troot\t_\t_\n"
    "3\t。\t_\tPUNCT\tPU\t_\t2\tpunct\t_\t_\n"
)


def write(path: Path, content: str) -> str:
    path.write_text(content, encoding="utf-8")
    return str(path)


def tagged_file(folder: Path) -> str:
    lines = [f"第{number}/m 天/q 他/r 走/v 了/u 。/w 我/r 买/v 书/n" for number in range(40)]
    return write(folder / "t.pku", "\n".join(lines) + "\n")


def mismatches(bank: Treebank, text: RunningText) -> list[tuple[Part, int]]:
    """Return the places where a tree has other words than the sentence of the same number in the same part."""
    found: list[tuple[Part, int]] = []
    for part in PARTS:
        lines = text.sentences.filter(text.sentences["part"] == part)["line"].to_list()
        if len(lines) != len(bank.trees[part]):
            found.append((part, -1))
        pairs = zip(lines, bank.trees[part], strict=False)
        found.extend((part, number) for number, (line, tree) in enumerate(pairs) if " ".join(tree.words()) != line)
    return found


@pytest.mark.parametrize("trees", ["given", "right-branching", "shuffled"])
def test_tagged_text_is_chunked(tmp_path: Path, trees: str) -> None:
    data = tagged_file(tmp_path)
    bank, text = read_treebank(data, trees), read_running_text(data)
    assert mismatches(bank, text) == []
    assert (bank.name, bank.licence, bank.checksum) == ("t.pku", "unclear", text.checksum)
    assert bank.kind == ("chunked" if trees == "given" else trees)
    # 40 paragraphs of two sentences make 20 blocks; of each ten the fifth is dev and the tenth test.
    assert {part: len(held) for part, held in bank.trees.items()} == {"train": 64, "dev": 8, "test": 8}


def test_trees_are_those_of_their_kind(tmp_path: Path) -> None:
    data = tagged_file(tmp_path)
    second = Tree("S", (Tree("IP", (Tree("NP", ("我",)), Tree("VP", ("买", Tree("NP", ("书",)))))),))
    assert read_treebank(data).trees["dev"][1] == second
    assert read_treebank(data, "right-branching").trees["dev"][1] == Tree("X", ("我", Tree("X", ("买", "书"))))


def test_shuffled_trees_follow_their_seed_and_stay_in_their_part(tmp_path: Path) -> None:
    rows = ["(S (NP (N 人{0})) (VP (V 来)))", "(S (ADV 快) (V 来{0}))"]
    content = "".join(rows[number % 7 > 2].format(number) + "\n" for number in range(60))
    data = write(tmp_path / "a.brackets", content)
    first, again, other = (read_treebank(data, "shuffled", seed=seed) for seed in (1, 1, 2))
    assert first.trees["train"] == again.trees["train"]
    assert first.trees["train"] != other.trees["train"]
    given = read_treebank(data)
    for part in PARTS:
        shapes = [
            sorted(str(tree.label) + str(len(tree.children)) for tree in bank.trees[part]) for bank in (given, first)
        ]
        assert shapes[0] == shapes[1]


def test_dependencies_are_projected_and_not_cut_again(tmp_path: Path) -> None:
    rows = CONLLU.format("他")
    twice = rows + "4\t再\t_\tADV\tAD\t_\t2\tadvmod\t_\t_\n"
    data = write(tmp_path / "a.conllu", "\n".join([rows, twice] * 20))
    bank, text = read_treebank(data), read_running_text(data)
    assert bank.kind == "projected"
    assert mismatches(bank, text) == []
    assert sum(len(held) for held in bank.trees.values()) == 40
    assert "他 走 。 再" in text.sentences["line"].to_list()


@pytest.mark.parametrize("suffix", [".brackets", ".mrg", ".ptb", ".nid", ".fid"])
def test_brackets_are_the_trees_of_their_annotators(tmp_path: Path, suffix: str) -> None:
    tree = "( (IP (NP-SBJ (PN 他)) (VP (VV 说) (PU 。) (VV 走))) )\n"
    data = write(tmp_path / f"a{suffix}", tree * 20)
    bank, text = read_treebank(data), read_running_text(data)
    assert bank.kind == "annotated"
    assert mismatches(bank, text) == []
    assert set(text.sentences["line"]) == {"他 说 。 走"}
    assert text.segmenter == "given"


def test_long_sentences_are_left_out_of_both(tmp_path: Path) -> None:
    data = write(tmp_path / "a.ptb", "(S (A 他) (B 走))\n(S (A 他) (B 走) (C 了))\n" * 20)
    bank, text = read_treebank(data, longest=2), read_running_text(data, longest=2)
    assert mismatches(bank, text) == []
    assert sum(len(held) for held in bank.trees.values()) == 20
    assert sum(text.dropped.values()) == 20


def test_a_tree_with_other_words_is_refused_with_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = write(tmp_path / "a.brackets", "(S (A 他) (B 走))\n" * 20)

    def others(form: str, paths: tuple[Path, ...]) -> list[Tree]:
        return [Tree("S", ("他", "走"))] * 4 + [Tree("S", ("他", "来"))] * 16

    monkeypatch.setattr(treebanks, "read_trees", others)
    treebanks._given.cache_clear()
    with pytest.raises(UserError, match="paragraph 5, sentence 1: word 2 is '走' in the text and '来' in the tree"):
        read_treebank(data)
    monkeypatch.setattr(treebanks, "read_trees", lambda form, paths: [Tree("S", ("他", "走", "了"))] * 20)
    with pytest.raises(UserError, match="sentence 1: word 3 is nothing in the text and '了' in the tree"):
        read_treebank(data)
    monkeypatch.setattr(treebanks, "read_trees", lambda form, paths: [Tree("S", ("他", "走"))] * 19)
    with pytest.raises(UserError, match="paragraph 20, sentence 1 has no tree"):
        read_treebank(data)


def test_a_word_with_a_space_is_no_word_of_the_text(tmp_path: Path) -> None:
    rows = CONLLU.format("张 三")
    data = write(tmp_path / "a.conllu", "\n".join([rows] * 20))
    with pytest.raises(UserError, match="sentence 1: the word '张 三' has a space in it"):
        read_treebank(data)


def test_tags_of_another_set_are_refused_with_their_line(tmp_path: Path) -> None:
    data = write(tmp_path / "a.pku", "他/r 走/v\n" * 20 + "他/PN 走/VV\n")
    with pytest.raises(
        UserError, match=r"a\.pku, line 21, sentence 1: 'PN', the tag of '他', is no tag of the PKU set"
    ):
        read_treebank(data)


def test_plain_text_has_no_trees_but_can_branch_to_the_right(tmp_path: Path) -> None:
    data = write(tmp_path / "a.txt", "他 走 了 。\n" * 20)
    for trees in ("given", "shuffled"):
        with pytest.raises(UserError, match="is plain text: it has no trees"):
            read_treebank(data, trees)
    bank = read_treebank(data, "right-branching")
    assert mismatches(bank, read_running_text(data)) == []


def test_unknown_trees_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="given, right-branching, shuffled"):
        read_treebank(tagged_file(tmp_path), "left-branching")


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    data = write(tmp_path / "a.ptb", "(S (A 他) (B 走))\n" * 20)
    assert read_treebank(data).trees["train"][0].words() == ("他", "走")
    write(tmp_path / "a.ptb", "(S (A 我) (B 来))\n" * 20)
    assert read_treebank(data).trees["train"][0].words() == ("我", "来")


@pytest.mark.untraced
def test_real_tagged_text_has_a_tree_a_sentence(tmp_path: Path) -> None:
    (corpus,) = locate(DEFAULT_CORPUS)
    with corpus.open(encoding="utf-8") as lines:
        data = write(tmp_path / "beginning.pku", "".join(islice(lines, 2000)))
    bank = read_treebank(data)
    assert mismatches(bank, read_running_text(data)) == []
    assert read_treebank(data).trees["dev"] is bank.trees["dev"]
    sentences = [tree for held in bank.trees.values() for tree in held]
    words = sum(len(tree.words()) for tree in sentences)
    constituents = sum(isinstance(part, Tree) for tree in sentences for part in tree.parts())
    # In the whole corpus there are 0.59 constituents a word below the root, as docs/silver-trees.md says.
    assert 0.5 < constituents / words < 0.7


@pytest.mark.untraced
@pytest.mark.parametrize("trees", ["given", "right-branching"])
def test_of_each_part_the_first_sentences_can_be_read_alone(trees: str, tmp_path: Path) -> None:
    data = tagged_file(tmp_path)
    whole, some = read_treebank(data, trees), read_treebank(data, trees, first={"train": 3, "dev": 1})
    assert some.trees["train"] == whole.trees["train"][:3]
    assert some.trees["dev"] == whole.trees["dev"][:1]
    assert some.trees["test"] == whole.trees["test"]


@pytest.mark.mirror
@pytest.mark.parametrize(
    ("data", "kind", "sentences"),
    [
        ("sinica-treebank", "annotated", 10_000),
        # 3,997 sentences, one of them of more than a hundred words
        ("ud-chinese-gsd-2016", "projected", 3_996),
        ("ud-chinese-gsdsimp", "projected", 1_000),
    ],
)
def test_treebanks_of_the_catalogue_are_read(mirror: Path, data: str, kind: str, sentences: int) -> None:
    bank, text = read_treebank(data), read_running_text(data)
    assert bank.kind == kind
    assert mismatches(bank, text) == []
    assert sum(len(held) for held in bank.trees.values()) == sentences


def test_a_word_with_a_space_of_any_kind_is_named(tmp_path: Path) -> None:
    path = tmp_path / "wide.mrg"
    path.write_text("(IP (PN 我) (VV 走))\n" * 9 + "(IP (PN 他\u3000们) (VV 走))\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"wide\.mrg, paragraph 10, sentence 1: the word '他\s们' has a space in it"):
        read_treebank(str(path))
