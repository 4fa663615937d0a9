"""Are tables of items read as they are meant, and mistakes named by row and column?"""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from hengliang import Bilingual, UserError
from hengliang.experiments import Experiment, versions_frame, write_experiment
from hengliang.people.design.item_files import Items, read_items
from hengliang.people.tasks.base import stimuli_of
from hengliang.people.tasks.likert import LikertRating
from tests.people.design.made_lists import stimuli

TABLE = """\
item,text,system,target,scene_size,options,note
1,河边拴着一匹马。,BERT,匹,4,"[""是"", ""否""]",旧
1,河边拴着一个马。,GE,个,4,"[""是"", ""否""]",
1,河边拴着一匹马。,RULE,匹,4,"[""是"", ""否""]",旧
2,一个人有一个家。,GE,一[个]家,9,,007
"""


def read(tmp_path: Path, content: str, role: str = "target", name: str = "items.csv") -> Items:
    file = tmp_path / name
    file.write_text(content, encoding="utf-8")
    return read_items(file, role)


def test_a_table_of_ones_own(tmp_path: Path) -> None:
    items = read(tmp_path, TABLE)
    held = list(stimuli_of(items.stimuli).values())
    assert [(each.item, each.systems) for each in held] == [("1", ("BERT", "RULE")), ("1", ("GE",)), ("2", ("GE",))]
    # 河边拴着一 are five characters of three bytes.
    assert [(span.name, span.start, span.end) for span in held[0].spans] == [("target", 15, 18)]
    # 一个人有一 are five characters, too: the second 个 is meant.
    assert [(span.start, span.end) for span in held[2].spans] == [(15, 18)]
    assert held[0].details == {"scene_size": 4, "options": ["是", "否"], "note": "旧"}
    assert held[2].details == {"scene_size": 9, "note": "007"}
    assert set(items.roles.values()) == {"target"}
    assert list(items.values("scene_size").values()) == [4, 4, 9]


def test_full_width_digits_are_digits_and_other_signs_stay(tmp_path: Path) -> None:
    items = read(tmp_path, 'item,text,size,note,label,list\n1,好,１２,－３,①,［1］\n2,坏,x,²,½,"[""１""]"\n')
    held = list(stimuli_of(items.stimuli).values())
    assert held[0].details == {"size": 12, "note": -3, "label": "①", "list": "［1］"}
    assert held[1].details == {"size": "x", "note": "²", "label": "½", "list": ["１"]}


def test_tabs_parquet_and_conditions(tmp_path: Path) -> None:
    tabs = read(tmp_path, "item\ttext\tcondition\n1\t他走了。\tlong\n", name="items.tsv")
    pl.DataFrame({"item": [1], "text": ["他走了。"], "condition": ["long"]}).write_parquet(tmp_path / "items.parquet")
    table = read_items(tmp_path / "items.parquet")
    assert tabs.stimuli.equals(table.stimuli) and tabs.stimuli["systems"].to_list() == [["long"]]
    assert tabs.compared == table.compared == "condition"
    both = read(tmp_path, "item,text,system,condition\n1,他走了。,BERT,long\n")
    # Beside a system the condition is a column like any other, and not lost.
    assert both.compared == "system" and both.stimuli["systems"].to_list() == [["BERT"]]
    assert list(both.values("condition").values()) == ["long"]


def test_a_choice_may_have_no_context_and_a_condition_the_number_0(tmp_path: Path) -> None:
    items = read(tmp_path, 'item,text,options\n1,,"[""一匹马"", ""一个马""]"\n')
    assert items.stimuli["text"].to_list() == [""]
    pl.DataFrame({"item": [1], "text": ["他走了。"], "condition": [0]}).write_parquet(tmp_path / "items.parquet")
    assert read_items(tmp_path / "items.parquet").stimuli["systems"].to_list() == [["0"]]


def test_the_same_text_in_another_normal_form_is_the_same_stimulus(tmp_path: Path) -> None:
    items = read(tmp_path, "item,text,system\n1,caf\u00e9,A\n1,cafe\u0301,B\n")
    assert items.stimuli["systems"].to_list() == [["A", "B"]]


