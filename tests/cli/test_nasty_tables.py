"""Does every command that takes a table read the same rows of the same files, and refuse the same ones alike?

A command is one entry of `COMMANDS`. `test_no_command_is_forgotten` finds those that take a file and are not here.
"""

from __future__ import annotations

import json
import re
import shlex
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest

from hengliang.classifiers import read_ccd, read_speakers
from hengliang.cli.main import cli, outcome
from hengliang.core import TableOptions, TableWarning
from hengliang.scenes import read_descriptions, read_scene_pairs
from hengliang.surveys import read_items
from hengliang.tagging import read_review
from tests.cli.classifier_runs import saved_rule
from tests.cli.nasty_tables import KINDS, Rows, delimited, nasty
from tests.language_models import small_models
from tests.recorded_toy import HEAD, MISSING

Capture = pytest.CaptureFixture[str]


@dataclass(frozen=True)
class Command:
    """A command that takes a table: its words, {} for the file, and rows that it understands.

    `by_number` are the words with columns named by their numbers, where columns can be named at all. `place` is where
    the file lies in a folder that the command is given instead.
    """

    words: str
    rows: Rows
    by_number: str = ""
    survey: bool = False
    place: str = ""

    def given(self, file: str, *options: str, numbered: bool = False) -> list[str]:
        """Return the words of the command line."""
        words = shlex.split(self.by_number if numbered else self.words)
        named = {"{}": file, "{model}": small_models.__file__}
        return [*(named.get(word, word) for word in words), *options]

    def take(self, file: str) -> None:
        """Put the file where the command looks for it."""
        if self.place and Path(file).is_file():
            Path(self.place).parent.mkdir(parents=True, exist_ok=True)
            Path(self.place).write_bytes(Path(file).read_bytes())

    def named(self, told: str, file: str) -> str:
        """Return what was told, about the file by its own name."""
        return told.replace(self.place, file).replace(Path(self.place).name, file) if self.place else told


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
    ("score", "fluency"),
)
RECONSTRUCTIONS = Rows(
    ("text", "pair", "describer", "participant", "scene", "BS", "RS", "BC", "RC"),
    tuple(
        ("都是蓝的", str(pair), describer, participant, "BS=2 RC=2", "2", str(swaps), "0", str(2 - swaps))
        for pair, (describer, swaps) in enumerate([("人", 0), ("IA", 1), ("人", 1), ("IA", 2)], 1)
        for participant in ("王", "李")
    ),
    "text",
    ("BS", "RS", "BC", "RC"),
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
SURPRISALS = Rows(
    ("note", *HEAD.split()),
    tuple(
        (f"第{number}句，{word}", str(number), str(place), word, str(nats))
        for number, (words, surprisals) in enumerate(MISSING, 1)
        for place, (word, nats) in enumerate(zip(words.split(), surprisals, strict=True), 1)
    ),
    "note",
    ("sentence_id", "token_id"),
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
        "score {} --model 'small bigrams' --file {model} --measure logprob --with-text --json",
        SENTENCES,
        "score {} --model 'small bigrams' --file {model} --measure logprob --with-text --json --column 1",
    ),
    "taggers tag": Command(
        "taggers tag --file {} --tagger rjieba --json",
        SENTENCES,
        "taggers tag --file {} --tagger rjieba --json --column 1",
    ),
    "suites table": Command(
        "suites table --recorded recorded --json", SURPRISALS, place="recorded/lstm-trial0/mobj_none.tsv"
    ),
    "classifiers choose": Command("classifiers choose --file {} --model rule --json", MARKED),
}
"""The commands, by what is typed."""

BY_ROW = ("score", "taggers tag", "classifiers choose")
"""These answer each row or tell why not, whatever its fault: they refuse no line."""

REFUSING = tuple(name for name in COMMANDS if name not in BY_ROW)

ELSEWHERE = {
    "filter": "reads as `score` does",
    "classifiers proofread": "reads as `classifiers choose` does",
    "scenes describe": "reads descriptions as `scenes corpus` does",
    "survey rehearse": "hands the options on to `classifiers experiment`",
    "taggers build": "a review, which has comments",
}
"""Commands that take a table and are tried elsewhere, and why."""

