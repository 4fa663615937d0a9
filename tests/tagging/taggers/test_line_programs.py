"""Is a program asked in the way that it can answer, and is the line found that it fails on?"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.core import Failure
from hengliang.tagging.taggers import line_programs
from hengliang.tagging.taggers import line_programs as line_exchange
from hengliang.tagging.taggers.line_programs import LineProgram, arguments
from tests.tagging.taggers.line_tagger import words

SCRIPT = Path(__file__).parent / "line_tagger.py"


def command(*told: str) -> str:
    return " ".join([sys.executable, "-S", "-E", str(SCRIPT), *told])


def answer(line: str) -> bytes:
    return " ".join(f"{word}/x" for word in words(line)).encode()


def fits(line: str, reply: bytes) -> bool:
    return reply == answer(line)


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that will hold the number of lines of each batch."""
    sizes: list[int] = []
    run = line_exchange.run

    def counting(told: list[str], lines: list[str], seconds: float, grace: float) -> object:
        sizes.append(len(lines))
        return run(told, lines, seconds, grace)

    monkeypatch.setattr(line_programs, "run", counting)
    return sizes


def test_many_lines_go_in_few_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = counted(monkeypatch)
    lines = [f"第{number}天。" for number in range(3000)]
    program = LineProgram(command("hold"), 100, fits)
    assert program.ask(lines) == [answer(line) for line in lines]
    assert not program.answers_at_once
    # The short sentence, then batches that grow by four as long as they are quick: 64 + 256 + 1024 + 1656.
    assert sizes == [1, 64, 256, 1024, 1656]


def test_a_batch_that_fails_is_split_into_eight(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = counted(monkeypatch)
    lines = [f"第{number}天{'坏' * (number == 9)}。" for number in range(64)]
    replies = LineProgram(command("hold", "exit"), 100, fits).ask(lines)
    assert [row for row, reply in enumerate(replies) if isinstance(reply, str)] == [9]
    assert replies[9] == "the program ended (exit code 3): I give up."
    # The short sentence, all 64, eight times 8, of which the second fails and goes one by one.
    assert sizes == [1, 64, 8, 8, 1, 1, 1, 1, 1, 1, 1, 1, 8, 8, 8, 8, 8, 8]


def test_a_program_that_answers_at_once_is_started_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    # A shell that notes each start and then tags by itself.
    script = tmp_path / "noted.sh"
    script.write_text(f"echo started >> {log}\nexec {command('flush')}\n")
    program = LineProgram(f"sh {script}", 30, fits)
    lines = [f"第{number}天。" for number in range(450)]
    assert program.ask(lines) == [answer(line) for line in lines]
    assert program.ask(lines[:3]) == [answer(line) for line in lines[:3]]
    assert program.answers_at_once
    # Once with the input closed, once with it left open.
    assert log.read_text().split() == ["started", "started"]
    program.close()
    assert program.ask(["好。"]) == [answer("好。")]
    assert log.read_text().split() == ["started"] * 3
    program.close()


def test_a_program_that_ends_after_one_line_is_started_for_each(tmp_path: Path) -> None:
    script = tmp_path / "once.sh"
    script.write_text("head -n 1 | sed 's/./&\\/x /g'\n")
    program = LineProgram(f"sh {script}", 30, fits_with_spaces)
    assert program.ask(["好", "人"]) == ["好/x ".encode(), "人/x ".encode()]
    assert not program.answers_at_once


def test_a_program_that_has_ended_before_the_next_line_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "once.sh"
    script.write_text("head -n 1 | sed 's/./&\\/x /g'\n")
    ask = line_exchange.Talk.answer

    def ask_and_wait(talk: line_exchange.Talk, line: str, seconds: float, grace: float) -> line_exchange.Reply:
        reply = ask(talk, line, seconds, grace)
        while talk.running:  # until the program has surely ended, and would be started again
            time.sleep(0.001)
        return reply

    monkeypatch.setattr(line_exchange.Talk, "answer", ask_and_wait)
    program = LineProgram(f"sh {script}", 30, fits_with_spaces)
    assert program.ask(["好", "人"]) == ["好/x ".encode(), "人/x ".encode()]
    assert not program.answers_at_once


def fits_with_spaces(line: str, reply: bytes) -> bool:
    return reply.decode().replace("/x ", "") == line


def test_commands_are_read_as_in_a_shell() -> None:
    assert arguments("cat 'a b' c")[1:] == ["a b", "c"]
    assert Path(arguments("cat")[0]).is_absolute()
    for told in ("", "  ", "no-such-program-here", "cat 'open"):
        with pytest.raises(UserError):
            arguments(told)


def test_a_file_that_is_no_program_is_named(tmp_path: Path) -> None:
    script = tmp_path / "broken"
    script.write_bytes(b"\x7fELF nothing")
    script.chmod(0o755)
    with pytest.raises(Failure, match="broken cannot be started"):
        LineProgram(str(script), 5, fits).ask(["好。"])
