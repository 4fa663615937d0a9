"""Do all engines give the same results, and does no worker process ever get lost or stay behind?"""

from __future__ import annotations

import importlib.util
import itertools
import os
import platform
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import psutil
import pytest

from hengliang.core.engine.mapping import (
    LOOK_AHEAD,
    InProcess,
    Processes,
    WorkerDied,
    available_cpus,
    available_threads,
    engine_named,
    map_batches,
)
from hengliang.core.errors import Failure, UserError

PATIENCE = 20.0  # seconds; only a broken engine needs them


def wait_until(condition: Callable[[], bool]) -> bool:
    """Return whether the condition became true before patience ran out."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return False


def is_running(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


_older: set[int] = set()
"""The children that this process had before the test began, such as a database that other tests share."""


@pytest.fixture(autouse=True)
def _note_older_children() -> None:
    _older.clear()
    _older.update(child.pid for child in psutil.Process().children())


def family(process: psutil.Process) -> list[psutil.Process]:
    """Return a process with all that it started, or nothing if it has just ended."""
    try:
        return [process, *process.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def running_workers() -> list[int]:
    """Return the pids of all processes that the test brought about, but for the tracker that Python itself keeps."""
    own = [child for child in psutil.Process().children() if child.pid not in _older]
    children = [each for child in own for each in family(child)]
    return [child.pid for child in children if is_running(child.pid) and "resource_tracker" not in str(child.cmdline())]


def pids_written(folder: Path) -> list[int]:
    """Return the pids that workers have written into their files."""
    return [int(text) for file in folder.glob("pid-*") if (text := file.read_text())]


def has_written(folder: Path, count: int) -> bool:
    return len(pids_written(folder)) >= count


def all_have_ended(pids: list[int]) -> bool:
    return not any(is_running(pid) for pid in pids)


def collect_into(given: list[Any], results: Iterator[Any]) -> None:
    """Keep what came before an error."""
    for result in results:
        given.append(result)  # noqa: PERF402 - extend would lose what came before the error


# What the workers run: a worker imports this module, so it stays light.


def square(number: int) -> int:
    return number * number


def square_unevenly(number: int) -> int:
    time.sleep(0.03 if number % 3 == 0 else 0)
    return number * number


def pid_of(_batch: object) -> int:
    return os.getpid()


def end_by(code: int, batch: int) -> int:
    """End the worker at batch 2: by a signal when the code is negative, else by an exit code."""
    if batch == 2 and code < 0:
        os.kill(os.getpid(), -code)
        time.sleep(PATIENCE)
    elif batch == 2:
        os._exit(code)
    return batch


def die_once(folder: Path, batch: int) -> int:
    flag = folder / f"died-{batch}"
    if batch in {1, 4} and not flag.exists():
        flag.touch()
        os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(PATIENCE)
    return square(batch)


def wait_for_go(folder: Path, batch: int) -> int:
    """Write the worker's pid, then wait until there is a file `go`."""
    (folder / f"pid-{batch}").write_text(str(os.getpid()))
    wait_until((folder / "go").exists)
    return batch


