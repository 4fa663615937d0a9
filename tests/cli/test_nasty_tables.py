"""Does every command that takes a table read the same rows of the same files, and refuse the same ones alike?

A command is one entry of `COMMANDS`. `test_no_command_is_forgotten` finds those that take a file and are not here.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hengliang.cli.main import outcome
from tests.cli.classifier_runs import saved_rule
from tests.cli.nasty_tables import KINDS, Rows, nasty
from tests.systems.language_models import small_models

Capture = pytest.CaptureFixture[str]


@dataclass(frozen=True)
class Command:
    """A command that takes a table: its words, {} for the file, and rows that it understands.

    `by_number` are the words with columns named by their numbers, where columns can be named at all.
    """

    words: str
    rows: Rows
    by_number: str = ""
    survey: bool = False

    def given(self, file: str, *options: str, numbered: bool = False) -> list[str]:
        """Return the words of the command line."""
        words = shlex.split(self.by_number if numbered else self.words)
        named = {"{}": file, "{model}": small_models.__file__}
        return [*(named.get(word, word) for word in words), *options]


RATINGS = Rows(
    ("note", "item", "rater", "system", "fluency"),
    tuple(
        (f"第{item}句，好的", str(item), rater, system, str(1 + (item * 3 + place * 2 + (system == "甲")) % 7))
        for item in range(1, 7)
        for place, rater in enumerate(("王", "李", "张"))
        for system in ("甲", "乙")
    ),
    "note",
    ("item", "fluency"),
)
SCORES = Rows(
    ("item", "score", "fluency", "note"),
    tuple((str(item), str(item * 5 % 7), str(item * 3 % 7), f"第{item}句") for item in range(1, 13)),
    "note",
    ("item", "score", "fluency"),
)
RECONSTRUCTIONS = Rows(
    ("text", "pair", "describer", "participant", "scene", "BS", "RS", "BC", "RC"),
    tuple(
        ("都是蓝的", str(pair), describer, participant, "BS=2 RC=2", "2", str(swaps), "0", str(2 - swaps))
        for pair, (describer, swaps) in enumerate([("人", 0), ("IA", 1), ("人", 1), ("IA", 2)], 1)
        for participant in ("王", "李")
    ),
    "text",
    ("pair", "BS", "RS", "BC", "RC"),
)
DESCRIPTIONS = Rows(
    ("subject", "scene", "scene_size", "text"),
    tuple((f"甲{place % 3}", "BS=2 RC=2", "4", f"第{place}次：一半是圆的") for place in range(1, 7)),
    "text",
    ("scene_size",),
)
PAIRS = Rows(
    ("describer", "scene", "scene_size", "text"),
    tuple(
        (describer, f"BS={count} RC=2", str(count + 2), "都是蓝的") for describer in ("IA", "人") for count in (1, 2, 3)
    ),
    "text",
    ("scene_size",),
)
SLOTS = Rows(
    ("id", "sentence", "noun", "classifier", "RULE", "LSTM"),
    (
        ("s1", "桌 上 有 一 <CL> 信 。", "信", "封", "封", "张"),
        ("s2", "他 牵 着 一 <CL> 马 。", "马", "匹", "匹", "个"),
        ("s3", "门 口 停 着 两 <CL> 车 。", "车", "辆", "台", "台"),
        ("s4", "她 买 了 三 <CL> 书 。", "书", "本", "册", "套"),
    ),
    "sentence",
)
ITEMS = Rows(
    ("item", "text", "system", "scene_size"),
    tuple(
        (f"s{item}", f"{system}写了第{item}句。", system, str(item)) for item in range(1, 5) for system in ("甲", "乙")
    ),
    "text",
    ("scene_size",),
)
SENTENCES = Rows(
    ("sentence", "year"),
    (("他 买 了 书 。", "1"), ("她 买 了 车 。", "2"), ("他 来 了 。", "3"), ("她 来 了 。", "4")),
    "sentence",
    ("year",),
)
MARKED = Rows(
    ("sentence", "noun"),
    (("他牵着一<CL>马", "马"), ("她买了三<CL>书", "书"), ("树上有两<CL>鸟", "鸟"), ("有一<CL>桌子", "桌子")),
    "sentence",
)

COMMANDS: Mapping[str, Command] = {
    "analyse": Command(
        "analyse {} --measure fluency --by system --pair item,rater --no-model --json --quiet",
        RATINGS,
        "analyse {} --measure 5 --by 4 --pair 2,3 --no-model --json --quiet",
    ),
    "fit": Command("fit 'fluency ~ system' {} --json", RATINGS),
    "agree": Command(
        "agree {} {} --second-score fluency --draws 20 --json",
        SCORES,
        "agree {} {} --item 1 --first-score 2 --second-score 3 --draws 20 --json",
    ),
    "scenes analyse": Command("scenes analyse {} --draws 20 --json", RECONSTRUCTIONS),
    "scenes corpus": Command("scenes corpus {} --seeds 0 --draws 20 --json", DESCRIPTIONS),
    "scenes experiment": Command(
        "scenes experiment {} --readers 2 --participants 4 --out made --json", PAIRS, survey=True
    ),
    "classifiers experiment": Command("classifiers experiment {} --out made --json --quiet", SLOTS, survey=True),
    "survey design": Command("survey design {} --out made --json", ITEMS, survey=True),
    "score": Command(
        "score {} --model 'small bigrams' --file {model} --with-text --json",
        SENTENCES,
        "score {} --model 'small bigrams' --file {model} --with-text --json --column 1",
    ),
    "taggers tag": Command(
        "taggers tag --file {} --tagger rjieba --json",
        SENTENCES,
        "taggers tag --file {} --tagger rjieba --json --column 1",
    ),
    "classifiers choose": Command("classifiers choose --file {} --model rule --json", MARKED),
}
"""The commands, by what is typed."""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    saved_rule(tmp_path / "rule")
    return tmp_path


@dataclass(frozen=True)
class Answer:
    """What a command did: its exit code, what it read, and what it told on the error stream."""

    code: int
    read: Any
    told: str


VOLATILE = ("signature", "experiment", "report", "survey", "schema_version", "form")


def _steady(value: Any, file: str) -> Any:
    if isinstance(value, dict):
        return {key: _steady(held, file) for key, held in value.items() if key not in VOLATILE}
    if isinstance(value, list):
        return [_steady(held, file) for held in value]
    return value.replace(Path(file).stem, "FILE") if isinstance(value, str) else value


def ask(capsys: Capture, command: Command, file: str, *options: str, numbered: bool = False) -> Answer:
    """Give a command a file and see what it made of it."""
    capsys.readouterr()
    code = outcome(command.given(file, *options, numbered=numbered))
    shown = capsys.readouterr()
    read = _steady(json.loads(shown.out), file) if shown.out else None
    if command.survey and code == 0:
        from hengliang.surveys import read_experiment

        held = read_experiment(Path("made"))
        read = [read, held.stimuli.to_dicts(), held.versions.to_dicts()]
        Path("made").rename(f"{len(list(Path().iterdir()))}-made")
    return Answer(code, read, " ".join(shown.err.split()))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", COMMANDS)
def test_the_same_rows_are_read(name: str, kind: str, here: Path, capsys: Capture) -> None:
    command = COMMANDS[name]
    (file, options), held = nasty(here, command.rows, kind)
    found = ask(capsys, command, file, *options)
    assert found.code == 0, found.told
    (here / "reference").mkdir()
    nasty(here / "reference", held, "JSON Lines")
    expected = ask(capsys, command, "reference/table.jsonl")
    assert found.read == expected.read
