"""Are the trees of the Sinica treebank read with their labels in order and their punctuation in place?"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.corpora.trees.constituents import Tree
from hengliang.corpora.trees.sinica import phrase_of, read_sinica

GOOD = "#1:1.[7] S(agent:NP(Head:Nhaa:他)|Head:VC2:買|goal:NP(property:VH13:新|Head:Nab:書))#。(PERIODCATEGORY)"
SENTENCE = Tree("S", (Tree("NP", ("他",)), "買", Tree("NP", ("新", "書")), "。"))


def treebank(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def only(tmp_path: Path, tree: str, end: str = "#") -> Tree:
    (found,) = read_sinica(treebank(tmp_path / "parsed", f"#1:1.[0] {tree}{end}"))
    return found


@pytest.mark.parametrize("number", ["#1:1.[7] ", "#1:00001..[7] ", "#12:3.4.[0] ", "#9:.[0] "])
def test_roles_and_parts_of_speech_are_left_out(tmp_path: Path, number: str) -> None:
    file = treebank(tmp_path / "parsed", number + GOOD.partition(" ")[2], "", GOOD)
    assert list(read_sinica(file)) == [SENTENCE, SENTENCE]


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ("#", ()),
        ("#，(COMMACATEGORY)", ("，",)),
        ("# ？(QUESTIONCATEGORY)", ("？",)),
        ("#　…(ETCCATEGORY) ", ("…",)),
    ],
)
def test_the_mark_is_the_last_word_under_the_root(tmp_path: Path, end: str, words: tuple[str, ...]) -> None:
    assert only(tmp_path, "VP(Head:VA4:走|aspect:Di:了)", end) == Tree("VP", ("走", "了", *words))


def test_a_constituent_of_nothing_but_its_like_is_one(tmp_path: Path) -> None:
    coordination = "NP(Head:Nab(DUMMY1:Nab:貓|Head:Caa:和|DUMMY2:Nab:狗))"
    assert only(tmp_path, coordination, "#。(PERIODCATEGORY)") == Tree("NP", ("貓", "和", "狗", "。"))
    assert only(tmp_path, f"VP(Head:VP(Head:VC2:看|goal:{coordination}))") == Tree(
        "VP", ("看", Tree("NP", ("貓", "和", "狗")))
    )
    assert only(tmp_path, "NP(predication:VP‧的(head:VP(Head:VA4:走)|Head:DE:的))") == Tree(
        "NP", (Tree("CP", (Tree("VP", ("走",)), "的")),)
    )


def test_a_role_too_many_does_no_harm(tmp_path: Path) -> None:
    assert only(tmp_path, "NP(property:Head:Nab:貓|Head:head:Nab:狗)") == Tree("NP", ("貓", "狗"))


# One for each way in which the labels of the treebank are made.
LABELS = {
    **{"NP": "NP", "VP": "VP", "S": "S", "PP": "PP", "GP": "GP", "NP[+theme]": "NP"},
    **{"N‧的": "DNP", "NP‧的": "DNP", "GP‧的": "DNP", "PP‧的": "DNP", "A‧的": "DNP", "DM‧的": "DNP", "ADV‧的": "DNP"},
    **{"V‧的": "CP", "VP‧的": "CP", "S‧的": "CP"},
    **{"V‧地": "DVP", "ADV‧地": "DVP", "S‧地": "DVP", "N‧地": "DVP", "DM‧地": "DVP"},
    **{"得‧V": "VP", "得‧VP": "VP", "得‧S": "S", "得‧NP": "NP"},
    **{"N": "NP", "Nab": "NP", "Nv4": "NP", "Ndabd": "NP", "V": "VP", "VH11": "VP", "V_11": "VP", "VC31": "VP"},
    **{"DM": "QP", "Neu": "QP", "Neqa": "QP", "A": "ADJP", "ADV": "ADVP", "Dh": "ADVP", "Dbaa": "ADVP"},
    **{"Caa": "CONJP", "conjunction": "CONJP", "interjection": "INTJ", "goal": "NP"},
}


@pytest.mark.parametrize(("label", "expected"), LABELS.items())
def test_labels(label: str, expected: str) -> None:
    assert phrase_of(label) == expected


@pytest.mark.parametrize("label", ["", "X", "XP", "agent", "NP‧", "‧的", "的‧NP", "NP‧得", "得‧XP", "ADJP", "的"])
def test_no_labels(label: str) -> None:
    assert phrase_of(label) == ""


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("他買書。", "'他買書。' begins no line of the Sinica treebank"),
        ("(IP (NP 他))", "begins no line"),
        ("#1:1.[0] NP(Head:Nab:書)", "begins no line"),
        ("#1:1.[0] NP(Head:Nab:書)#。", "begins no line"),
        ("#1:1.[0] NP(Head:Nab:書#", "1 of the brackets never close"),
        ("#1:1.[0] S(agent:NP(Head:Nab:書#", "2 of the brackets never close"),
        ("#1:1.[0] NP(Head:Nab:書))#", "a bracket closes that was never opened"),
        ("#1:1.[0] NP()#", "a constituent 'NP' is empty"),
        ("#1:1.[0] NP(Head:Nab:書|)#", r"a part is missing between '|' and '\)'"),
        ("#1:1.[0] NP(|Head:Nab:書)#", r"a part is missing between '\(' and '|'"),
        ("#1:1.[0] NP((Head:Nab:書))#", r"a part is missing between '\(' and '\('"),
        ("#1:1.[0] S(NP(Head:Nab:書)VP(Head:VA4:走))#", r"no '\|' between '\)' and 'VP'"),
        ("#1:1.[0] S(agent:NP(Head:Nab:書)(Head:Nab:貓))#", r"no '\|' between '\)' and '\('"),
        ("#1:1.[0] XP(Head:Nab:書)#", "'XP' is no label"),
        ("#1:1.[0] S(agent:(Head:Nab:書))#", "a constituent has no label"),
        ("#1:1.[0] NP(Head:Nab:)#", "'Head:Nab:' is no word with its part of speech"),
        ("#1:1.[0] NP(書)#", "'書' is no word with its part of speech"),
        ("#1:1.[0] Head:Nab:書#", "there are 1 parts side by side"),
        ("#1:1.[0] NP(Head:Nab:書)|NP(Head:Nab:貓)#", "there are 2 parts side by side"),
    ],
)
def test_broken_lines_are_named_and_can_be_left_out(tmp_path: Path, line: str, fault: str) -> None:
    file = treebank(tmp_path / "parsed", GOOD, line, GOOD)
    with pytest.raises(UserError, match=f"line 2: .*{fault}") as caught:
        list(read_sinica(file))
    assert str(file) in caught.value.problem
    reading = read_sinica(file, errors="skip")
    assert list(reading) == [SENTENCE, SENTENCE]
    assert reading.skipped == 1


def test_an_encoding_that_is_another(tmp_path: Path) -> None:
    file = tmp_path / "parsed"
    file.write_bytes((GOOD + "\n").encode("utf-8") + GOOD.encode("big5hkscs", "replace"))
    with pytest.raises(UserError, match="line 2 is not utf-8"):
        list(read_sinica(file))
    assert list(read_sinica(file, errors="skip")) == [SENTENCE]
    file.write_bytes(GOOD.encode("big5"))
    assert list(read_sinica(file, encoding="big5")) == [SENTENCE]


def test_a_file_that_is_no_treebank(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no trees"):
        list(read_sinica(treebank(tmp_path / "a.txt", "", " ")))
    with pytest.raises(UserError, match="holds no trees: all of its 2 lines"):
        list(read_sinica(treebank(tmp_path / "a.txt", "好", "嗎"), errors="skip"))


@given(text=st.text(st.sampled_from("NPVS:|()書#[]1. 的‧得"), max_size=40))
def test_any_line_is_read_or_refused(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = treebank(tmp_path_factory.mktemp("any") / "parsed", GOOD, f"#1:1.[0] {text}#")
    found = list(read_sinica(file, errors="skip"))
    assert found[0] == SENTENCE
    assert all(tree.words() and all(tree.words()) for tree in found)


def test_a_tree_as_deep_as_its_sentence_is_long(tmp_path: Path) -> None:
    nested = "VP(Head:VE2:說|goal:" * 300 + "VP(Head:VA4:走)" + ")" * 300
    assert only(tmp_path, nested).words() == ("說",) * 300 + ("走",)


@pytest.mark.mirror
def test_all_trees_of_the_treebank(mirror: Path) -> None:
    reading = read_sinica(mirror / "sinica_treebank" / "parsed", errors="skip")
    trees = list(reading)
    assert (len(trees), reading.skipped) == (10_000, 0)
    # Counted with: grep -oP '(?<=[(|])[^()|]+(?=[)|])' parsed | wc -l gives 91,634 words, and
    # grep -c 'CATEGORY)' parsed gives 9,989 marks; eleven lines end without one.
    assert sum(len(tree.words()) for tree in trees) == 91_634 + 9_989
    labels = Counter(part.label for tree in trees for part in (tree, *tree.parts()) if isinstance(part, Tree))
    assert labels == {
        **{"NP": 27_994, "VP": 10_438, "S": 8_267, "PP": 4_200, "CP": 3_548, "DNP": 2_583, "GP": 1_150, "DVP": 336},
        **{"QP": 168, "ADVP": 19, "INTJ": 6, "ADJP": 5, "CONJP": 4},
    }