class TwoPartError(Exception):
    """Cannot be unpickled: its constructor wants two arguments, pickle gives one."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(f"{first} and {second}")


class PlainError(ValueError):
    pass


def fail_on_two(kind: str, batch: int) -> int:
    if batch == 2:
        if kind == "user":
            raise UserError("Line 3 is empty.", valid="A word.", remedy="Add one.")
        if kind == "two-part":
            raise TwoPartError("flour", "water")
        if kind == "exit":
            raise SystemExit(5)
        raise PlainError("no such thing")
    return batch


def fail_late_and_early(batch: int) -> int:
    """Batch 1 fails slowly, batch 2 at once."""
    if batch == 1:
        time.sleep(0.3)
    if batch > 0:
        raise PlainError(f"batch {batch}")
    return batch


def answer_with_function(_batch: int) -> Callable[[], None]:
    return lambda: None


def first_waits_for_go(folder: Path, batch: int) -> int:
    return wait_for_go(folder, batch) if batch == 0 else batch


def others_wait_for_go(folder: Path, batch: int) -> int:
    return batch if batch == 0 else wait_for_go(folder, batch)


class ModelThatIsMissing:
    """A function whose model cannot be loaded in the worker."""

    def __call__(self, batch: int) -> int:
        return batch

    def __reduce__(self) -> tuple[object, ...]:
        return (load_missing_model, ())


class DiesWhileLoading(ModelThatIsMissing):
    """A function that ends the worker before it is ready, as a model too large for the memory does."""

    def __reduce__(self) -> tuple[object, ...]:
        return (signal.raise_signal, (signal.SIGKILL,))


class CountsLoads:
    """A function that leaves a file each time it is packed or loaded."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __getstate__(self) -> dict[str, Path]:
        (self.folder / f"packed-{time.monotonic_ns()}").touch()
        return {"folder": self.folder}

    def __setstate__(self, state: dict[str, Path]) -> None:
        self.folder = state["folder"]
        (self.folder / f"loaded-{os.getpid()}-{time.monotonic_ns()}").touch()

    def __call__(self, batch: int) -> int:
        time.sleep(0.01)
        return os.getpid()


def load_missing_model() -> None:
    raise UserError("There is no model m.", remedy="Train it.")


def environment(name: str) -> str | None:
    return os.environ.get(name)


def polars_work(batch: Any) -> tuple[int, Any]:
    import polars as pl

    return pl.thread_pool_size(), batch.group_by("word").agg(pl.col("count").sum()).sort("word")


def start_workers_inside(batch: int) -> list[int]:
    return list(map_batches(square, [batch], engine=Processes(workers=1)))


def leave_a_child_behind(folder: Path, by: str, batch: int) -> int:
    """Start a program that keeps the worker's pipes open, then die."""
    if not (folder / "child").exists():
        os.system(f"{by} sleep {int(PATIENCE)} & echo $! > {folder / 'child'}")
        os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(PATIENCE)
    return batch


# Order, results, laziness


@pytest.mark.parametrize(("batches", "workers"), [(0, 2), (1, 3), (4, 1), (25, 2)])
def test_results_and_order_do_not_depend_on_the_engine(batches: int, workers: int) -> None:
    here = list(map_batches(square_unevenly, range(batches)))
    assert here == [number * number for number in range(batches)]
    assert list(map_batches(square_unevenly, iter(range(batches)), engine=Processes(workers))) == here
    assert running_workers() == []


def test_no_more_processes_than_batches() -> None:
    assert len(set(map_batches(pid_of, range(1), engine=Processes(8)))) == 1


def test_the_function_is_packed_once_and_loaded_once_a_worker(tmp_path: Path) -> None:
    pids = list(map_batches(CountsLoads(tmp_path), range(30), engine=Processes(2)))
    assert os.getpid() not in pids
    assert len(list(tmp_path.glob("packed-*"))) == 1
    loaded = [file.name.split("-")[1] for file in tmp_path.glob("loaded-*")]
    assert len(loaded) == len(set(loaded)) <= 2
    assert {str(pid) for pid in pids} <= set(loaded)


def test_batches_and_results_may_be_larger_than_a_pipe_holds() -> None:
    large = [bytes([number]) * 3_000_000 for number in range(6)]
    assert list(map_batches(partial(bytes.__add__, large[0]), large, engine=Processes(2))) == [
        large[0] + batch for batch in large
    ]


@pytest.mark.parametrize(("engine", "ahead"), [(InProcess(), 0), (Processes(2), 2 * LOOK_AHEAD)])
def test_an_endless_source_is_taken_only_a_little_ahead(engine: InProcess | Processes, ahead: int) -> None:
    taken = 0

    def endless() -> Iterator[int]:
        nonlocal taken
        for number in itertools.count():
            taken += 1
            yield number

    with closing(engine.map(square, endless())) as results:
        assert taken == 0
        for given in range(1, 60):
            assert next(results) == (given - 1) ** 2
            # Before the result is handed out, `given - 1` are out and at most `ahead` more were taken.
            assert given <= taken <= given - 1 + max(ahead, 1)
        time.sleep(0.1)
        assert taken <= 59 - 1 + max(ahead, 1)


