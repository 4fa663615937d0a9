"""Are lines exchanged with a program in time, whatever it writes and whomever it starts?"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hengliang.tagging.taggers import line_programs as line_exchange
from hengliang.tagging.taggers.line_programs import Talk, run

SAID = "the program ended (exit code 1): last words"
ECHO = "import sys\nfor line in sys.stdin:\n    print(line.strip(), flush=True)\n"
# Python without the packages of this environment.
PYTHON = [sys.executable, "-S", "-E", "-c"]


def alive(number: int) -> bool:
    """Say whether a process runs; one that has ended and waits to be asked for does not."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def ends(number: int) -> bool:
    deadline = time.monotonic() + 5
    while alive(number) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not alive(number)


def test_lines_come_back_in_order_however_many() -> None:
    lines = [f"第{number}天。" * 20 for number in range(3000)]  # more than a pipe holds, both ways
    assert run([*PYTHON, ECHO], lines, 20, 0) == [line.encode() for line in lines]


def test_a_program_that_does_not_read_is_no_trouble() -> None:
    lines = ["长" * 10_000] * 50
    assert run([*PYTHON, "print('好/a')"], lines, 20, 0) == "the program wrote 1 lines for 50 sentences"


@pytest.mark.parametrize("end", ["", "\\n"])
def test_output_without_end_is_cut_off(end: str) -> None:
    endless = f"import sys\nwhile True: sys.stdout.write('x' * 999 + '{end}')"
    began = time.monotonic()
    # 1 MB, and 32 bytes for each of the three of 好 and the end of the line.
    assert run([*PYTHON, endless], ["好"], 30, 0) == "the program wrote more than 1,048,704 bytes"
    assert time.monotonic() - began < 20


def test_a_talk_is_over_when_output_has_no_end() -> None:
    talk = Talk([*PYTHON, "import sys\nsys.stdin.readline()\nwhile True: sys.stdout.write('x' * 999)"])
    assert str(talk.answer("好", 30, 0)).startswith("the program wrote more than")
    assert not talk.running


def test_the_time_limit_holds_while_a_program_writes() -> None:
    drip = "import sys, time\nsys.stdin.readline()\nwhile True: print('x', end='', flush=True); time.sleep(0.01)"
    for asked in (lambda: Talk([*PYTHON, drip]).answer("好", 0.5, 0), lambda: run([*PYTHON, drip], ["好"], 0.5, 0)):
        began = time.monotonic()
        assert asked() == "gave no answer within 0.5 s"
        assert time.monotonic() - began < 5


def test_what_is_written_for_people_does_not_fill_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_exchange, "_KEPT_MESSAGES", 1 << 16)
    sizes: list[int] = []
    truncate = os.ftruncate

    def noted(file: int, size: int) -> None:
        sizes.append(os.fstat(file).st_blocks * 512)
        truncate(file, size)

    monkeypatch.setattr(os, "ftruncate", noted)
    flood = "import sys\nfor k in range(400): sys.stderr.write('w' * 9999)\nsys.exit('\\nlast words')"
    assert run([*PYTHON, flood], ["好"], 20, 0) == SAID
    talk = Talk(
        [*PYTHON, "import sys\nfor line in sys.stdin:\n    sys.stderr.write('w' * 99999)\n    print('x', flush=True)"]
    )
    assert [talk.answer("好", 20, 0) for _ in range(5)] == [b"x"] * 5
    assert sizes and talk.errors is not None
    assert os.fstat(talk.errors.fileno()).st_blocks * 512 < 500_000
    talk.stop()


@pytest.mark.parametrize("code", [0, 3])
def test_what_a_program_has_started_ends_with_it(tmp_path: Path, code: int) -> None:
    file = tmp_path / "number"
    starting = (
        "import subprocess, sys\n"
        "null = subprocess.DEVNULL\n"
        "other = subprocess.Popen(['sleep', '60'], stdin=null, stdout=null, stderr=null)\n"
        f"open({str(file)!r}, 'w').write(str(other.pid))\n"
        "print(sys.stdin.readline().strip(), flush=True)\n"
        f"sys.exit({code})\n"
    )
    found = run([*PYTHON, starting], ["好"], 20, 0)
    assert found == (["好".encode()] if not code else "the program ended (exit code 3)")
    assert ends(int(file.read_text()))
    talk = Talk([*PYTHON, starting])
    assert talk.answer("好", 20, 0) == "好".encode()
    number = int(file.read_text())
    deadline = time.monotonic() + 5
    while talk.running and time.monotonic() < deadline:
        time.sleep(0.02)
    talk.stop()
    assert ends(number)


def test_a_line_longer_than_a_pipe_comes_back_or_costs_the_time_limit_only() -> None:
    line = "好" * 200_000  # 600 kB, where a pipe holds 64
    talk = Talk(["cat"])
    assert [talk.answer(line, 60, 0), talk.answer("短", 60, 0)] == [line.encode(), "短".encode()]
    talk.stop()
    deaf = Talk(["sleep", "60"])
    assert deaf.answer(line, 0.5, 0) == "gave no answer within 0.5 s"
    assert not deaf.running


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks on Windows")
def test_a_fork_talks_to_a_program_of_its_own_and_leaves_the_other_to_its_parent() -> None:
    script = (
        "import os, sys\n"
        "from hengliang.tagging.taggers.line_programs import Talk\n"
        "talk = Talk(['cat'])\n"
        "talk.answer('a', 60, 0)\n"
        "program = talk.program\n"
        "if os.fork() == 0:\n"
        "    print(talk.running, talk.answer('c', 60, 0), talk.program.pid == program.pid, flush=True)\n"
        "    sys.exit()\n"  # which runs what was to be done at the end
        "os.wait()\n"
        "print(talk.running, talk.answer('b', 60, 0), talk.program is program)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False b'c' False\nTrue b'b' True\n"