NO_TABLES: Mapping[str, str] = {
    **dict.fromkeys(("lm perplexity", "lm score"), "plain text"),
    **dict.fromkeys(
        ("taggers mine", "taggers compare", "taggers mend", "taggers test", "taggers train"), "tagged text"
    ),
    **dict.fromkeys(("suites convert", "suites lint", "suites run", "suites show", "suites verbs"), "suites"),
    **dict.fromkeys(("lm next", "lm parse", "lm surprisal", "scenes read"), "the text itself"),
    **dict.fromkeys(("new plugin", "new study", "check", "run"), "the name of a plug-in or a study"),
    **dict.fromkeys(("data get", "data show", "data verify", "replicate"), "a name of a catalogue"),
    **dict.fromkeys(("models remove", "models show", "lm train", "lm export"), "a model"),
    **dict.fromkeys(("survey exclude", "survey methods", "survey restore", "survey serve"), "a survey"),
    **dict.fromkeys(("power", "survey simulate"), "a plan"),
    "classifiers inventory": "classifiers",
    "classifiers train": "sources of slots; a table of the dataset among them is read as recognised",
    "compare": "runs",
    "scenes draw": "the code of a scene",
    "suites pairs": "minimal pairs in the layouts of their publishers",
    "taggers maps": "a tag map, which has remarks that say what it maps",
}
"""What the other commands are given that might have been a table."""


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
    command.take(file)
    code = outcome(command.given(file, *options, numbered=numbered))
    shown = capsys.readouterr()
    read = _steady(json.loads(shown.out), file) if shown.out else None
    if command.survey and code == 0:
        from hengliang.surveys import read_experiment

        held = read_experiment(Path("made"))
        read = [read, held.stimuli.to_dicts(), held.versions.to_dicts()]
        Path("made").rename(f"{len(list(Path().iterdir()))}-made")
    return Answer(code, read, command.named(" ".join(shown.err.split()), file))


def reference(capsys: Capture, command: Command, rows: Rows, *, numbered: bool = False) -> Any:
    """Return what a command makes of rows that nothing is nasty about."""
    Path("reference").mkdir()
    (file, _), _ = nasty(Path("reference"), rows, "plain" if command.place else "JSON Lines")
    answer = ask(capsys, command, f"reference/{file}", numbered=numbered)
    assert answer.code == 0, answer.told
    return answer.read


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", COMMANDS)
def test_the_same_rows_are_read(name: str, kind: str, here: Path, capsys: Capture) -> None:
    command = COMMANDS[name]
    (file, options), held = nasty(here, command.rows, kind)
    if command.place and Path(file).suffix not in {".csv", ".tsv"}:
        pytest.skip("such a file is no text")
    found = ask(capsys, command, file, *options)
    assert found.code == 0, found.told
    assert found.read == reference(capsys, command, held)


@pytest.mark.parametrize("name", [name for name, command in COMMANDS.items() if command.by_number])
def test_columns_without_names_are_called_by_their_numbers(name: str, here: Path, capsys: Capture) -> None:
    command = COMMANDS[name]
    Path("table.csv").write_text(delimited(command.rows, header=False), encoding="utf-8")
    found = ask(capsys, command, "table.csv", "--no-header", numbered=True)
    assert found.code == 0, found.told
    assert found.read == reference(capsys, command, command.rows.numbered(), numbered=True)


LINE = 4
"""The line that is broken: that of the third row."""


def broken(rows: Rows, fault: str) -> bytes:
    """Return the rows as CSV with a broken line in the middle."""
    lines = delimited(rows).encode().splitlines()
    lines[LINE - 1 : LINE - 1] = [
        {
            "a cell too many": lines[LINE - 1] + b",more",
            "bytes that are none": b"\xff\xfe\xff" + lines[LINE - 1],
            "an open quotation mark": b'"' + lines[LINE - 1],
        }[fault]
    ]
    return b"\n".join(lines) + b"\n"


