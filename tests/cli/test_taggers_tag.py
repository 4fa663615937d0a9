"""Are sentences cut and tagged from the command line, and is a bad one told and no more?"""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
import pytest

from hengliang.cli.main import outcome
from hengliang.tagging.taggers import jieba as jieba_tagger
from tests.cli.tagger_folder import Capture, answered, here, refused, told

__all__ = ["here"]

pytestmark = pytest.mark.usefixtures("here")

TOY = ("tag", "--tagger", "toy", "--plugin", "toys.py")


def test_sentences_are_tagged_line_by_line(capsys: Capture) -> None:
    # Words that toy does not know are single characters, nouns all.
    assert told(capsys, *TOY, "帮助大家", "他就此走") == "帮助/vn 大家/d\n他/n 就/p 此/r 走/n\n"
    found = answered(capsys, *TOY, "帮助大家")
    assert found["sentences"] == [{"line": 1, "sentence": "帮助大家", "tagged": "帮助/vn 大家/d", "problem": ""}]
    assert (found["tagger"], found["tags"]) == ("toy", "pku")


def test_tags_are_mapped_or_left(capsys: Capture) -> None:
    pytest.importorskip("rjieba")
    # jieba's own tag of 的 is uj, PKU's is u, that of Universal Dependencies PART.
    asked = ("tag", "--tagger", "rjieba", "好的苹果")
    assert "的/u " in told(capsys, *asked)
    assert "的/uj " in told(capsys, *asked, "--own-tags")
    assert "的/PART " in told(capsys, *asked, "--tags", "ud")


def test_a_file_becomes_a_table(capsys: Capture) -> None:
    Path("some.txt").write_text("帮助大家\n\n要求\n", encoding="utf-8")
    shown = told(capsys, *TOY, "--file", "some.txt", "--out", "tagged.tsv", code=2)
    assert shown == "2 sentences tagged.\ntagged.tsv\n"
    rows = pl.read_csv("tagged.tsv", separator="\t")
    assert rows["tagged"].to_list() == ["帮助/vn 大家/d", "", "要求/v"]
    assert rows["problem"].to_list() == ["", "the line is empty", ""]


@pytest.mark.parametrize("limit", [(), ("--time-limit", "20")])
def test_a_bad_sentence_costs_only_itself(limit: tuple[str, ...], capsys: Capture) -> None:
    asked = ("--tagger", "moody", "--plugin", "toys.py", *limit)
    assert outcome(["taggers", "tag", *asked, "月亮", "河水", "火车", "猫"]) == 2
    shown = capsys.readouterr()
    assert shown.out == "\n\n\n猫/n\n"
    lines = shown.err.splitlines()
    assert lines[0] == "hengliang: 3 lines have no answer:"
    assert "line 1: the tagger moody failed: ValueError: no moon" in lines[1]
    assert "no words" in lines[2]
    assert "changed the text" in lines[3]


def test_a_tagger_that_raises_on_a_batch_is_asked_one_by_one(capsys: Capture) -> None:
    Path("rash.py").write_text(
        "from hengliang.core.registry import register\n"
        "from hengliang.core.labelling.spans import labelled_spans\n"
        "from hengliang.core.labelling.taggers import Tagger\n\n\n"
        "@register('rash')\n"
        "class Rash(Tagger):\n"
        "    name, tag_map = 'rash', 'pku'\n\n"
        "    def tag(self, sentences):\n"
        "        return labelled_spans([[(0, 6 // ('零' not in s), 'n')] for s in sentences])\n",
        encoding="utf-8",
    )
    assert outcome(["taggers", "tag", "--tagger", "rash", "--plugin", "rash.py", "零点", "两点"]) == 2
    shown = capsys.readouterr()
    assert shown.out == "\n两点/n\n"
    assert "line 1: the tagger rash failed: ZeroDivisionError" in shown.err


def test_what_cannot_be_done_is_explained(capsys: Capture) -> None:
    assert "Did you mean toy?" in refused(capsys, "tag", "--tagger", "toi", "--plugin", "toys.py", "猫")
    assert "Tag sets: ctb, pku, ud" in refused(capsys, *TOY, "--tags", "pukk", "猫")
    Path("empty.txt").write_text("", encoding="utf-8")
    assert "empty.txt holds no sentences" in refused(capsys, *TOY, "--file", "empty.txt")
    assert "No sentence was given" in refused(capsys, *TOY)
    assert "The name ends in .csv" in refused(capsys, *TOY, "猫", "--out", "tagged.doc")
    assert "nowhere.py" in refused(capsys, "tag", "--plugin", "nowhere.py", "猫")


@pytest.mark.parametrize("command", [("tag", "猫"), ("test", "--set", "set.tsv", "-q"), ("mine", "--least", "1", "-q")])
def test_a_missing_library_is_named(command: tuple[str, ...], capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    jieba_tagger._rust.cache_clear()
    monkeypatch.setitem(sys.modules, "rjieba", None)  # Python's own way to say that there is none
    corpus = ("--corpus", "stories.txt") if command[0] == "mine" else ()
    message = refused(capsys, *command, *corpus, "--tagger", "rjieba")
    assert "The tagger rjieba needs the library rjieba, which is not installed." in message
    assert "pip install 'hengliang[chinese]'" in message


def test_a_map_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = tmp_path / "mine.tsv"
    own.write_text("own\ttarget\nHEAD\tn\nREST\tv\n", encoding="utf-8")
    program = tmp_path / "program.py"
    program.write_text(
        "import sys\nfor line in sys.stdin:\n    text = line.rstrip('\\n')\n"
        "    print(f'{text[0]}/HEAD {text[1:]}/REST', flush=True)\n",
        encoding="utf-8",
    )
    command = f"program:{sys.executable} {program}"
    assert outcome(["taggers", "tag", "月亮出来", "--tagger", command, "--map", f"program={own}"]) == 0
    assert capsys.readouterr().out == "月/n 亮出来/v\n"


@pytest.mark.parametrize(
    ("given", "said"), [("rjieba", "names no tag map"), ("lac=pku", "for the tagger 'lac', which is not asked")]
)
def test_a_map_that_cannot_be_meant(given: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["taggers", "tag", "月亮出来", "--tagger", "rjieba", "--map", given]) == 2
    assert said in capsys.readouterr().err
