"""Is any program that reads lines a tagger, and does a bad sentence cost only itself?"""

from __future__ import annotations

import os
import pickle
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError, tagger
from hengliang.tagging import restored_words as restored
from hengliang.tagging.taggers import line_programs
from hengliang.tagging.taggers.program import ProgramTagger, _spans
from tests.tagging.taggers.line_tagger import words

SCRIPT = Path(__file__).parent / "line_tagger.py"
SENTENCES = ["他走了。", "天很好。", "这句坏。", "我们去。", "", " ", "花开了。", "又坏了。", "再见！", "１/2 和3"]
BAD = (2, 7)
GOOD = [row for row in range(len(SENTENCES)) if row not in BAD]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait less for an answer that never comes: these programs have nothing to load."""
    monkeypatch.setattr(line_programs, "PATIENCE", 0.3)


def command(*arguments: str) -> str:
    # -S -E: without the packages of this environment Python starts in a third of the time.
    return " ".join([sys.executable, "-S", "-E", str(SCRIPT), *arguments])


def expected(sentence: str) -> object:
    return restored(sentence, [(word, "x") for word in words(sentence)])


def children() -> list[str]:
    """Return the commands of the processes that this one has started and that still run."""
    found = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    commands = [Path(f"/proc/{number}/cmdline") for number in found]
    return [text for file in commands if file.exists() and "line_tagger" in (text := file.read_text())]


@pytest.mark.parametrize("way", ["flush", "hold"])
@pytest.mark.parametrize(
    ("misdeed", "problem"),
    [
        ("crash", "the program died (signal SIGSEGV)"),
        ("exit", "the program ended (exit code 3): I give up."),
        ("hang", "gave no answer within 1 s"),
        ("more", {"flush": "the program wrote not one line", "hold": "the program wrote 2 lines for 1 sentence"}),
        ("fewer", {"flush": "gave no answer within 1 s", "hold": "the program wrote 0 lines for 1 sentence"}),
        ("foreign", "the program's line is not UTF-8 (byte 1 is 0xD5)"),  # 这 is D5 E2 in GB 18030
        ("change", "the tagger added '好' at the end of the sentence"),
        ("untagged", "'好' in the program's line has no tag"),
        ("blank", "the tagger returned no words"),
    ],
    ids=lambda value: value if isinstance(value, str) and value.isalpha() else "",
)
def test_a_bad_sentence_costs_only_itself(way: str, misdeed: str, problem: str | dict[str, str]) -> None:
    with ProgramTagger(command(way, misdeed), seconds=1) as program:
        found = program.tag(SENTENCES)
        assert program.answers_at_once == (way == "flush")
        told = problem if isinstance(problem, str) else problem[way]
        assert found.problems[2].startswith(told)
        assert found.problems[7]
        assert [found.problems[row] for row in GOOD] == [""] * len(GOOD)
        assert [found.of(row) for row in GOOD] == [expected(SENTENCES[row]) for row in GOOD]
    assert children() == []


@pytest.mark.parametrize("way", ["flush", "hold"])
def test_lines_too_many_and_too_few_do_not_make_up_for_each_other(way: str) -> None:
    # The first bad sentence has two lines, the second none: the number of lines is right, their places are not.
    sentences = ["好。", "一月。", "三月。", "四月。", "二月。", "五月。"]
    with ProgramTagger(command(way, "swap"), seconds=1) as program:
        found = program.tag(sentences)
    assert [bool(problem) for problem in found.problems] == [False, True, False, False, True, False]
    assert [found.of(row) for row in (0, 2, 3, 5)] == [expected(sentences[row]) for row in (0, 2, 3, 5)]


def test_a_word_may_hold_the_separator_and_the_separator_may_be_another() -> None:
    with ProgramTagger(command("flush", "''", "#"), separator="#") as program:
        assert program.tag(["1/2#3好"]).of(0) == [(0, 3, "x"), (3, 4, "x"), (4, 5, "x"), (5, 8, "x")]
    # By hand: of 1/2/m the last slash counts; ///w is the word //; a piece without a word is the tag of a space.
    assert _spans("1/2 //", b"1/2/m /w ///w", "/") == [(0, 3, "m"), (3, 6, "w")]
    assert _spans("a_b好", "a_b_x 好_a".encode(), "_") == [(0, 3, "x"), (3, 6, "a")]
    assert _spans("好人", "好/a\t人/n \r".encode(), "/") == [(0, 3, "a"), (3, 6, "n")]


@given(st.lists(st.tuples(st.text("好人_/#12", min_size=1), st.sampled_from(["n", "v", "w"])), min_size=1))
def test_what_is_written_is_read(tagged: list[tuple[str, str]]) -> None:
    line = " ".join(f"{word}/{tag}" for word, tag in tagged)
    sentence = "".join(word for word, _ in tagged)
    found = _spans(sentence, line.encode(), "/")
    assert not isinstance(found, str)
    assert [(sentence.encode()[start:end].decode(), tag) for start, end, tag in found] == tagged


def test_both_ways_to_ask_give_the_same_and_awkward_sentences_stand() -> None:
    with ProgramTagger(command("flush"), name="one") as flush, ProgramTagger(command("hold"), name="one") as hold:
        sentences = ["他\n走\r\n了\u2028。", "\ud800", "长" * 20_000, "", "　", "好　的", "\x00他", "字\u0301走"]
        one, other = flush.tag(sentences), hold.tag(sentences)
        assert one.problems == other.problems
        assert [one.of(row) for row in range(8)] == [other.of(row) for row in range(8)]
        assert [bool(problem) for problem in one.problems] == [False, True, True, False, False, False, False, False]
        assert [finding for finding in flush.conformance() if not finding.kept] == []


def test_batches_of_any_size_give_the_same() -> None:
    with ProgramTagger(command("flush")) as program:  # one process for all examples

        @settings(max_examples=25)
        @given(st.lists(st.sampled_from(["他走了。", "再见！", "", "好 的", "1/2"]), max_size=30), st.integers(1, 7))
        def same(sentences: list[str], size: int) -> None:
            parts = [program.tag(sentences[start : start + size]) for start in range(0, len(sentences), size)]
            rows = [part.problems[row] or part.of(row) for part in parts for row in range(len(part))]
            assert rows == [expected(sentence) for sentence in sentences]

        same()


@pytest.mark.parametrize(
    ("told", "match"),
    [
        ("", "needs a command"),
        ("no-such-tagger-here --fast", "There is no program 'no-such-tagger-here'"),
        ("cat 'unclosed", "No closing quotation"),
        ("cat", "did not tag the sentence .* it answered"),
        ("false", r"did not tag the sentence .* ended \(exit code 1\)"),
        ("sh -c 'echo one; echo two'", "wrote 2 lines for 1 sentence"),
        ("true", "wrote 0 lines for 1 sentence"),
    ],
)
def test_a_program_that_does_not_tag_is_an_error(told: str, match: str) -> None:
    with pytest.raises(UserError, match=match):
        ProgramTagger(told).tag(["好。"])


def test_a_program_that_never_answers_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_programs, "STARTING", 0.5)
    began = time.monotonic()
    with pytest.raises(UserError, match=r"gave no answer within 0.5 s"):
        # What a shell has started is ended with it.
        ProgramTagger("sh -c 'sleep 3600; echo'").tag(["好。"])
    assert time.monotonic() - began < 60


def test_impossible_arguments_are_refused() -> None:
    for program in (ProgramTagger("cat", separator=" "), ProgramTagger("cat", seconds=0)):
        with pytest.raises(UserError):
            program.tag(["好。"])


def test_the_signature_holds_the_program_and_the_files_of_the_command(tmp_path: Path) -> None:
    model = tmp_path / "model"
    model.write_text("one")
    script = tmp_path / "tagger"
    script.write_text("#!/bin/sh\nsed 's/./&\\/x /g'\n")
    script.chmod(0o755)
    made = ProgramTagger(f"{script} -n {model}")
    first = made.signature()
    assert dict(first.pairs)["command"] == f"{script} -n {model}"
    model.write_text("two")
    second = made.signature()
    script.write_text("#!/bin/sh\nsed 's/./&\\/y /g'\n")
    assert len({first.hash, second.hash, made.signature().hash}) == 3
    # Not even a running program is part of it, nor how it is asked.
    reference = f"program:{command('flush')}"
    with tagger(reference) as program:  # type: ignore[attr-defined]
        before = program.signature()
        program.tag(["好。"])
        assert program.signature() == before
        assert program.name == reference
        assert "_program" not in pickle.loads(pickle.dumps(program)).__dict__


def test_a_program_that_is_forgotten_ends() -> None:
    program = ProgramTagger(command("flush"))
    program.tag(["好。"])
    assert len(children()) >= 1
    before = len(children())
    del program
    deadline = time.monotonic() + 10
    while len(children()) >= before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(children()) == before - 1


def test_a_script_among_the_arguments_may_be_long() -> None:
    script = "import sys;" + "x = 1;" * 100 + "[print(' '.join(c + '/x' for c in line.strip())) for line in sys.stdin]"
    with ProgramTagger(f'{sys.executable} -S -E -c "{script}"') as program:
        assert program.signature().hash
        assert program.tag(["好。"]).of(0) == [(0, 3, "x"), (3, 6, "x")]


def test_a_program_that_speaks_gbk_is_told_so() -> None:
    script = "import sys;sys.stdin.read();sys.stdout.buffer.write('好/a'.encode('gbk'))"
    with pytest.raises(UserError, match="it answered what is not UTF-8"):
        ProgramTagger(f'{sys.executable} -S -E -c "{script}"').tag(["好。"])


def test_threads_do_not_take_each_others_answers() -> None:
    parts = [[f"第{part}批第{number}句。" for number in range(150)] for part in range(6)]
    with ProgramTagger(command("flush")) as program, ThreadPoolExecutor(6) as pool:
        for part, found in zip(parts, pool.map(program.tag, parts), strict=True):
            assert [found.of(row) for row in range(len(part))] == [expected(sentence) for sentence in part]