def test_a_slow_first_batch_holds_the_source_back(tmp_path: Path) -> None:
    taken: list[int] = []
    seen: list[int] = []

    def source() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    def watch() -> None:
        wait_until(lambda: len(taken) >= 2 * LOOK_AHEAD)
        time.sleep(0.3)
        seen.append(len(taken))
        (tmp_path / "go").touch()

    watcher = threading.Thread(target=watch)
    watcher.start()
    with closing(Processes(2).map(partial(first_waits_for_go, tmp_path), source())) as results:
        assert next(results) == 0
    watcher.join()
    assert seen == [2 * LOOK_AHEAD]  # the other worker did seven batches meanwhile and then had to wait


def test_a_source_that_fails_is_raised_after_the_results_before_it() -> None:
    def source() -> Iterator[int]:
        yield from range(3)
        raise PlainError("the source broke")

    for engine in (InProcess(), Processes(2)):
        given: list[int] = []
        with pytest.raises(PlainError, match="the source broke"):
            collect_into(given, engine.map(square, source()))
        assert given == [0, 1, 4]
    assert running_workers() == []


# Workers that die


def test_a_worker_that_dies_once_is_replaced_and_reported(tmp_path: Path) -> None:
    events: list[WorkerDied] = []
    results = map_batches(partial(die_once, tmp_path), range(6), engine=Processes(2), on_event=events.append)
    assert list(results) == [0, 1, 4, 9, 16, 25]
    assert sorted(events, key=str) == [WorkerDied(1, 1, -signal.SIGKILL), WorkerDied(4, 1, -signal.SIGKILL)]
    assert str(events[0]) in {f"A worker process died on batch {n}, attempt 1: signal SIGKILL." for n in (1, 4)}
    assert running_workers() == []


@pytest.mark.parametrize(
    ("code", "workers", "named"),
    [(7, 1, "exit code 7"), (-signal.SIGSEGV, 1, "signal SIGSEGV"), (-signal.SIGKILL, 2, "signal SIGKILL")],
)
def test_a_batch_that_always_kills_its_worker_fails_after_its_attempts(code: int, workers: int, named: str) -> None:
    events: list[WorkerDied] = []
    given: list[int] = []
    with pytest.raises(Failure) as caught:
        collect_into(given, Processes(workers, attempts=2).map(partial(end_by, code), range(40), events.append))
    assert given == [0, 1]
    assert events == [WorkerDied(2, 1, code), WorkerDied(2, 2, code)]
    assert "Batch 2 " in caught.value.problem
    assert "attempt 2 of 2" in caught.value.problem
    assert named in caught.value.problem
    assert ("fewer workers (processes:1)" in caught.value.remedy) == (workers == 2)
    assert ("memory" in caught.value.valid) == (code == -signal.SIGKILL)
    assert running_workers() == []


def test_workers_that_die_while_starting_are_not_replaced_for_ever() -> None:
    events: list[WorkerDied] = []
    with pytest.raises(Failure, match=r"2 worker processes died before their first batch.*SIGKILL") as caught:
        list(Processes(1, attempts=2).map(DiesWhileLoading(), [1], events.append))
    assert events == [WorkerDied(None, 0, -signal.SIGKILL)] * 2
    assert "memory" in caught.value.valid
    assert running_workers() == []


def signal_the_first_worker(folder: Path, number: signal.Signals) -> threading.Thread:
    """Once batch 0 is in a worker's hands, send that worker a signal, then let the work go on."""

    def send_then_go() -> None:
        wait_until(lambda: bool(pids_written(folder)))
        os.kill(pids_written(folder)[0], number)
        time.sleep(0.1)
        (folder / "go").touch()

    thread = threading.Thread(target=send_then_go)
    thread.start()
    return thread


