"""Is the format of the Chinese Classifier Dataset read with its quirks and written back the same?"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.core import TableOptions, check_items, item_records, items_frame
from hengliang.materials.ccd import read_ccd, read_ccd_rows, write_ccd
from hengliang.systems.classifier_choosers.slots import slots_of


def write(folder: Path, text: str) -> Path:
    file = folder / "rows.csv"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_row(tmp_path: Path) -> None:
    file = write(tmp_path, "A_1,这 是 一 <CL> 新 iPad mini 。,iPad,台,个,台\n")
    row = read_ccd(file, ["RULE"]).row(0, named=True)
    assert row["content"] == "这是一新iPad mini。"
    # 这是一 has 9 bytes, 新 3 more, and iPad is 4 bytes long.
    assert row["spans"] == [{"name": "slot", "start": 9, "end": 9}, {"name": "head", "start": 12, "end": 16}]
    assert (row["id"], row["set"], row["gold"], row["head"], row["material"]) == ("A_1", "A_1", "台", "iPad", "ccd")
    assert (row["RULE"], row["choice_2"], row["paragraph"]) == ("个", "台", 1)
    assert (row["construction"], row["trigger"], row["offset"]) == (None, None, None)


def test_the_noun_after_the_slot_is_meant(tmp_path: Path) -> None:
    file = write(tmp_path, "A_1,书 店 有 三 <CL> 好 书 和 书 。,书,本\nA_2,给 点 耐心 供 <CL> 花,耐心,点\n")
    items = read_ccd(file)
    # 书店有三 is 12 bytes, 好 another 3. In the second the noun stands before the slot: 给点 is 6 bytes.
    assert [row["spans"][1] for row in items.to_dicts()] == [
        {"name": "head", "start": 15, "end": 18},
        {"name": "head", "start": 6, "end": 12},
    ]


def test_two_marks(tmp_path: Path) -> None:
    file = write(tmp_path, "A_1,一 <CL> 人 买 一 <CL> 书 。,书,本\n")
    row = read_ccd(file).row(0, named=True)
    assert row["content"] == "一人买一书。"
    # The row is about the mark before 书; the one after 一, at 3 bytes, stays open.
    assert row["spans"] == [
        {"name": "slot", "start": 12, "end": 12},
        {"name": "head", "start": 12, "end": 15},
        {"name": "open", "start": 3, "end": 3},
    ]


def test_a_wrong_head_noun_is_kept(tmp_path: Path) -> None:
    items = read_ccd(write(tmp_path, "A_1,一 <CL> 人 。,马,匹\n"))
    assert items["head"].to_list() == ["马"]
    assert [span["name"] for span in items["spans"][0]] == ["slot"]
    assert slots_of(items).select("noun", "problem").row(0) == ("马", "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A_1,一 <CL> 人\n", r"rows.csv, line 1: there are 2 columns"),
        ("A_1,一 <CL> 人,人,个\nA_2,一 个 人,人,个\n", r"rows.csv, line 2: there is no <CL> in '一 个 人'"),
        ("A_1,一<CL>人,人,个\n", r"<CL> does not stand apart"),
        ("A_1,一 <CL> 人,人, \n", r"line 1: the classifier is empty"),
        (",一 <CL> 人,人,个\n", r"line 1: the id is empty"),
        ("A_1,一 <CL> 人,人,个\n\nA_1,两 <CL> 人,人,个\n", r"line 3: the id 'A_1' is that of line 1"),
    ],
)
def test_faults_name_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        read_ccd(write(tmp_path, text))
    assert "id,sentence,head noun,classifier" in str(caught.value)


def test_other_faults(tmp_path: Path) -> None:
    good = write(tmp_path, "A_1,一 <CL> 人,人,个\n")
    with pytest.raises(UserError, match=r"1 columns of choices are named, but .* has 0"):
        read_ccd(good, ["RULE"])
    with pytest.raises(UserError, match="cannot be called 'gold'"):
        read_ccd(good, ["gold"])
    (tmp_path / "gb.csv").write_bytes("A_1,一 <CL> 人,人,个\n".encode("gb18030"))
    assert read_ccd(tmp_path / "gb.csv").equals(read_ccd(good))
    for text, message in (
        ("", "holds no rows"),
        ("A_1,一 <CL> 人,人,个\nA_2,两 <CL> 人,人,个,位\n", "line 2: there are 5 cells, and 4 columns"),
        ('A_1,"一 <CL> 人"x,人,个\n', "line 1: a quotation mark closes a cell"),
    ):
        with pytest.raises(UserError, match=message):
            read_ccd(write(tmp_path, text))
    write(tmp_path, "A_1,一 <CL> 人,人,个\n")
    with pytest.raises(UserError, match=r"Cannot read .*nowhere.csv"):
        read_ccd(tmp_path / "nowhere.csv")
    with pytest.raises(UserError, match="no attribute 'RULE'"):
        write_ccd(read_ccd(good), tmp_path / "out.csv", ["RULE"])


def test_a_byte_order_mark_is_taken_off(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_bytes(b"\xef\xbb\xbf" + "A_1,一 <CL> 人,人,个\r\n".encode())
    assert read_ccd(file)["id"].to_list() == ["A_1"]


def test_an_item_without_words_is_written_unsegmented(tmp_path: Path) -> None:
    items = read_ccd(write(tmp_path, "A_1,他 有 一 <CL> 狗 。,狗,只\n")).drop("segmented")
    write_ccd(items, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == "A_1,他有一 <CL> 狗。,狗,只\n"
    unanswered = items.with_columns(gold=pl.lit(None, dtype=pl.String))
    with pytest.raises(UserError, match="has no classifier to write"):
        write_ccd(unanswered, tmp_path / "out.csv")
    without = items_frame(list(item_records(items))).with_columns(pl.col("spans").list.head(0))
    with pytest.raises(UserError, match="has no slot"):
        write_ccd(without, tmp_path / "out.csv")


_word = st.text(alphabet='人书好，",a 1', min_size=1, max_size=3).map(str.strip).filter(bool)
_sentences = st.tuples(st.lists(_word, max_size=6), st.lists(_word, max_size=6), st.text("书人马", max_size=2))


@given(st.lists(_sentences, min_size=1, max_size=5))
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, drawn: list[tuple[list[str], list[str], str]]) -> None:
    folder = tmp_path_factory.mktemp("round")
    rows = [
        {"id": f"id{place}", "segmented": " ".join([*before, "<CL>", *after]), "head": head, "gold": "个", "RULE": "位"}
        for place, (before, after, head) in enumerate(drawn)
    ]
    write_ccd(pl.DataFrame(rows).with_columns(spans=pl.lit(None), content=pl.lit("")), folder / "a.csv", ["RULE"])
    first = read_ccd(folder / "a.csv", ["RULE"])
    assert [" ".join(row["segmented"].split()) for row in rows] == [" ".join(s.split()) for s in first["segmented"]]
    for row in check_items(first).iter_rows(named=True):
        raw = row["content"].encode()
        for span in row["spans"]:
            assert raw[: span["start"]].decode() + raw[span["start"] :].decode() == row["content"]
            if span["name"] == "head":
                assert raw[span["start"] : span["end"]].decode() == row["head"]
    write_ccd(first, folder / "b.csv", ["RULE"])
    assert (folder / "b.csv").read_bytes() == (folder / "a.csv").read_bytes()
    assert read_ccd(folder / "b.csv", ["RULE"]).equals(first)


@pytest.mark.mirror
def test_the_published_rows(mirror: Path, tmp_path: Path) -> None:
    for name, count in (("exp1.csv", 200), ("exp2_random.csv", 100)):
        items = read_ccd(mirror / "ccd_sample" / name, ["one", "two", "three"])
        assert items.height == count
        assert (slots_of(items)["problem"] == "").all()
        write_ccd(items, tmp_path / name, ["one", "two", "three"])
        published = (mirror / "ccd_sample" / name).read_bytes().replace(b"\r\n", b"\n")
        assert (tmp_path / name).read_bytes() == published


def test_broken_lines_are_left_out_and_listed(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_bytes(
        b"\xef\xbb\xbfA_1,"
        + "一 <CL> 人,人,个\n"
        "A_2,一 个 人,人,个\n"
        "\n"
        'A_3,"一 <CL> 马,马,匹\n'
        "A_4,一 <CL> 书,,本\n"
        "A_1,两 <CL> 人,人,个\n"
        "A_5,两 <CL> 人,人\n"
        "A_6,两 <CL> 人,人,个,位\n".encode()
        + b"A_7,\xff\xfe <CL>,x,y\n"
        + "A_8,三 <CL> 人,人,位\n".encode()
    )
    items, broken = read_ccd_rows(file)
    # The quote that is never closed spoils its own line only; an empty noun is no fault.
    assert items["id"].to_list() == ["A_1", "A_4", "A_8"]
    assert items["paragraph"].to_list() == [1, 5, 10]
    assert [line for line, _ in broken] == [2, 4, 6, 7, 8, 9]
    reasons = [reason for _, reason in broken]
    assert reasons[0] == "there is no <CL> in '一 个 人'"
    assert reasons[1].startswith("a quotation mark opens")
    assert reasons[2:] == [
        "the id 'A_1' is that of line 1",
        "there are 3 cells, and 4 columns",
        "there are 5 cells, and 4 columns",
        "byte 5 of the line is not UTF-8",
    ]
    assert read_ccd(file, table=TableOptions(errors="skip")).equals(items)
    with pytest.raises(UserError, match="line 4: a quotation mark opens"):
        read_ccd(file)


def test_nothing_but_broken_lines(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"holds no rows \(1 are broken, the first: there are 1 columns\)"):
        read_ccd(write(tmp_path, "x\n"), table=TableOptions(errors="skip"))


def test_a_header_names_the_columns_of_choices(tmp_path: Path) -> None:
    rows = "id,sentence,noun,classifier,RULE,BERT\nA_1,一 <CL> 人,人,个,个,位\n"
    items = read_ccd(write(tmp_path, rows))
    assert items.height == 1 and items["paragraph"].to_list() == [2]
    assert items.select("RULE", "BERT").row(0) == ("个", "位")
    assert read_ccd(write(tmp_path, rows), ["first"]).select("first", "BERT").row(0) == ("个", "位")
    with pytest.raises(UserError, match="Two columns of choices are called 'BERT'"):
        read_ccd(write(tmp_path, rows), ["BERT"])
    # Only the first line can be a header, and a row with a slot is none.
    assert read_ccd(write(tmp_path, "ID,一 <CL> 人,人,个\n"))["id"].to_list() == ["ID"]


def test_rows_of_one_id_may_be_numbered(tmp_path: Path) -> None:
    file = write(tmp_path, "A,一 <CL> 人,人,个\nB,一 <CL> 马,马,匹\nA,两 <CL> 人,人,个\nA,三 <CL> 人,人,个\n")
    items = read_ccd(file, repeated_ids="number")
    assert items["id"].to_list() == ["A", "B", "A~2", "A~3"]
    assert items["set"].to_list() == ["A", "B", "A", "A"]


@given(st.lists(st.sampled_from(["{},一 <CL> 人,人,个", "{},没有 空位,人,个", "{},a", ""]), max_size=8))
def test_every_good_line_is_answered(tmp_path_factory: pytest.TempPathFactory, drawn: list[str]) -> None:
    file = tmp_path_factory.mktemp("skip") / "rows.csv"
    lines = [line.format(f"id{number}") for number, line in enumerate(["{},一 <CL> 狗,狗,只", *drawn])]
    file.write_text("\n".join(lines), encoding="utf-8")
    items, broken = read_ccd_rows(file)
    good = {number for number, line in enumerate(lines, 1) if "<CL>" in line}
    blank = {number for number, line in enumerate(lines, 1) if not line}
    assert set(items["paragraph"]) == good
    assert {line for line, _ in broken} == set(range(1, len(lines) + 1)) - good - blank
