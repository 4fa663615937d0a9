"""Are labelled brackets read and written without loss, and is only what a model does not want taken away?"""

from __future__ import annotations

import tracemalloc
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.corpora.trees.brackets import plain_tree, read_brackets, write_brackets
from hengliang.corpora.trees.constituents import Tree
from tests.corpora.trees.tree_strategies import deep_tree, trees

T = Tree
HE_WENT = T("IP", (T("NP", (T("PN", ("他",)),)), T("VP", (T("VV", ("走",)),))))


def penn(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def plain(text: str) -> Tree | None:
    """Return the plain tree of brackets without words that need care."""
    open_parts: list[list[Tree | str]] = [[]]
    labels: list[str] = []
    for token in text.replace("(", " ( ").replace(")", " ) ").split():
        if token == "(":
            open_parts.append([])
            labels.append("?")
        elif token == ")":
            parts = tuple(open_parts.pop())
            open_parts[-1].append(Tree(labels.pop(), parts))
        elif labels[-1] == "?":
            labels[-1] = token if token != "·" else ""
        else:
            open_parts[-1].append(token)
    (tree,) = open_parts[0]
    return plain_tree(tree) if isinstance(tree, Tree) else None


# --- reading --------------------------------------------------------------------------------------------------------


def test_trees_over_one_line_and_over_several(tmp_path: Path) -> None:
    file = penn(
        tmp_path / "a.mrg",
        "(IP (NP (PN 他)) (VP (VV 走))) (NP (NN 书))",
        "",
        "( (IP",
        "    (NP-SBJ (PN 他))",
        "    (VP",
        "      (VV 走) (AS 了))",
        "    (PU 。)) )",
        "( IP ( NP ( PN 他 ) ) ( VP ( VV 走 ) ) )",
    )
    first, second, third, fourth = read_brackets(file)
    assert (first, second, fourth) == (HE_WENT, T("NP", (T("NN", ("书",)),)), HE_WENT)
    assert (third.label, third.words()) == ("", ("他", "走", "了", "。"))
    assert [part.label for part in third.parts() if isinstance(part, Tree)] == [
        *("IP", "NP-SBJ", "PN", "VP", "VV", "AS", "PU")
    ]


def test_the_wrappers_of_the_chinese_treebank(tmp_path: Path) -> None:
    file = penn(
        tmp_path / "a.fid",
        "<DOC>",
        "<DOCID> 自编 1 </DOCID>",
        "<BODY>",
        "<S ID=1>",
        "( (IP (NP (PN 他)) ",
        "      (VP (VV 走))) ) ",
        "</S>",
        "<S ID=2>",
        "( (NP (NN <S>)))",
        "</S>",
        "</BODY>",
        "</DOC>",
    )
    assert list(read_brackets(file)) == [T("", (HE_WENT,)), T("", (T("NP", (T("NN", ("<S>",)),)),))]


def test_words_that_are_brackets_or_spaces(tmp_path: Path) -> None:
    file = penn(tmp_path / "a.mrg", "(NP (-LRB- -LRB-) (NN 书) (PU 　) (-RRB- -RRB-) (NN a-LRB-b-RRB-))")
    (tree,) = read_brackets(file)
    assert tree.words() == ("(", "书", "　", ")", "a(b)")
    assert [part.label for part in tree.parts() if isinstance(part, Tree)] == ["-LRB-", "NN", "PU", "-RRB-", "NN"]


def test_another_encoding_a_byte_order_mark_and_line_ends(tmp_path: Path) -> None:
    (tmp_path / "a.fid").write_bytes("(NP (NN 书))\r\n\r\n(NP\r\n  (NN 人))\r\n".encode("gb18030"))
    assert [tree.words() for tree in read_brackets(tmp_path / "a.fid", encoding="gb18030")] == [("书",), ("人",)]
    (tmp_path / "b.mrg").write_bytes("\ufeff(NP (NN 书))".encode())
    assert [tree.words() for tree in read_brackets(tmp_path / "b.mrg")] == [("书",)]


GOOD = "(NP (NN 好))"


@pytest.mark.parametrize(
    ("lines", "line", "fault"),
    [
        (["(NP (NN 书)"], 2, "a tree begins that is not closed before the end of the file"),
        (["(NP (NN 书)", ""], 2, "a tree begins that is not closed before line 3"),
        (["( (NP", "   (NN 书)", "</S>"], 2, "a tree begins that is not closed before line 4"),
        (["(NP (NN 书)))"], 2, "a bracket closes that was never opened"),
        ([")"], 2, "a bracket closes that was never opened"),
        (["(NP", "  (NN 书)))", "  (NN 人))"], 3, "a bracket closes that was never opened"),
        (["(NP (NN 书) (VP))"], 2, "the constituent 'VP' is empty"),
        (["(NP (NN 书)", "  (VP ))"], 3, "the constituent 'VP' is empty"),
        (["()"], 2, "a constituent is empty"),
        (["(NP (NN 书) ())"], 2, "a constituent is empty"),
        (["(NP)"], 2, "the constituent 'NP' is empty"),
        (["(NP ( (NN 书)))"], 2, "a constituent has no label"),
        (["书 (NN 人)"], 2, "'书' stands outside of all brackets"),
    ],
)
def test_broken_trees_are_named_by_line_and_can_be_left_out(
    tmp_path: Path, lines: list[str], line: int, fault: str
) -> None:
    file = penn(tmp_path / "a.mrg", GOOD, *lines)
    with pytest.raises(UserError) as caught:
        list(read_brackets(file))
    assert caught.value.problem.startswith(f"{file}, line {line}: {fault}")
    assert "errors='skip'" in caught.value.remedy
    penn(file, GOOD, *lines, "(NP (NN 人))")
    reading = read_brackets(file, errors="skip")
    kept = [tree.words() for tree in reading]
    # A tree that closes before a stray bracket is whole.
    assert [words for words in kept if words != ("书",)] == [("好",), ("人",)]
    assert reading.skipped == 1
    assert fault.split(" before ")[0] in reading.problems[0].problem


def test_a_tree_that_never_closes_does_not_swallow_the_others(tmp_path: Path) -> None:
    lines = [f"(NP (NN 书{number}))" for number in range(2500)]
    lines[3] = "(NP (NN 书)"
    reading = read_brackets(penn(tmp_path / "a.mrg", *lines), errors="skip")
    assert len(list(reading)) == 2499
    assert [problem.problem.partition(", ")[2] for problem in reading.problems] == [
        "line 4: a tree begins that is not closed before line 1004."
    ]
    indented = penn(tmp_path / "b.mrg", "( (IP", "   (NP (NN 书))", "( (IP", "   (NP (NN 人))))")
    reading = read_brackets(indented, errors="skip")
    assert [tree.words() for tree in reading] == [("人",)]
    assert reading.skipped == 1


def test_a_line_that_does_not_decode_takes_its_tree_with_it(tmp_path: Path) -> None:
    file = tmp_path / "a.mrg"
    broken_within = b"( (IP\n   (NN \xff)\n   (NN \xe4\xb9\xa6)))\n"
    broken_begin = b"( (IP (NN \xff)\n   (NN \xe4\xb9\xa6)))\n"
    file.write_bytes(GOOD.encode() + b"\n" + broken_within + broken_begin + b"(NP (NN \xff))\n" + GOOD.encode())
    with pytest.raises(UserError, match="line 3 is not utf-8"):
        list(read_brackets(file))
    reading = read_brackets(file, errors="skip")
    assert [tree.words() for tree in reading] == [("好",), ("好",)]
    assert reading.skipped == 3


@pytest.mark.parametrize("errors", ["raise", "skip"])
def test_a_file_that_is_no_treebank(tmp_path: Path, errors: str) -> None:
    prose = penn(tmp_path / "a.txt", "他走了。", "我没走。", "好吗？")
    expected = "line 1: '他走了。' stands outside" if errors == "raise" else "no trees: all of its 3 lines"
    with pytest.raises(UserError, match=expected):
        list(read_brackets(prose, errors=errors))  # type: ignore[arg-type]
    for content in ("", "\n\n", "<DOC>\n</DOC>\n"):
        prose.write_text(content, encoding="utf-8")
        with pytest.raises(UserError, match="holds no trees"):
            list(read_brackets(prose, errors=errors))  # type: ignore[arg-type]


def test_requests_that_cannot_be_met(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Cannot read"):
        read_brackets(tmp_path / "none.mrg")
    with pytest.raises(UserError, match="folder"):
        read_brackets(tmp_path)
    with pytest.raises(UserError, match="does not exist"):
        read_brackets(penn(tmp_path / "a.mrg", GOOD), encoding="klingon")
    with pytest.raises(UserError, match="raise, skip"):
        read_brackets(tmp_path / "a.mrg", errors="ignore")  # type: ignore[arg-type]


@given(content=st.binary(max_size=60) | st.text(st.sampled_from("(( ))NP书\n<S>-"), max_size=60).map(str.encode))
def test_any_file_is_read_or_refused(content: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("any") / "a.mrg"
    file.write_bytes(content)
    try:
        read = list(read_brackets(file, errors="skip"))
    except UserError as problem:
        assert "holds no trees" in problem.problem
    else:
        assert read and all(tree.words() for tree in read)


def test_a_larger_file_needs_no_more_memory(tmp_path: Path) -> None:
    def peak(file: Path) -> int:
        tracemalloc.start()
        try:
            assert sum(len(tree.words()) for tree in read_brackets(file)) > 0
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    lines = ["(IP (NP (PN 他)) (VP (VV 走)))"] * 5000  # more than the system reads at once
    small, large = penn(tmp_path / "small", *lines), penn(tmp_path / "large", *lines * 6)
    peak(small)
    assert peak(large) < 1.5 * peak(small)


# --- writing --------------------------------------------------------------------------------------------------------


def test_a_tree_a_line() -> None:
    assert write_brackets([HE_WENT, T("", (T("NP", ("(", "书")), "x"))]) == (
        "(IP (NP (PN 他)) (VP (VV 走)))\n( (NP -LRB- 书) x)\n"
    )
    assert write_brackets([]) == ""


@given(some=st.lists(trees(), min_size=1, max_size=4), outer=st.booleans())
def test_what_was_written_is_read_back(some: list[Tree], outer: bool, tmp_path_factory: pytest.TempPathFactory) -> None:
    wrapped = [T("", (tree, "。")) for tree in some] if outer else some
    file = tmp_path_factory.mktemp("trees") / "a.mrg"
    file.write_text(write_brackets(wrapped), encoding="utf-8", newline="\n")
    assert list(read_brackets(file)) == wrapped


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        (T("NP", ("",)), "The word ''"),
        (T("NP", ("a b",)), "The word 'a b'"),
        (T("NP", ("a\n",)), r"The word 'a\\n'"),
        (T("NP", ("-LRB-",)), r"The word '-LRB-'.*mean \( and \)"),
        (T("N P", ("a",)), "The label 'N P'"),
        (T("(", ("a",)), r"The label '\('"),
        (T("NP(", ("a",)), r"The label 'NP\('"),
        (T("", ("a",)), "The label ''"),
        (T("NP", (T("", (T("NN", ("a",)),)),)), "The label ''.*only the root"),
        (T("NP", ()), "The constituent 'NP' is empty"),
        (T("NP", ("a", T("VP", ()))), "The constituent 'VP' is empty"),
        (T("", ()), "The label ''"),
    ],
)
def test_what_would_not_be_read_back_is_not_written(tree: Tree, expected: str) -> None:
    with pytest.raises(UserError, match=expected):
        write_brackets([tree])


# --- plain trees ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # parts of speech
        ("(IP (NP (PN 他)) (VP (VV 走)))", T("IP", (T("NP", ("他",)), T("VP", ("走",))))),
        # empty categories, and what is empty without them
        ("(IP (NP-SBJ (-NONE- *pro*)) (VP (VV 走)))", T("IP", (T("VP", ("走",)),))),
        ("(IP (NP (CP (-NONE- *OP*) (IP (-NONE- *T*-1)))) (VP (VV 走)))", T("IP", (T("VP", ("走",)),))),
        # functional tags and indices
        ("(IP-HLN (NP-PN-SBJ-1 (NR-SHORT 京)) (VP=2 (VV 走)))", T("IP", (T("NP", ("京",)), T("VP", ("走",))))),
        ("(S (ADVP|PRT-1 (RB 快)) (VV 走))", T("S", (T("ADVP", ("快",)), "走"))),
        ("(NP (-LRB- x) (NN 书))", T("NP", ("x", "书"))),
        ("(-X- (NN 书) (NN 人))", T("-X-", ("书", "人"))),
        # the outermost label
        ("(· (IP (NP (PN 他)) (VV 走)))", T("IP", (T("NP", ("他",)), "走"))),
        ("(ROOT (IP (NP (PN 他)) (VV 走)))", T("IP", (T("NP", ("他",)), "走"))),
        ("(· (TOP (IP (PN 他) (VV 走))))", T("IP", ("他", "走"))),
        ("(· (NP (PN 他)) (VP (VV 走)))", T("TOP", (T("NP", ("他",)), T("VP", ("走",))))),
        ("(ROOT (NP (PN 他)) (PU 。))", T("TOP", (T("NP", ("他",)), "。"))),
        ("(· (NN 书))", T("TOP", ("书",))),
        ("(NN 书)", T("TOP", ("书",))),
        # unary cycles: the lower one stays
        ("(NP (NP (NN 书)))", T("NP", ("书",))),
        ("(NP-SBJ (NP-PN (NP (NN 书) (NN 人))))", T("NP", ("书", "人"))),
        ("(VP (IP (VP (VV 走) (SP 吧))))", T("VP", ("走", "吧"))),
        ("(CP (VP (IP (VP (VV 走)))))", T("CP", (T("VP", ("走",)),))),
        ("(NP (NP (NN 书)) (NN 人))", T("NP", (T("NP", ("书",)), "人"))),
        # a cycle that appears only when something empty is gone
        ("(NP (NP (NN 书)) (CP (-NONE- *)))", T("NP", ("书",))),
    ],
)
def test_what_is_left_of_a_tree(text: str, expected: Tree) -> None:
    assert plain(text) == expected