FAULTS = {
    "a cell too many": "there are {more} cells, and {columns} columns",
    "bytes that are none": "byte 1 of the line is not UTF-8",
    "an open quotation mark": "a quotation mark opens a field in this row and is never closed",
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", REFUSING)
def test_a_bad_line_is_refused_by_its_number_or_left_out_and_told(
    name: str, fault: str, here: Path, capsys: Capture
) -> None:
    command = COMMANDS[name]
    Path("table.csv").write_bytes(broken(command.rows, fault))
    columns = len(command.rows.header)
    problem = FAULTS[fault].format(more=columns + 1, columns=columns)
    # In a file called .tsv commas are found out only where each line has as many.
    options = ("--delimiter", "comma") if command.place else ()
    refused = ask(capsys, command, "table.csv", *options)
    assert refused.code == 2 and f"hengliang: table.csv, line {LINE}: {problem}." in refused.told
    assert "To leave such lines out: --errors skip" in refused.told
    found = ask(capsys, command, "table.csv", *options, "--errors", "skip")
    assert found.code == 0, found.told
    assert f"warning: 1 line of table.csv could not be read and is left out (line {LINE}: {problem})" in found.told
    assert found.read == reference(capsys, command, command.rows)


REFUSED: Mapping[str, tuple[str, bytes, tuple[str, ...], str]] = {
    "an empty file": ("table.csv", b"", (), "table.csv holds no "),
    "a header alone": ("table.csv", b"{header}\n", (), "table.csv holds no "),
    "another form": ("table.docx", b"x", (), "The ending of 'table.docx' names no table that can be read."),
    "a workbook by another name": ("table.csv", b"PK\x03\x04", (), "table.csv is not text: it is an Excel workbook"),
    "an unknown encoding": ("table.csv", b"a,b\n", ("--encoding", "utf8x"), "The encoding 'utf8x' does not exist."),
    "a sheet of a text": ("table.csv", b"a,b\n", ("--sheet", "data"), "table.csv has no sheets."),
    "no delimiter": ("table.csv", b"a,b\n", ("--delimiter", "and"), "'and' is no delimiter."),
    "two columns of one name": ("table.csv", b"a,a\n1,2\n", (), "table.csv has two columns called 'a'."),
}


@pytest.mark.parametrize("what", REFUSED)
@pytest.mark.parametrize("name", REFUSING)
def test_what_cannot_be_read_is_refused_in_the_same_words(name: str, what: str, here: Path, capsys: Capture) -> None:
    command = COMMANDS[name]
    file, content, options, problem = REFUSED[what]
    Path(file).write_bytes(content.replace(b"{header}", ",".join(command.rows.header).encode()))
    if what == "two columns of one name" and command.rows is SLOTS:
        pytest.skip("the columns need no names here")
    if command.place and what in {"another form", "a sheet of a text"}:
        pytest.skip("the files of such a folder are text by their names")
    refused = ask(capsys, command, file, *options)
    assert refused.code == 2 and f"hengliang: {problem}" in refused.told


@pytest.mark.parametrize("name", [name for name in REFUSING if not COMMANDS[name].place])
def test_a_file_that_is_not_there_is_refused(name: str, capsys: Capture) -> None:
    refused = ask(capsys, COMMANDS[name], "lost.csv")
    assert refused.code == 2 and "lost.csv" in refused.told


@pytest.mark.parametrize("name", COMMANDS)
def test_marks_that_are_read_as_text_are_told(name: str, here: Path, capsys: Capture) -> None:
    command = COMMANDS[name]
    (file, _), _ = nasty(here, command.rows, "tabs with stray quotation marks")
    # The first of the marks opens the text of the first row, and the last row has the other: no row is whole there.
    told = "The quotation marks of table.tsv are read as part of the text: as quoting, they would"
    assert f"warning: {told} leave no whole row on line 2. --quoting standard" in ask(capsys, command, file).told
    assert told not in ask(capsys, command, file, "--quoting", "none").told


# --- from Python ------------------------------------------------------------------------------------------------------

ANSWERS = Rows(
    ("sentence", "participant", "answer", "note"),
    tuple((f"他牵着{word}<CL>马。", who, "匹", "确定") for word in "一二三" for who in ("王", "李")),
    "note",
)
REVIEW = Rows(
    ("pair", "decision", "instances", "note"),
    (
        ("n:v", "keep", "12", "好"),
        ("vn:v", "drop", "3", "太细"),
        ("p+r:d", "keep", "7", "常见"),
        ("a:d", "keep", "1", ""),
    ),
    "note",
    ("instances",),
)
DOORS: Mapping[str, tuple[Callable[[Path, TableOptions], Any], Rows]] = {
    "classifiers.read_speakers": (lambda file, table: read_speakers(file, table=table).table.rows(), ANSWERS),
    "classifiers.read_ccd": (lambda file, table: read_ccd(file, table=table).drop("paragraph").rows(), SLOTS),
    "scenes.read_descriptions": (
        lambda file, table: read_descriptions(file, table=table).drop("description_id").rows(),
        DESCRIPTIONS,
    ),
    "scenes.read_scene_pairs": (lambda file, table: read_scene_pairs(file, table=table), PAIRS),
    "surveys.read_items": (lambda file, table: read_items(file, table=table).stimuli.rows(), ITEMS),
    "tagging.read_review": (lambda file, table: read_review(file, table=table).rows(), REVIEW),
}
"""Functions that read a table, what of it they read, and rows that they understand."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", DOORS)
def test_python_reads_the_same_rows(name: str, kind: str, here: Path) -> None:
    read, rows = DOORS[name]
    (file, options), held = nasty(here, rows, kind)
    asked: dict[str, Any] = {option.removeprefix("--"): value for option, value in batched(options)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TableWarning)
        found = read(here / file, TableOptions(**asked))
    (here / "reference").mkdir()
    nasty(here / "reference", held, "JSON Lines")
    assert found == read(here / "reference" / "table.jsonl", TableOptions())


def batched(options: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield each option with its value."""
    return zip(options[::2], options[1::2], strict=True)


# --- no command is forgotten ------------------------------------------------------------------------------------------


def parameters() -> dict[str, dict[str, click.Parameter]]:
    """Return the parameters of every command by the name under which it is typed."""
    found: dict[str, dict[str, click.Parameter]] = {}

    def walk(command: click.Command, words: tuple[str, ...]) -> None:
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                below = command.get_command(context, name)
                assert below is not None
                walk(below, (*words, name))
        else:
            found[" ".join(words)] = {part.name or "": part for part in command.params}

    walk(cli, ())
    return found


def may_name_a_file(parameter: click.Parameter) -> bool:
    """Say whether what is given may be the path of a file to read."""
    if parameter.name in {"out", "rejected", "plot", "folder", "run", "plugin", "target"}:
        return False
    named = re.search("FILE|PATH|CORPUS|DATA|SUITE|TSV|SET", str(parameter.metavar)) is not None
    text = isinstance(parameter, click.Argument) and parameter.type is click.STRING
    return isinstance(parameter.type, click.Path) or named or text


def test_no_command_is_forgotten() -> None:
    held = parameters()
    tables = {name for name, parts in held.items() if "delimiter" in parts}
    assert tables == {*COMMANDS, *ELSEWHERE}
    # Every other command that may be given a file says here what sort of file that is.
    others = {name for name, parts in held.items() if any(map(may_name_a_file, parts.values()))} - tables
    assert others == set(NO_TABLES)


def test_the_options_are_the_same_everywhere() -> None:
    held = parameters()
    usual = held["analyse"]
    for name in (*COMMANDS, *ELSEWHERE):
        for option in ("encoding", "delimiter", "quoting", "no_header", "sheet", "errors"):
            if option in held[name]:
                assert held[name][option].to_info_dict() == usual[option].to_info_dict(), name
    # Text is recognised by every command that reads it.
    assert {parts["encoding"].default for parts in held.values() if "encoding" in parts} == {"auto"}