@pytest.mark.parametrize(
    ("number", "deaths"), [(signal.SIGKILL, [WorkerDied(0, 1, -signal.SIGKILL)]), (signal.SIGINT, [])]
)
def test_a_worker_killed_from_outside_is_replaced_and_an_interrupt_alone_does_nothing(
    tmp_path: Path, number: signal.Signals, deaths: list[WorkerDied]
) -> None:
    thread = signal_the_first_worker(tmp_path, number)
    events: list[WorkerDied] = []
    assert list(Processes(1).map(partial(wait_for_go, tmp_path), range(3), events.append)) == [0, 1, 2]
    thread.join()
    assert events == deaths


@pytest.mark.parametrize("sent", [False, True])
def test_a_worker_that_dies_before_it_reads_a_batch_costs_no_attempt(sent: bool, tmp_path: Path) -> None:
    (tmp_path / "go").touch()

    def source() -> Iterator[int]:
        yield 0
        wait_until(lambda: bool(pids_written(tmp_path)))
        time.sleep(0.3)  # long enough for the answer to lie in the pipe, unread: the parent is here
        (pid,) = pids_written(tmp_path)
        if sent:  # a stopped worker cannot read what the parent sends, and then it is killed
            os.kill(pid, signal.SIGSTOP)
            threading.Timer(0.3, os.kill, (pid, signal.SIGKILL)).start()
        else:
            os.kill(pid, signal.SIGKILL)
            assert wait_until(lambda: not is_running(pid))
        yield 1

    events: list[WorkerDied] = []
    results = Processes(1, attempts=1).map(partial(wait_for_go, tmp_path), source(), events.append)
    assert list(results) == [0, 1]
    assert events == [WorkerDied(None, 0, -signal.SIGKILL)]


@pytest.mark.parametrize(("by", "stays"), [("setsid", True), ("", False)])
def test_a_death_is_seen_even_if_a_child_of_the_worker_keeps_its_pipes_open(
    by: str, stays: bool, tmp_path: Path
) -> None:
    events: list[WorkerDied] = []
    started = time.monotonic()
    assert list(Processes(1).map(partial(leave_a_child_behind, tmp_path, by), [5], events.append)) == [5]
    assert events == [WorkerDied(0, 1, -signal.SIGKILL)]
    child = int((tmp_path / "child").read_text())
    # Only what has left the worker's process group outlives the worker.
    assert is_running(child) == stays
    assert time.monotonic() - started < PATIENCE
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)


