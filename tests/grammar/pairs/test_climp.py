"""Are files in the layout of CLiMP read: with header and labels, without, and with rows that have no partner?"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.grammar.pairs import climp, colac
from hengliang.grammar.pairs.pair_set import BrokenLine, Pair

ROWS = [
    (0, "classifier", "near", "他买了一匹马。", 1),
    (1, "classifier", "near", "他买了一本马。", 0),
    (2, "classifier", "near", "她写了一首歌。", 1),
    (3, "classifier", "near", "她写了一匹歌。", 0),
]


def headed(tmp_path: Path, rows: list[tuple[int, str, str, str, int]], end: str = "\r\n") -> Path:
    file = tmp_path / "classifier_1000.csv"
    lines = [",0,1,2,3", *(",".join(map(str, row)) for row in rows)]
    file.write_bytes((end.join(lines) + end).encode())
    return file


def pairs_of(file: Path) -> list[tuple[str, str, str]]:
    return [(one.id, one.good, one.bad) for one in climp.records(file) if isinstance(one, Pair)]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_two_rows_are_a_pair(tmp_path: Path, end: str) -> None:
    file = headed(tmp_path, ROWS, end)
    assert climp.recognise(file)
    assert list(climp.records(file)) == [
        Pair("0", "classifier", "classifier", "他买了一匹马。", "他买了一本马。", str(file), 2),
        Pair("1", "classifier", "classifier", "她写了一首歌。", "她写了一匹歌。", str(file), 4),
    ]


def test_columns_called_sentence_and_label(tmp_path: Path) -> None:
    file = tmp_path / "ours.csv"
    file.write_text('label,sentence\n1,"他来了，她也来了。"\n0,"他来了，她来了也。"\n', encoding="utf-8-sig")
    assert climp.recognise(file)
    assert pairs_of(file) == [("0", "他来了，她也来了。", "他来了，她来了也。")]
    (found,) = climp.records(file)
    assert isinstance(found, Pair)
    assert found.phenomenon == "ours"


def test_a_lost_row_shifts_nothing(tmp_path: Path) -> None:
    for lost in range(4):
        rows = [row for row in ROWS if row[0] != lost]
        found = list(climp.records(headed(tmp_path, rows)))
        whole = [one.good for one in found if isinstance(one, Pair)]
        assert whole == [ROWS[2 if lost < 2 else 0][3]]
        (alone,) = [one for one in found if isinstance(one, BrokenLine)]
        assert alone.problem == f"this {'bad' if lost % 2 == 0 else 'good'} sentence has no partner beside it"


def test_the_bad_sentence_may_come_first_throughout(tmp_path: Path) -> None:
    turned = [ROWS[1], ROWS[0], ROWS[3], ROWS[2]]
    assert [pair[1:] for pair in pairs_of(headed(tmp_path, turned))] == [
        ("他买了一匹马。", "他买了一本马。"),
        ("她写了一首歌。", "她写了一匹歌。"),
    ]


def test_rows_that_cannot_be_read(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    file.write_text("sentence,label\n他来。,good\n,1\n他来。,1,2\n\n他走。,1\n走他。,0\n", encoding="utf-8")
    found = list(climp.records(file))
    assert [(one.line, one.problem) for one in found if isinstance(one, BrokenLine)] == [
        (5, "the line is empty"),
        (2, "the label is 'good', not 1 or 0"),
        (3, "the sentence is empty"),
        (4, "it has 3 cells, the header 2"),
    ]
    assert pairs_of(file) == [("0", "他走。", "走他。")]


# --- the file without header or labels ------------------------------------------------------------------------------


def test_without_header_the_first_of_two_rows_is_good(tmp_path: Path) -> None:
    file = tmp_path / "ba_construction_1000.csv"
    file.write_bytes("我把饭吃了。\r\n我饭把吃了。\r\n他把门关了。\r\n他门把关了。\r\n".encode())
    assert climp.recognise(file)
    assert pairs_of(file) == [("0", "我把饭吃了。", "我饭把吃了。"), ("1", "他把门关了。", "他门把关了。")]


def test_without_header_the_sentence_is_the_last_cell(tmp_path: Path) -> None:
    file = tmp_path / "ba.csv"
    file.write_text("0,我把饭吃了。\n1,我饭把吃了。\n2,他把门关了。\n3\n", encoding="utf-8")
    assert pairs_of(file) == [("0", "我把饭吃了。", "我饭把吃了。")]
    (broken,) = [one for one in climp.records(file) if isinstance(one, BrokenLine)]
    assert broken.line == 4


def test_without_labels_an_odd_number_of_rows_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "ba.csv"
    file.write_text("我把饭吃了。\n我饭把吃了。\n他把门关了。\n", encoding="utf-8")
    with pytest.raises(UserError, match="3 rows and no labels"):
        list(climp.records(file))


def test_what_is_no_climp(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    for text in ("", "name,size\n", "sentence,label0,label1\n他来。,1,1\n"):
        file.write_text(text, encoding="utf-8")
        assert not climp.recognise(file)
    assert colac.recognise(file)


@given(st.lists(st.booleans(), max_size=12))
def test_every_row_is_in_one_pair_or_reported(tmp_path_factory: pytest.TempPathFactory, labels: list[bool]) -> None:
    rows = [(place, "c", "d", f"句{place}。", int(label)) for place, label in enumerate(labels)]
    found = list(climp.records(headed(tmp_path_factory.mktemp("climp"), rows)))
    pairs = [one for one in found if isinstance(one, Pair)]
    broken = [one for one in found if isinstance(one, BrokenLine)]
    assert 2 * len(pairs) + len(broken) == len(labels)
    place = {f"句{number}。": number for number in range(len(labels))}
    for pair in pairs:
        assert labels[place[pair.good]]
        assert not labels[place[pair.bad]]
        assert abs(place[pair.good] - place[pair.bad]) == 1
