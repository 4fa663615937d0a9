"""Are dependencies read with their faults named, and do constituents follow from them?"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.corpora.trees.constituents import Tree
from hengliang.corpora.trees.dependencies import (
    DependencySentence,
    lifted,
    nonprojective,
    phrase_of,
    projected_tree,
    read_dependencies,
)


def row(number: str, word: str, head: str, tag: str = "NOUN", relation: str = "dep") -> str:
    return f"{number}\t{word}\t_\t{tag}\t_\t_\t{head}\t{relation}\t_\t_"


def conllu(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


GOOD = [row("1", "走", "0", "VERB", "root"), row("2", "吧", "1", "PART", "discourse"), ""]


# --- reading --------------------------------------------------------------------------------------------------------


def test_sentences_with_comments_ranges_and_empty_nodes(tmp_path: Path) -> None:
    file = conllu(
        tmp_path / "a.conllu",
        "# sent_id = 甲",
        row("1-2", "他们", "_", "_", "_"),
        row("1", "他", "3", "PRON", "nsubj"),
        row("2", "们", "1", "PART", "mark"),
        row("3", "走", "0", "VERB", "root"),
        row("3.1", "走", "_", "VERB", "_"),
        row("4", "了", "3", "AUX", "aux"),
        "",
        *GOOD,
    )
    first, second = read_dependencies(file)
    assert first == DependencySentence(
        1,
        ("他", "们", "走", "了"),
        ("PRON", "PART", "VERB", "AUX"),
        (3, 1, 0, 3),
        ("nsubj", "mark", "root", "aux"),
        "甲",
    )
    assert first.tree() == Tree("VP", (Tree("NP", ("他", "们")), "走", "了"))
    assert (second.number, second.id, second.tree()) == (9, "", Tree("VP", ("走", "吧")))


@pytest.mark.parametrize(
    ("lines", "line", "fault"),
    [
        ([row("1", "书", "2"), row("2", "人", "1")], 4, "the heads go round in a circle at word 1 '书'"),
        ([row("1", "书", "1")], 4, "the heads go round in a circle at word 1 '书'"),
        (
            [row("1", "书", "0"), row("2", "人", "3"), row("3", "家", "2")],
            5,
            "the heads go round in a circle at word 2",
        ),
        ([row("1", "书", "2"), row("2", "人", "3"), row("3", "家", "2"), row("4", "走", "0")], 5, "the heads go round"),
        ([row("1", "书", "0"), row("2", "人", "0")], 5, "there are 2 roots, '书' and '人' among them"),
        ([row("1", "书", "0"), row("2", "人", "_")], 5, "the word '人' has no head"),
        ([row("1", "书", "0"), row("2", "人", "")], 5, "the word '人' has no head"),
        ([row("1", "书", "0"), row("2", "人", "x")], 5, "the word '人' has the head 'x'"),
        ([row("1", "书", "0"), row("2", "人", "-1")], 5, "the word '人' has the head '-1'"),
        ([row("1", "书", "0"), row("2", "人", "9" * 5000)], 5, "the word '人' has the head '9999"),
        ([row("1", "书", "0"), row("2", "人", "7")], 5, "the head of word 2 '人' is 7, but there are 2 words"),
        ([row("1", "书", "0", tag="_")], 4, "the word '书' has no part of speech"),
        ([row("1", "", "0")], 4, "the word is empty"),
    ],
)
def test_broken_sentences_are_named_by_line_and_can_be_left_out(
    tmp_path: Path, lines: list[str], line: int, fault: str
) -> None:
    file = conllu(tmp_path / "a.conllu", *GOOD, *lines, "", *GOOD)
    with pytest.raises(UserError) as caught:
        list(read_dependencies(file))
    assert caught.value.problem.startswith(f"{file}, line {line}: {fault}")
    reading = read_dependencies(file, errors="skip")
    assert [sentence.words for sentence in reading] == [("走", "吧"), ("走", "吧")]
    assert reading.skipped == 1


@pytest.mark.parametrize(
    ("line", "fault"),
    [("2 书", "line 2 has 1 column: '2 书'"), (row("3", "书", "1"), "word number '3' where 2 is due")],
)
def test_lines_that_are_no_conllu(tmp_path: Path, line: str, fault: str) -> None:
    with pytest.raises(UserError, match=fault):
        list(read_dependencies(conllu(tmp_path / "a.conllu", GOOD[0], line)))


def test_broken_encodings_and_files_without_sentences(tmp_path: Path) -> None:
    file = tmp_path / "a.conllu"
    good = "\n".join(GOOD).encode()
    file.write_bytes(good + b"\n1\t\xff\n\n" + good)
    with pytest.raises(UserError, match="line 4 is not utf-8"):
        list(read_dependencies(file))
    assert len(list(read_dependencies(file, errors="skip"))) == 2
    for content in ("", "# sent_id = 1\n\n"):
        file.write_text(content)
        with pytest.raises(UserError, match="holds no dependencies"):
            list(read_dependencies(file))


# --- lifting --------------------------------------------------------------------------------------------------------

Heads = tuple[int, ...]


@st.composite
def some_heads(draw: st.DrawFn) -> Heads:
    """Draw any tree over up to nine words: in a random order, each word hangs on one before it."""
    order = draw(st.permutations(range(1, draw(st.integers(1, 9)) + 1)))
    heads = {order[0]: 0}
    for place in range(1, len(order)):
        heads[order[place]] = draw(st.sampled_from(order[:place]))
    return tuple(heads[word] for word in range(1, len(order) + 1))


def above(heads: Heads, word: int) -> list[int]:
    """Return the word and all words on which it depends."""
    way = [word]
    while heads[way[-1] - 1]:
        way.append(heads[way[-1] - 1])
    return way


def crossing(heads: Heads) -> Heads:
    """Return the words whose arcs span a word from elsewhere, by looking at every word between."""
    return tuple(
        word
        for word, head in enumerate(heads, start=1)
        if head and any(head not in above(heads, one) for one in range(min(word, head) + 1, max(word, head)))
    )


def yield_of(heads: Heads, word: int) -> list[int]:
    return [one for one in range(1, len(heads) + 1) if word in above(heads, one)]


def test_arcs_that_span_a_word_from_elsewhere() -> None:
    # 2 hangs on 4, and between them stands 3, the root, which does not depend on 4.
    assert nonprojective((3, 4, 0, 3)) == (2,)
    assert lifted((3, 4, 0, 3)) == (3, 3, 0, 3)
    # 1 hangs on 3 across 2, and 4 on 2 across 3: both are of length two, and lifting the first mends both.
    assert nonprojective((3, 0, 2, 2)) == (1,)
    assert nonprojective((3, 5, 5, 2, 0)) == (1, 4)
    assert lifted((3, 5, 5, 2, 0)) == (5, 5, 5, 5, 0)
    assert nonprojective((2, 0, 2)) == ()


@given(heads=some_heads())
def test_lifting(heads: Heads) -> None:
    assert nonprojective(heads) == crossing(heads)
    changed = lifted(heads)
    assert nonprojective(changed) == ()
    assert changed.count(0) == 1
    for word in range(1, len(heads) + 1):
        words = yield_of(changed, word)
        assert words == list(range(words[0], words[-1] + 1))
        # A word is hung on one of those it depended on before.
        assert changed[word - 1] in {0, *above(heads, word)[1:]}
    if not crossing(heads):
        assert changed == heads


# --- constituents ---------------------------------------------------------------------------------------------------


def test_a_sentence_by_hand() -> None:
    words = ["我", "昨天", "买", "了", "一", "本", "很", "新", "的", "书", "。"]
    tags = ["PRON", "NOUN", "VERB", "AUX", "NUM", "NOUN", "ADV", "ADJ", "PART", "NOUN", "PUNCT"]
    heads = [3, 3, 0, 3, 6, 10, 8, 10, 8, 3, 3]
    assert projected_tree(heads, tags, words) == Tree(
        "VP",
        (
            *("我", "昨天", "买", "了"),
            Tree("NP", (Tree("NP", ("一", "本")), Tree("ADJP", ("很", "新", "的")), "书")),
            "。",
        ),
    )


def test_a_word_alone_is_a_phrase_and_words_that_depend_are_lifted() -> None:
    assert projected_tree([0], ["INTJ"], ["唉"]) == Tree("INTJ", ("唉",))
    assert projected_tree([3, 4, 0, 3], ["PRON", "ADV", "VERB", "NOUN"], list("甲乙丙丁")) == Tree(
        "VP", tuple("甲乙丙丁")
    )


def test_labels_follow_the_part_of_speech() -> None:
    assert [phrase_of(tag) for tag in ("NOUN", "PROPN", "VERB", "AUX", "ADJ", "ADP", "NUM", "PART", "X", "OTHER")] == [
        *("NP", "NP", "VP", "VP", "ADJP", "PP", "QP", "PRTP", "XP", "OTHERP")
    ]


@given(heads=some_heads())
def test_constituents_are_the_words_of_a_head_and_its_dependents(heads: Heads) -> None:
    words = [str(number) for number in range(1, len(heads) + 1)]
    tree = projected_tree(heads, [f"T{word}" for word in words], words)
    assert list(tree.words()) == words
    changed = lifted(heads)
    expected = {
        (f"T{word}P", tuple(map(str, yield_of(changed, word))))
        for word in range(1, len(heads) + 1)
        if word in changed or changed[word - 1] == 0
    }
    found = [(part.label, part.words()) for part in (tree, *tree.parts()) if isinstance(part, Tree)]
    assert sorted(found) == sorted(expected)


@pytest.mark.parametrize(
    ("heads", "expected"),
    [
        ([2, 1], "In the sentence '甲 乙', the heads go round in a circle at word 1 '甲'"),
        ([0, 0], "there are 2 roots"),
        ([0, 3], "the head of word 2 '乙' is 3"),
        ([0, -1], "the head of word 2 '乙' is -1"),
        ([0], "There are 2 words, 1 heads and 2 parts of speech"),
    ],
)
def test_heads_that_make_no_tree(heads: list[int], expected: str) -> None:
    with pytest.raises(UserError, match=expected):
        projected_tree(heads, ["NOUN", "NOUN"], ["甲", "乙"])


def test_a_sentence_without_words() -> None:
    with pytest.raises(UserError, match="0 words"):
        projected_tree([], [], [])


def test_a_tree_as_deep_as_its_sentence_is_long() -> None:
    words = [str(number) for number in range(1000)]
    tree = projected_tree(range(1000), ["NOUN"] * 1000, words)
    assert list(tree.words()) == words
    assert sum(isinstance(part, Tree) for part in tree.parts()) == 998  # all but the root and the last word
    drawn = random.Random(1)
    tangled = [0, *(drawn.randint(1, number) for number in range(1, 60))]
    assert projected_tree(tangled, ["NOUN"] * 60, words[:60]).words() == tuple(words[:60])


@pytest.mark.mirror
@pytest.mark.parametrize(
    ("name", "sentences", "words", "nonprojective_arcs"),
    [
        # Sentences and words were counted with grep, see test_tagged_corpora.
        ("zh_gsdsimp-ud-dev.conllu", 500, 12_663, 5),
        ("zh_gsdsimp-ud-test.conllu", 500, 12_012, 3),
        ("zh_gsd-ud-train-2016-trad.conllu", 3_997, 98_608, 21),
    ],
)
def test_universal_dependencies_chinese(
    mirror: Path, name: str, sentences: int, words: int, nonprojective_arcs: int
) -> None:
    read = list(read_dependencies(mirror / "ud_chinese" / name))
    assert (len(read), sum(len(sentence.words) for sentence in read)) == (sentences, words)
    assert sum(len(nonprojective(sentence.heads)) for sentence in read) == nonprojective_arcs
    assert sum(len(crossing(sentence.heads)) for sentence in read) == nonprojective_arcs
    assert [sentence.id for sentence in read if sentence.tree().words() != sentence.words] == []