class KilledWhileItAnswers:
    """A function whose worker is killed once, in the middle of writing an answer of 50 MB."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, batch: int) -> bytes:
        if not (self.folder / f"killed-{batch}").exists():
            (self.folder / f"killed-{batch}").touch()
            threading.Thread(target=self._kill, daemon=True).start()
        return bytes(50_000_000)

    def _kill(self) -> None:
        while True:  # until the system call of the main thread is `write` (1) with more than 40 MB
            call = Path(f"/proc/self/task/{os.getpid()}/syscall").read_text().split()
            if call[0] == "1" and int(call[3], 16) > 40_000_000:
                os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.skipif(platform.machine() != "x86_64" or sys.platform != "linux", reason="reads numbers of system calls")
def test_a_worker_that_dies_while_it_answers_costs_one_attempt_and_no_time(tmp_path: Path) -> None:
    events: list[WorkerDied] = []
    started = time.monotonic()
    answers = Processes(2).map(KilledWhileItAnswers(tmp_path), range(2), events.append)
    assert [len(answer) for answer in answers] == [50_000_000] * 2
    assert sorted(events, key=str) == [WorkerDied(batch, 1, -signal.SIGKILL) for batch in range(2)]
    assert time.monotonic() - started < PATIENCE


# Errors


@pytest.mark.parametrize("kind", ["user", "plain", "exit", "two-part"])
def test_an_error_of_the_function_arrives_with_its_type_and_remote_traceback(kind: str) -> None:
    expected = {"user": UserError, "plain": PlainError, "exit": SystemExit, "two-part": Failure}[kind]
    events: list[WorkerDied] = []
    given: list[int] = []
    with pytest.raises(expected) as caught:
        collect_into(given, Processes(1).map(partial(fail_on_two, kind), range(9), events.append))
    error = caught.value
    assert type(error) is expected
    assert given == [0, 1]
    assert events == []  # an exception is no death: nothing is tried again
    assert any("fail_on_two" in note and "batch 2" in note for note in error.__notes__)
    if isinstance(error, Failure):
        assert "TwoPartError: flour and water" in error.problem
    elif isinstance(error, UserError):
        assert (error.problem, error.valid, error.remedy) == ("Line 3 is empty.", "A word.", "Add one.")
    elif isinstance(error, SystemExit):
        assert error.code == 5


def test_the_first_failing_batch_in_order_is_the_one_raised() -> None:
    for engine in (InProcess(), Processes(2)):
        given: list[int] = []
        with pytest.raises(PlainError, match="batch 1"):
            collect_into(given, engine.map(fail_late_and_early, range(9)))
        assert given == [0]


def test_a_function_that_cannot_be_pickled_is_refused_at_once() -> None:
    with pytest.raises(UserError, match=r"function cannot be sent to a worker process: .*<lambda>") as caught:
        Processes(2).map(lambda batch: batch, [1])
    assert "top level" in caught.value.valid
    assert "'local'" in caught.value.remedy


def test_a_batch_or_result_that_cannot_be_pickled_is_named() -> None:
    given: list[object] = []
    with pytest.raises(UserError, match=r"Batch 1 cannot be sent to a worker process.*pickle"):
        collect_into(given, Processes(1).map(type, [1, answer_with_function(0)]))
    assert given == [int]
    with pytest.raises(UserError, match=r"Batch 0 .*a function as result cannot be sent back.*pickle"):
        list(Processes(1).map(answer_with_function, [1]))


def test_a_function_that_a_worker_cannot_import_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("module_without_a_file")
    exec("def double(batch): return 2 * batch", module.__dict__)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    with pytest.raises(UserError, match=r"cannot be loaded in a worker process: ModuleNotFoundError: .*module_without"):
        list(Processes(2).map(module.double, [1, 2]))
    assert running_workers() == []


def test_a_user_error_while_the_function_is_loaded_keeps_its_parts() -> None:
    with pytest.raises(UserError) as caught:
        list(Processes(1).map(ModelThatIsMissing(), [1]))
    assert caught.value.problem == "There is no model m."
    assert caught.value.remedy == "Train it."


@pytest.mark.parametrize("engine", [Processes(workers=0), Processes(workers=1, attempts=0)])
def test_numbers_below_one_are_refused(engine: Processes) -> None:
    with pytest.raises(UserError, match="=0 is not possible"):
        engine.map(square, [1])


def test_workers_cannot_start_workers() -> None:
    with pytest.raises(UserError, match="cannot start workers of its own"):
        list(Processes(1).map(start_workers_inside, [1]))


# Where functions come from, what workers inherit


@pytest.mark.parametrize(("name", "searched"), [("my_tagger", False), ("another_name", True)])
def test_a_function_from_a_file_loaded_by_its_path(
    name: str, searched: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "my_tagger.py"
    file.write_text("class Tagger:\n    def __call__(self, batch):\n        return [word + '/n' for word in batch]\n")
    if searched:
        monkeypatch.syspath_prepend(str(tmp_path))
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    assert list(Processes(1).map(module.Tagger(), [["马"], ["书", "歌"]])) == [["马/n"], ["书/n", "歌/n"]]


def test_polars_works_on_both_sides_with_its_threads_shared_out(monkeypatch: pytest.MonkeyPatch) -> None:
    import polars as pl

    for name in ("POLARS_MAX_THREADS", "RAYON_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    frame = pl.DataFrame({"word": ["马", "书", "马"], "count": [1, 2, 3]})
    expected = pl.DataFrame({"word": ["书", "马"], "count": [2, 4]}).sort("word")
    assert polars_work(frame)[1].equals(expected)  # the parent's thread pool runs before any worker starts
    ((threads, result),) = Processes(2).map(polars_work, [frame])
    assert result.equals(expected)
    assert threads == max(1, available_cpus() // 2)
    assert "POLARS_MAX_THREADS" not in os.environ


def test_thread_counts_that_the_user_set_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("RAYON_NUM_THREADS", raising=False)
    shared = str(max(1, available_cpus() // 64))
    found = list(Processes(64).map(environment, ["OMP_NUM_THREADS", "RAYON_NUM_THREADS"]))
    assert found == ["7", shared]
    assert "RAYON_NUM_THREADS" not in os.environ


# Nothing is left behind


def test_closing_early_ends_the_workers_at_once(tmp_path: Path) -> None:
    results = Processes(2).map(partial(others_wait_for_go, tmp_path), range(9))
    assert next(results) == 0
    assert wait_until(lambda: len(running_workers()) == 2)
    pids = running_workers()
    started = time.monotonic()
    results.close()
    assert time.monotonic() - started < PATIENCE / 2
    assert not any(is_running(pid) for pid in pids)


def test_an_error_of_the_caller_ends_the_workers() -> None:
    def count_and_fail() -> None:
        with closing(Processes(2).map(square, itertools.count())) as results:
            for result in results:
                if result == 9:
                    raise PlainError("the caller broke")

    with pytest.raises(PlainError):
        count_and_fail()
    assert running_workers() == []


@contextmanager
def running_script(folder: Path, text: str) -> Iterator[subprocess.Popen[str]]:
    """Run a script of the user's in a process group of its own, as a terminal does; end what a bug leaves."""
    script = folder / "script.py"
    script.write_text(
        "import os, sys, time\nfrom pathlib import Path\nfrom hengliang.core.engine.mapping import *\n" + text
    )
    command = [sys.executable, str(script), str(folder)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True) as parent:
        try:
            yield parent
        finally:
            with suppress(ProcessLookupError):
                os.killpg(parent.pid, signal.SIGKILL)