def test_nothing_is_left_of_a_tree_without_words() -> None:
    assert plain("(· (IP (NP (-NONE- *pro*)) (VP (-NONE- *))))") is None
    assert plain("(-NONE- *)") is None


def test_what_was_taken_away_is_counted() -> None:
    removed: Counter[str] = Counter()
    tree = T("", (T("IP-HLN", (T("NP-SBJ", (T("-NONE-", ("*",)),)), T("VP", (T("VP", (T("VV", ("走",)),)),)))),))
    assert plain_tree(tree, removed=removed) == T("IP", (T("VP", ("走",)),))
    assert removed == {
        **{"empty categories": 1, "empty constituents": 1, "parts of speech": 1},
        **{"functional tags": 1, "unary cycles": 1, "outermost labels": 1},
    }


def test_words_beside_constituents_are_no_parts_of_speech() -> None:
    tree = T("IP", (T("NP", ("他",)), T("VP", ("走", T("NP", ("路",))))))
    assert plain_tree(tree, tagged=False) == tree
    assert plain_tree(tree) == T("IP", ("他", T("VP", ("走", "路"))))


def chains(tree: Tree) -> list[list[str]]:
    """Return the labels of each chain of constituents that hold nothing but the next."""
    found = []
    for part in (tree, *tree.parts()):
        chain: list[str] = []
        below: Tree | str = part
        while isinstance(below, Tree):
            chain.append(below.label)
            below = below.children[0] if len(below.children) == 1 else ""
        found.append(chain)
    return found


