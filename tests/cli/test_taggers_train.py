"""Is our tagger trained, shown and refused from the command line as it should be?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hengliang import tagger
from hengliang.cli.main import outcome
from hengliang.tagging import CrfTagger
from tests.tagging.trained.lessons import lessons

pytest.importorskip("pycrfsuite", reason="python-crfsuite, with which the tagger crf learns, is not installed")

QUICK = ["--set", "passes=5", "--set", "least=0", "--quiet"]


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    # A headline before each 25 sentences lets the corpus be cut into blocks; the fifth of them is dev.
    lines = [f"新/a 故事/n\n{line}" if place % 25 == 0 else line for place, line in enumerate(lessons())]
    Path("lessons.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def test_a_tagger_is_trained_shown_and_found_by_its_name(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["taggers", "train", "--data", "lessons.txt", "--name", "mine", *QUICK]
    assert outcome(command) == 0
    shown = capsys.readouterr().out
    assert "models/mine\n" in shown
    assert "crf, seed 1:" in shown
    assert "on dev (" in shown
    assert "licence of the data:" in shown
    # The same command again only shows it, another seed belongs elsewhere.
    assert outcome([*command, "--json"]) == 0
    (held,) = json.loads(capsys.readouterr().out)["models"]
    assert held["card"]["parts"] == ["train"]
    # 360 lessons and 15 headlines. A block has 78 lines: the first headline behind 75 begins the next. So dev, the
    # fifth, begins at line 312; the headlines before it, 12 of them, stand in dev too and are not learned from.
    assert held["card"]["dev"]["sentences"] == 375 - 312
    assert held["card"]["left_out"] == 12
    assert held["card"]["sentences"] == 312 - 12
    assert outcome([*command, "--seed", "2"]) == 2
    assert "its seed is 1, not 2" in capsys.readouterr().err
    found = tagger("crf:mine")
    assert [tag for _, _, tag in found.tag(["他写信。"]).of(0)] == ["r", "v", "n", "w"]


def test_sentences_can_be_added_and_a_folder_named(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("more.txt").write_text("雪/n 化/v 了/u 。/w\n", encoding="utf-8")
    command = ["taggers", "train", "--data", "lessons.txt", "--parts", "all", "--added", "more.txt", "--out", "mended"]
    assert outcome([*command, *QUICK, "--json"]) == 0
    (held,) = json.loads(capsys.readouterr().out)["models"]
    assert held["folder"] == "mended"
    assert held["card"]["sentences"] == 375 + 1
    assert (held["card"]["parts"], held["card"]["added"]) == (["all"], ["more.txt"])
    assert "dev" not in held["card"]
    assert CrfTagger("./mended").seen(["雪化了。", "雪停了。"]).tolist() == [True, False]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--parts", "train+exam"], "No part is called 'exam'"),
        (["--set", "speed=3"], "No setting of the tagger crf is called 'speed'"),
        (["--set", "passes=many"], "--set passes=many is no number"),
        (["--set", "passes"], "--set passes is no number"),
        (["--set", "passes=0"], "passes is 0"),
        (["--set", "algorithm=magic"], "No algorithm is called 'magic'"),
        (["--data", "nowhere.txt"], "nowhere.txt"),
        (["--name", "../mine"], "cannot be the name of a model"),
    ],
)
def test_what_cannot_be_is_refused(
    options: list[str], problem: str, corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert outcome(["taggers", "train", "--data", "lessons.txt", "--quiet", *options]) == 2
    assert problem in capsys.readouterr().err
