"""Does a worker find the same code as its parent, and say what cannot travel?"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from hengliang.core.engine.supervision import end_family, modules_by_file, pack, said, unpicklable, work
from hengliang.core.errors import UserError
from hengliang.core.registry import load_file


def test_a_file_loaded_by_its_path_is_among_the_modules_to_find_again(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def double(number):\n    return 2 * number\n")
    module = load_file(file)
    found = modules_by_file()
    assert found[module.__name__] == (str(file.resolve()), None)
    # What the search path finds by its name needs no help.
    assert "polars" not in found
    assert "pytest" not in found


def conversation(function: object, batches: list[object]) -> list[Any]:
    """Talk with a real worker process and return its answers."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=work, args=(theirs, modules_by_file()), daemon=True)
    process.start()
    theirs.close()
    answers = [pickle.loads(ours.recv_bytes())]
    ours.send_bytes(pack(function))
    answers.append(pickle.loads(ours.recv_bytes()))
    for batch in batches:
        ours.send_bytes(pack(batch))
        answers.append(pickle.loads(ours.recv_bytes()))
    ours.send_bytes(b"")
    process.join(10)
    assert process.exitcode == 0
    return answers


def test_a_worker_loads_the_function_once_and_answers_batch_by_batch(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def double(number):\n    return 2 * number\n")
    answers = conversation(load_file(file).double, [1, 2, "x"])
    assert answers == [("started", None), ("ready", None), ("result", 2), ("result", 4), ("result", "xx")]


def test_a_worker_says_what_the_function_raised() -> None:
    *_, (kind, (packed, saying, text)) = conversation(len, [5])
    assert kind == "raised"
    assert isinstance(pickle.loads(packed), TypeError)
    assert saying == "TypeError: object of type 'int' has no len()"
    assert "Traceback" in text or "TypeError" in text


def test_what_cannot_travel_is_explained() -> None:
    error = unpicklable("The function cannot be sent")
    assert isinstance(error, UserError)
    assert "top level of a module" in error.valid
    assert said(KeyError("a")) == "KeyError: 'a'"


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="only Linux tells who has started whom")
def test_a_family_ends_with_shells_that_would_go_on_and_threads_that_start_others() -> None:
    # Each shell leads a group of its own, and goes on to its second command when only the first is killed.
    script = (
        "import subprocess, threading, time\n"
        "def start():\n"
        "    for _ in range(8):\n"
        "        subprocess.Popen(['sh', '-c', 'sleep 600; sleep 601'], process_group=0)\n"
        "    time.sleep(600)\n"
        "for _ in range(4):\n"
        "    threading.Thread(target=start).start()\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], process_group=0) as leader:
        family: list[psutil.Process] = []
        deadline = time.monotonic() + 30
        while len(family) < 64 and time.monotonic() < deadline:  # 32 shells and the first command of each
            family = psutil.Process(leader.pid).children(recursive=True)
            time.sleep(0.05)
        groups = {os.getpgid(process.pid) for process in family}
        end_family(leader.pid)
    assert (len(family), len(groups)) == (64, 32)
    while still_running(groups) and time.monotonic() < deadline:
        time.sleep(0.05)
    left = still_running(groups)
    for number in left:
        os.kill(number, signal.SIGKILL)
    assert left == []


def still_running(groups: set[int]) -> list[int]:
    """Return the processes of some groups that are not dead."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.NoSuchProcess, ProcessLookupError):
            if os.getpgid(process.pid) in groups and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
    return found