WORK_FOR_EVER = """
def work(batch):
    (Path(sys.argv[1]) / f"pid-{batch}").write_text(str(os.getpid()))
    while batch == 0:
        sum(range(1000))
    time.sleep(600)

if __name__ == "__main__":
    list(map_batches(work, range(9), engine=Processes(2)))
"""


def test_workers_end_when_the_parent_is_killed(tmp_path: Path) -> None:
    with running_script(tmp_path, WORK_FOR_EVER) as parent:
        assert wait_until(lambda: len(pids_written(tmp_path)) == 2)
        pids = pids_written(tmp_path)
        assert all(is_running(pid) for pid in pids)
        parent.kill()
        assert wait_until(lambda: not any(is_running(pid) for pid in pids))


def test_what_an_idle_worker_has_started_ends_when_the_parent_is_killed(tmp_path: Path) -> None:
    # The worker hears of it by its pipe, at which it waits, as soon as by the death itself.
    idle = """
import subprocess

def work(batch):
    (Path(sys.argv[1]) / f"pid-{batch}").write_text(str(subprocess.Popen(["sleep", "600"]).pid))

if __name__ == "__main__":
    for _ in map_batches(work, range(8), engine=Processes(1)):
        time.sleep(0.3)
"""
    for attempt in range(3):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        with running_script(folder, idle) as parent:
            assert wait_until(partial(has_written, folder, 4))
            time.sleep(0.1)
            parent.kill()
            assert wait_until(partial(all_have_ended, pids_written(folder)))


def test_an_interrupt_ends_parent_and_workers_quickly_with_one_traceback(tmp_path: Path) -> None:
    with running_script(tmp_path, WORK_FOR_EVER) as parent:
        assert wait_until(lambda: len(pids_written(tmp_path)) == 2)
        pids = pids_written(tmp_path)
        started = time.monotonic()
        os.killpg(parent.pid, signal.SIGINT)
        _, errors = parent.communicate(timeout=PATIENCE)
        assert time.monotonic() - started < PATIENCE / 2
        assert parent.returncode == -signal.SIGINT
        assert errors.count("Traceback") == 1  # the parent's own
        assert not any(is_running(pid) for pid in pids)