@given(
    tree=trees(labels=st.sampled_from(["NP", "NP-SBJ", "VP", "VP-1", "-NONE-", "TOP", "ROOT"])), tagged=st.booleans()
)
def test_a_plain_tree_is_plain_and_stays_as_it_is(tree: Tree, tagged: bool) -> None:
    result = plain_tree(tree, tagged=tagged)
    silent = any(part.label == "-NONE-" for part in (tree, *tree.parts()) if isinstance(part, Tree))
    if result is None:
        assert silent
        return
    assert silent or result.words() == tree.words()
    assert {part.label for part in result.parts() if isinstance(part, Tree)} <= {"NP", "VP", "TOP", "ROOT"}
    assert all(len(chain) == len(set(chain)) for chain in chains(result))
    assert plain_tree(result, tagged=False) == result


def test_a_tree_as_deep_as_its_sentence_is_long(tmp_path: Path) -> None:
    tree = deep_tree(3000)
    assert list(read_brackets(penn(tmp_path / "a.mrg", write_brackets([tree])))) == [tree]
    plain_one = plain_tree(tree)  # the innermost constituent has one word only, as a part of speech has
    assert plain_one is not None and plain_one.words() == tree.words()
    assert plain_tree(tree, tagged=False) == tree
    chain = T("X", ("词",))
    for number in range(3000):
        chain = T("XY"[number % 2], (chain,))
    removed: Counter[str] = Counter()
    assert plain_tree(chain, tagged=False, removed=removed) == T("Y", (T("X", ("词",)),))
    # From below: X over X is a cycle, and then every X over Y over X is one; every second of 3,000 steps adds an X.
    assert removed == {"unary cycles": 1500}
