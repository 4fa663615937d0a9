"""Are files of elicited descriptions read with their quirks, and faults named by their line?"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.core import TableOptions
from hengliang.materials.description_files import (
    clean,
    is_encoded,
    read_own_table,
    read_scene_table,
    read_sized_file,
)
from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.materials.scenes import Scene, read_scene

SCENES = {(4, 1): Scene((4, 0, 0, 0)), (4, 2): Scene((2, 0, 0, 2))}
TABLE = "domain_size\tscene\tBS\tBC\tRS\tRC\n4\t1\t4\t0\t0\t0\n4\t2\t2\t0\t0\t2\n"


def sized(folder: Path, text: str | bytes, name: str = "raw_n=4.txt") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


# --- percent codes --------------------------------------------------------------------------------------------------


def test_a_file_is_encoded_when_every_sign_begins_a_code() -> None:
    assert is_encoded("all red%2C all round%0A")
    assert not is_encoded("half is red, 50% of it")
    assert not is_encoded("half is red%2C 50% of it")  # one plain sign: nobody encoded this
    assert not is_encoded("no sign at all")


@given(st.text(st.characters(codec="utf-8", exclude_characters="\r\u00a0‚"), max_size=40))
def test_decoding_undoes_encoding(text: str) -> None:
    lines = [line.strip() for line in text.split("\n")]
    # What str.strip takes away is not only what was encoded: the same is done to the plain text.
    assert clean(quote(text, safe=" "), True) == "\n".join(line for line in lines if line)
    assert clean(text, False) == "\n".join(line for line in lines if line)


def test_cleaning() -> None:
    assert clean(" all red.%0A%0Aall round. ", True) == "all red.\nall round."
    assert clean("50% are\u00a0red", False) == "50% are red"
    assert clean("there‚Äôs a red one", False) == "there’s a red one"


# --- the layout of QTUNA --------------------------------------------------------------------------------------------


def test_a_plain_file_keeps_its_signs(tmp_path: Path) -> None:
    rows = list(read_sized_file(sized(tmp_path, "1\t1\t1\tall blue\n2\t1\t2\t50% of it is red\n"), SCENES))
    assert [(row.key, row.subject, row.number, row.scene.code) for row in rows] == [
        ("4-1", "4-1", 1, "BS=4"),
        ("4-2", "4-1", 2, "BS=2 RC=2"),
    ]
    assert [row.text for row in rows] == ["all blue", "50% of it is red"]


def test_an_encoded_file_with_windows_line_ends(tmp_path: Path) -> None:
    text = "1\t1\t1\tall blue%2C all square%0A\r\n2\t2\t2\t\r\n3\t2\t1"
    rows = list(read_sized_file(sized(tmp_path, text), SCENES))
    # The second has no words and the third no cell for them: nobody described these scenes.
    assert [row.text for row in rows] == ["all blue, all square"]


def test_marks_are_text_and_other_encodings_are_recognised(tmp_path: Path) -> None:
    text = '1\t1\t1\t"全是蓝的"\n2\t1\t2\t"一半是红的\n'
    for encoding in ("utf-8", "gb18030", "utf-16"):
        rows = read_sized_file(sized(tmp_path, text.encode(encoding)), SCENES)
        assert [row.text for row in rows] == ['"全是蓝的"', '"一半是红的']
    rows = read_sized_file(sized(tmp_path, '1;1;1;"all; blue"\n'), SCENES, TableOptions("utf-8", ";", "standard"))
    assert [row.text for row in rows] == ["all; blue"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1\t1\t1\tred\n2\t1\t7\tred\n", r"line 2: there is no scene 7 of size 4"),
        ("1\t1\tone\tred\n", r"line 1: 'one' is no number of a scene"),
        ("1\t1\n", r"line 1: there are 2 columns"),
        ("1\t1\t1\tred\tblue\n", r"line 1: there are 5 columns"),
        ("1\t \t1\tred\n", r"line 1: there is no subject"),
        ("\t1\t1\tred\n", r"line 1: there is no id"),
        ("1\t1\t1\tred%FF\n", r"line 1: its percent codes are no UTF-8"),
        ("1\t1\t1\t红\n".encode() + b"1\t1\t1\tr\xffd\n", r"line 2: byte 8 of the line is not UTF-8"),
    ],
)
def test_faults_have_a_line(tmp_path: Path, text: str | bytes, said: str) -> None:
    with pytest.raises(UserError, match=said):
        list(read_sized_file(sized(tmp_path, text), SCENES))


def test_a_name_without_a_size(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not tell a size"):
        list(read_sized_file(sized(tmp_path, "", "raw.txt"), SCENES))


def test_unknown_sizes(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No scene of size 9 is known"):
        list(read_sized_file(sized(tmp_path, "1\t1\t1\tred\n", "raw_n=9.txt"), SCENES))


# --- scenes ---------------------------------------------------------------------------------------------------------


def test_scene_table(tmp_path: Path) -> None:
    assert read_scene_table(sized(tmp_path, TABLE, "scenes.tsv"), DEFAULT_DOMAIN) == SCENES


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TABLE + "4\t3\t1\t0\t0\t0\n", r"line 4: The counts BS=1 add up to 1, not to 4"),
        (TABLE + "4\t3\t4\t0\t0\t-1\n", r"line 4: '-1' is no count of RC"),
        (TABLE + "4\t2\t4\t0\t0\t0\n", r"line 4: scene 2 of size 4 stands there twice"),
        ("scene\tBS\n1\t4\n", "No column of scenes.tsv is called 'scene_size'"),
        ("size\tscene\n", "holds no scenes"),
    ],
)
def test_faults_of_scene_tables(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        read_scene_table(sized(tmp_path, text, "scenes.tsv"), DEFAULT_DOMAIN)


# --- a table of one's own -------------------------------------------------------------------------------------------


def own(folder: Path, text: str | bytes, name: str = "own.csv") -> list[tuple[str, str, str, int | None, str]]:
    rows = read_own_table(sized(folder, text, name), DEFAULT_DOMAIN, SCENES)
    return [(row.key, row.subject, row.scene.code, row.number, row.text) for row in rows]


def test_codes_and_numbers(tmp_path: Path) -> None:
    found = own(tmp_path, 'subject,scene,size,text\nann,BS=1 RC=1,,"one blue, one red"\nbo,2,4,half red\nbo,1,4,\n')
    assert found == [
        ("1", "ann", "BS=1 RC=1", None, "one blue, one red"),
        ("2", "bo", "BS=2 RC=2", 2, "half red"),
    ]


def test_tabs_are_not_quoted_where_marks_do_not_pair_up(tmp_path: Path) -> None:
    found = own(tmp_path, 'subject\tscene\ttext\nann\tBS=2\t"all" blue\nbo\tBS=2\tthe "blue\n', "own.tsv")
    assert [row[-1] for row in found] == ['"all" blue', 'the "blue']


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("subject,scene\nann,BS=2\n", "No column of own.csv is called 'text'"),
        ("subject,scene,text\nann,XY=2,red\n", "line 2: No kind has the code 'XY'"),
        ("subject,scene,text\nann,2,red\n", "line 2: scene 2 cannot be told without its size"),
        ("subject,scene,size,text\nann,7,4,red\n", "line 2: there is no scene 7 of size 4"),
        ("subject,scene,size,text\nann,BS=2,4,red\n", "line 2: The counts BS=2 add up to 2, not to 4"),
        ("subject,scene,text\n,BS=2,red\n", "line 2: there is no subject"),
        ("id,subject,scene,text\na,ann,BS=2,red\na,ann,BS=3,red\n", "line 3: the id 'a' is used in line 2"),
        ('subject,scene,text\nann,BS=2,"red\n', "line 2: a quotation mark opens a field"),
        ("subject,scene,text\nann,BS=2,red,blue\n", "line 2: there are 4 cells, and 3 columns"),
    ],
)
def test_faults_of_own_tables(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        own(tmp_path, text)


def test_numbers_need_a_table_of_scenes(tmp_path: Path) -> None:
    path = sized(tmp_path, "subject,scene,size,text\nann,2,4,red\n", "own.csv")
    with pytest.raises(UserError, match="scene 2 cannot be told without a table of scenes"):
        list(read_own_table(path, DEFAULT_DOMAIN))


def test_lines_are_counted_across_quoted_line_ends(tmp_path: Path) -> None:
    path = sized(tmp_path, 'subject,scene,text\na,BS=1,"one\ntwo"\nb,BS=2,three\n', "own.csv")
    assert [row.text for row in read_own_table(path, DEFAULT_DOMAIN)] == ["one\ntwo", "three"]
    sized(tmp_path, 'subject,scene,text\na,BS=1,"one\ntwo"\nb,XY=2,three\n', "own.csv")
    with pytest.raises(UserError, match="line 4: No kind has the code 'XY'"):
        list(read_own_table(path, DEFAULT_DOMAIN))


def test_a_broken_encoding_is_told_with_its_line(tmp_path: Path) -> None:
    text = "subject,scene,text\na,BS=1,蓝\n".encode() + b"a,BS=1,\xff\n"
    with pytest.raises(UserError, match="line 3: byte 8 of the line is not UTF-8"):
        own(tmp_path, text)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=8))
def test_codes_come_back(tmp_path_factory: pytest.TempPathFactory, counts: list[tuple[int, int]]) -> None:
    scenes = [Scene((one, 0, other, 1)) for one, other in counts]
    lines = [f"s{place},{scene.code},words" for place, scene in enumerate(scenes)]
    path = sized(tmp_path_factory.mktemp("own"), "\n".join(["subject,scene,text", *lines]), "own.csv")
    assert [row.scene for row in read_own_table(path, DEFAULT_DOMAIN)] == [read_scene(one.code) for one in scenes]