def test_roles_and_right_answers(tmp_path: Path) -> None:
    rows = ("item,text,role,expected", "1,他走了。,,", "2,走他了。,catch,1-3", '3,他来。,catch,"{""clarity"": 7}"')
    content = "\n".join([*rows, "4,好。,catch,7", ""])
    items = read(tmp_path, content)
    assert items.of_role("target") == [items.stimuli["about"][0]]
    expected = [json.loads(details).get("expected") for details in items.stimuli["details"]]
    assert expected == [None, [1, 2, 3], {"clarity": 7}, 7]


def test_items_of_another_file_are_other_items(tmp_path: Path) -> None:
    practice = read(tmp_path, "item,text\n1,我们先练习一下。\n", "practice")
    assert practice.stimuli["item"].to_list() == ["practice: 1"]
    assert practice.of_role("practice") == practice.stimuli["about"].to_list()


def test_an_experiment_folder(tmp_path: Path) -> None:
    shown = stimuli([1, 2])
    versions = versions_frame(
        [
            {"version": "1", "position": 1, "about": "0-0", "role": "practice"},
            {"version": "1", "position": 2, "about": "1-0"},
        ]
    )
    held = Experiment("made", Bilingual("made", "自拟"), LikertRating().scales(), shown, versions=versions)
    write_experiment(tmp_path, held)
    pl.DataFrame({"id": ["0", "1"], "sample": ["random", "rare"], "size": [4, 9]}).write_parquet(
        tmp_path / "items.parquet"
    )
    items = read_items(tmp_path)
    assert items.strata == {"0": "random", "1": "rare"} and items.experiment is not None
    assert items.roles == {"0-0": "practice", "1-0": "target", "1-1": "target"}
    assert items.values("size") == {"0-0": 4, "1-0": 9, "1-1": 9}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("text\n好\n", r"has no column 'item'; it has: text"),
        ("", "holds no items"),
        ("item,text\n", "holds no items, only the header item, text"),
        ("item,text\n1,\n", "line 2: the column 'text' is empty"),
        ("item,text\n,好\n", "line 2: the column 'item' is empty"),
        ("item,text\n1,好,x\n", "line 2: there are 3 cells, and 2 columns"),
        ("item,text,target\n1,好,坏\n", "line 2: the column 'target' is '坏', which is not in the text '好'"),
        ("item,text,target\n1,好好,好\n", "line 2: the column 'target' is '好', which is more than once"),
        ("item,text,role\n1,好,repeat\n", "line 2: the column 'role' is 'repeat'"),
        ("item,text,role,expected\n1,好,catch,\n", "line 2: the column 'expected' is empty"),
        ("item,text,n\n1,好,1\n1,好,2\n", "line 3: the column 'n' differs from line 2"),
        ("item,text,target\n1,好好,[好]好\n1,好好,好[好]\n", "line 3: the column 'target' differs from line 2"),
        ("item,text,text\n1,好,坏\n", "has two columns called 'text'"),
        (
            "L1,一 <CL> 马,马,匹,个\nL2,一 <CL> 人,人,个,位\n",
            r"has no column 'item'; .* hengliang classifiers experiment",
        ),
        ("item,text\n1,好\0\n", "line 2: the column 'text' holds a control character"),
        ("item,text,role\n1,好,\n1,好,filler\n", "line 3: the column 'role' is 'filler', but 'target' in line 2"),
    ],
)
def test_mistakes_are_named(content: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message):
        read(tmp_path, content)


def test_files_of_other_kinds(tmp_path: Path) -> None:
    (tmp_path / "items.docx").touch()
    with pytest.raises(UserError, match=r"'items\.docx' names no table"):
        read_items(tmp_path / "items.docx")
    with pytest.raises(UserError, match=r"Cannot read .*lost\.csv"):
        read_items(tmp_path / "lost.csv")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="There is no experiment in"):
        read_items(tmp_path / "empty")
