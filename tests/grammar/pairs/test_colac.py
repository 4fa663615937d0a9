"""Are files in the layout of CoLAC read as single sentences, and as pairs only where the file says so?"""

from __future__ import annotations

from pathlib import Path

from hengliang.grammar.pairs import colac
from hengliang.grammar.pairs.pair_set import BrokenLine, Pair, RatedSentence


def test_sentences_with_two_labels_are_no_pairs(tmp_path: Path) -> None:
    file = tmp_path / "dev.csv"
    file.write_bytes(
        "id,label0,label1,sentence\r\n17,1,1,他昨天来了。\r\n18,0,1,他把来了。\r\n19,0,,来把他了。\r\n".encode()
    )
    assert colac.recognise(file)
    assert list(colac.records(file)) == [
        RatedSentence("dev/17", "他昨天来了。", True, True, str(file), 2),
        RatedSentence("dev/18", "他把来了。", False, True, str(file), 3),
        RatedSentence("dev/19", "来把他了。", False, None, str(file), 4),
    ]


def test_labels_that_are_withheld_are_no_labels(tmp_path: Path) -> None:
    file = tmp_path / "test.csv"
    file.write_text("id,sentence,label0,label1\n1,他走过来了。,-1,-1\n2,走他过来了。,-1.0,0\n", encoding="utf-8")
    assert list(colac.records(file)) == [
        RatedSentence("test/1", "他走过来了。", None, None, str(file), 2),
        RatedSentence("test/2", "走他过来了。", None, False, str(file), 3),
    ]


def test_one_label_is_enough_and_tabs_are_read(tmp_path: Path) -> None:
    file = tmp_path / "train.tsv"
    file.write_text("sentence\tlabel1\n他来，她走。\t1\n", encoding="utf-8")
    assert colac.recognise(file)
    assert list(colac.records(file)) == [RatedSentence("train/2", "他来，她走。", None, True, str(file), 2)]


def test_rows_that_belong_together_are_pairs_by_the_crowds_label(tmp_path: Path) -> None:
    file = tmp_path / "dev.csv"
    file.write_text(
        "sentence,label0,label1,pair\n坏来他。,1,0,a\n他来。,0,1,a\n他走。,1,1,b\n走他。,0,1,b\n他跑。,1,1,\n",
        encoding="utf-8",
    )
    found = list(colac.records(file))
    # Group a has one of each by the crowd's label, group b has two acceptable sentences.
    assert [(one.id, one.good, one.bad, one.line) for one in found if isinstance(one, Pair)] == [
        ("a", "他来。", "坏来他。", 2)
    ]
    assert sorted(one.sentence for one in found if isinstance(one, RatedSentence)) == ["他走。", "他跑。", "走他。"]


def test_rows_that_cannot_be_read(tmp_path: Path) -> None:
    file = tmp_path / "dev.csv"
    file.write_text("sentence,label0,label1\n,1,1\n他来。,2,1\n他来。,1\n", encoding="utf-8")
    assert list(colac.records(file)) == [
        BrokenLine(str(file), 2, "the sentence is empty"),
        BrokenLine(str(file), 3, "the label is '2', not 1 or 0"),
        BrokenLine(str(file), 4, "it has 2 cells, the header 3"),
    ]


def test_a_file_without_the_column_of_sentences(tmp_path: Path) -> None:
    for text in ("", "a,b\n1,2\n"):
        (tmp_path / "named.csv").write_text(text, encoding="utf-8")
        (found,) = colac.records(tmp_path / "named.csv")
        assert isinstance(found, BrokenLine) and "no column 'sentence'" in found.problem