def test_an_interrupt_while_workers_start_is_as_quiet(tmp_path: Path) -> None:
    slow_start = """
if __name__ != "__main__":
    (Path(sys.argv[1]) / f"pid-{os.getpid()}").write_text(str(os.getpid()))
    time.sleep(600)
else:
    list(map_batches(abs, range(9), engine=Processes(2)))
"""
    with running_script(tmp_path, slow_start) as parent:
        assert wait_until(lambda: len(pids_written(tmp_path)) == 2)
        pids = pids_written(tmp_path)
        os.killpg(parent.pid, signal.SIGINT)
        _, errors = parent.communicate(timeout=PATIENCE)
        assert parent.returncode == -signal.SIGINT
        assert errors.count("Traceback") == 1
        assert not any(is_running(pid) for pid in pids)


# Scripts


def test_a_script_without_the_guard_is_told_so_and_ends(tmp_path: Path) -> None:
    with running_script(tmp_path, "print(list(map_batches(abs, range(9), engine=Processes(2))))") as parent:
        output, errors = parent.communicate(timeout=PATIENCE)
    assert parent.returncode == 1
    assert "Failure: A worker process died before it was ready" in errors
    assert "`if __name__ == '__main__':`" in errors
    assert errors.count("Traceback") == 1  # the workers themselves are silent
    assert output == ""


def test_functions_classes_and_errors_of_a_script(tmp_path: Path) -> None:
    text = """
from functools import partial
from dataclasses import dataclass

@dataclass
class Answer:
    number: int

class Refusal(Exception):
    pass

def work(batch):
    if batch == 2:
        raise Refusal("no")
    return Answer(batch)

if __name__ == "__main__":
    try:
        for answer in map_batches(work, range(9), engine=Processes(2)):
            print(answer, type(answer) is Answer)
    except Refusal as refusal:
        print(repr(refusal))
"""
    with running_script(tmp_path, text) as parent:
        output, errors = parent.communicate(timeout=PATIENCE)
    assert output.splitlines() == ["Answer(number=0) True", "Answer(number=1) True", "Refusal('no')"], errors


def test_a_function_typed_at_the_prompt_is_refused_with_a_remedy(tmp_path: Path) -> None:
    text = "from hengliang.core import *\ndef work(b): return b\nlist(map_batches(work, [1], engine=Processes(1)))"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=PATIENCE, cwd=tmp_path)
    assert "UserError: The function cannot be loaded in a worker process: AttributeError" in done.stderr
    assert "'work'" in done.stderr
    assert "Move the function to a file" in done.stderr


# Names


def test_engines_by_name() -> None:
    assert engine_named("local") == InProcess()
    assert engine_named("processes") == Processes(workers=available_cpus(), attempts=3)
    assert engine_named("processes:4") == Processes(workers=4)


def test_an_unknown_engine_names_the_known_ones() -> None:
    with pytest.raises(UserError) as caught:
        engine_named("proceses")
    assert "No engine is called 'proceses'. Did you mean processes?" in str(caught.value)
    assert "local, processes, processes:N" in str(caught.value)


@pytest.mark.parametrize(
    "name", ["processes:", "processes:0", "processes:-1", "processes:two", "processes:2.5", "processes:٤"]
)
def test_a_wrong_number_of_processes_is_explained(name: str) -> None:
    with pytest.raises(UserError, match="does not say how many") as caught:
        engine_named(name)
    assert name in caught.value.problem
    assert "from 1" in caught.value.valid


def test_local_takes_no_number() -> None:
    with pytest.raises(UserError, match="No engine is called 'local:2'"):
        engine_named("local:2")


def test_a_library_uses_its_share_of_the_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert available_threads() == available_cpus()
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert available_threads() == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "1000")
    assert available_threads() == available_cpus()
    for odd in ("0", "", "2,1"):
        monkeypatch.setenv("OMP_NUM_THREADS", odd)
        assert 1 <= available_threads() <= available_cpus()
