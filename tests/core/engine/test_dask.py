"""Does a Dask cluster give the same results in the same order, whatever happens to its workers?"""

from __future__ import annotations

import itertools
import os
import random
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hengliang.cli.main import outcome
from hengliang.core.engine import dask as engine_dask
from hengliang.core.engine.dask import Dask, dask_at
from hengliang.core.engine.mapping import LOOK_AHEAD, WorkerDied, engine_named, map_batches
from hengliang.core.errors import Failure, UserError
from hengliang.core.registry import load_file
from tests.core.engine.test_mapping import (
    PATIENCE,
    CountsLoads,
    DiesWhileLoading,
    ModelThatIsMissing,
    PlainError,
    answer_with_function,
    collect_into,
    die_once,
    end_by,
    fail_late_and_early,
    fail_on_two,
    first_waits_for_go,
    others_wait_for_go,
    pids_written,
    running_script,
    square,
    wait_for_go,
    wait_until,
)
from tests.dask_cluster import Cluster, free_port
from tests.language_models.stories import story

distributed = pytest.importorskip("distributed", reason="distributed is not installed")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Give a cluster of two worker processes, whose nannies start them again."""
    started = Cluster(tmp_path_factory.mktemp("cluster"))
    started.work("--nthreads", "1", "--nworkers", "2")
    yield started
    assert started.end() == []


@pytest.fixture(scope="module")
def observer(cluster: Cluster) -> Iterator[Any]:
    """Give a client of Dask's own, to see how the cluster is."""
    with distributed.Client(cluster.address, set_as_default=False, timeout=PATIENCE) as client:
        yield client


@pytest.fixture
def dask(cluster: Cluster, observer: Any) -> Dask:
    """Give the engine with both workers there."""
    observer.wait_for_workers(2, timeout=PATIENCE)
    return Dask(cluster.address)


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Give a cluster without workers, which gives a task up when one worker has died of it."""
    started = Cluster(tmp_path_factory.mktemp("strict"), DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0")
    yield started
    assert started.end() == []


# What the workers run


def square_after_a_while(number: int) -> int:
    time.sleep(random.Random(number).uniform(0, 0.04))
    return number * number


def note_begin_and_end(folder: Path, batch: int) -> int:
    (folder / f"{time.monotonic_ns()}-begin-{batch}").touch()
    time.sleep(0.1)
    (folder / f"{time.monotonic_ns()}-end-{batch}").touch()
    return batch


def read_beside(name: str) -> str:
    return Path(name).read_text()


def hand_out_work(address: str, batch: int) -> list[int]:
    return list(Dask(address).map(square, [batch]))


def functions_kept() -> int:
    """Run in a worker by another way than the engine's."""
    return len(sys.modules["hengliang.core.engine.dask_worker"]._clients)


# Order, results, laziness


@pytest.mark.parametrize("batches", [0, 1, 30])
def test_results_and_order_are_those_of_local(batches: int, dask: Dask) -> None:
    here = list(map_batches(square_after_a_while, range(batches)))
    assert here == [number * number for number in range(batches)]
    assert list(map_batches(square_after_a_while, iter(range(batches)), engine=dask)) == here


def test_the_function_is_packed_once_and_loaded_once_a_worker_in_each_run(dask: Dask, tmp_path: Path) -> None:
    for run in ("first", "second"):
        folder = tmp_path / run
        folder.mkdir()
        pids = list(map_batches(CountsLoads(folder), range(30), engine=dask))
        assert len(set(pids)) == 2
        assert os.getpid() not in pids
        assert len(list(folder.glob("packed-*"))) == 1
        assert sorted(file.name.split("-")[1] for file in folder.glob("loaded-*")) == sorted(map(str, set(pids)))


def test_no_more_workers_load_the_function_than_there_are_batches(dask: Dask, tmp_path: Path) -> None:
    assert len(list(map_batches(CountsLoads(tmp_path), [1], engine=dask))) == 1
    assert len(list(tmp_path.glob("loaded-*"))) == 1


def test_batches_and_results_may_be_large(dask: Dask, recwarn: pytest.WarningsRecorder) -> None:
    large = [bytes([number]) * 12_000_000 for number in range(3)]
    assert list(map_batches(bytes.upper, large, engine=dask)) == large
    assert [str(warning.message) for warning in recwarn] == []


def test_an_endless_source_is_taken_only_a_little_ahead(dask: Dask) -> None:
    taken = 0

    def endless() -> Iterator[int]:
        nonlocal taken
        for number in itertools.count():
            taken += 1
            yield number

    with closing(dask.map(square, endless())) as results:
        assert taken == 0
        for given in range(1, 40):
            assert next(results) == (given - 1) ** 2
            assert given <= taken <= given - 1 + 2 * LOOK_AHEAD


def test_a_slow_first_batch_holds_the_source_back(dask: Dask, tmp_path: Path) -> None:
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
    with closing(dask.map(partial(first_waits_for_go, tmp_path), source())) as results:
        assert next(results) == 0
    watcher.join()
    assert seen == [2 * LOOK_AHEAD]


def test_a_source_that_fails_is_raised_after_the_results_before_it(dask: Dask) -> None:
    def source() -> Iterator[int]:
        yield from range(3)
        raise PlainError("the source broke")

    given: list[int] = []
    with pytest.raises(PlainError, match="the source broke"):
        collect_into(given, dask.map(square, source()))
    assert given == [0, 1, 4]


# Workers that die


def test_a_worker_killed_in_the_middle_changes_nothing_and_is_reported(dask: Dask, tmp_path: Path) -> None:
    def kill_then_go() -> None:
        wait_until(lambda: len(pids_written(tmp_path)) == 2)
        os.kill(int((tmp_path / "pid-0").read_text()), signal.SIGKILL)
        time.sleep(0.1)
        (tmp_path / "go").touch()

    killer = threading.Thread(target=kill_then_go)
    killer.start()
    events: list[WorkerDied] = []
    function = partial(wait_for_go, tmp_path)
    assert list(dask.map(function, range(12), events.append)) == list(map_batches(function, range(12)))
    killer.join()
    assert events == [WorkerDied(0, 1, None)]
    assert str(events[0]) == "A worker process died on batch 0, attempt 1: an unknown exit code."


def test_each_death_is_reported_with_its_batch(dask: Dask, tmp_path: Path) -> None:
    events: list[WorkerDied] = []
    assert list(dask.map(partial(die_once, tmp_path), range(6), events.append)) == [0, 1, 4, 9, 16, 25]
    assert sorted(events, key=str) == [WorkerDied(1, 1, None), WorkerDied(4, 1, None)]


@pytest.mark.parametrize("attempts", [1, 2])
def test_a_batch_that_always_kills_its_worker_fails_after_its_attempts(dask: Dask, attempts: int) -> None:
    events: list[WorkerDied] = []
    given: list[int] = []
    with pytest.raises(Failure) as caught:
        collect_into(
            given, Dask(dask.scheduler, attempts).map(partial(end_by, -signal.SIGKILL), range(40), events.append)
        )
    assert given == [0, 1]
    assert events == [WorkerDied(2, attempt, None) for attempt in range(1, attempts + 1)]
    assert f"Batch 2 (counting from 0): its worker died in attempt {attempts} of {attempts}." == caught.value.problem
    assert "smaller batches" in caught.value.remedy


def test_workers_that_die_while_they_load_the_function_are_not_tried_for_ever(dask: Dask) -> None:
    events: list[WorkerDied] = []
    with pytest.raises(Failure, match=r"2 workers of the cluster died while they loaded the function"):
        list(Dask(dask.scheduler, attempts=2).map(DiesWhileLoading(), [1], events.append))
    assert events == [WorkerDied(None, 0, None)] * 2


def test_a_cluster_without_workers_is_waited_for_so_long_and_no_longer(strict: Cluster, tmp_path: Path) -> None:
    assert list(Dask(strict.address, patience=0.5).map(square, [])) == []
    with pytest.raises(Failure, match=r"has had no worker for 0\.5 seconds") as caught:
        list(Dask(strict.address, patience=0.5).map(square, [1]))
    assert f"dask worker {strict.address} --nthreads 1" in caught.value.remedy
    # One that comes in time does the work, one batch at a time though it has two threads.
    worker = strict.work("--nthreads", "2", "--no-nanny")
    assert list(Dask(strict.address).map(partial(note_begin_and_end, tmp_path), range(4))) == [0, 1, 2, 3]
    what = [
        file.name.split("-")[1] for file in sorted(tmp_path.iterdir(), key=lambda file: int(file.name.split("-")[0]))
    ]
    assert what == ["begin", "end"] * 4
    # Dask itself gives a task up here when its worker dies; that is one attempt of ours, and then nobody is left.
    events: list[WorkerDied] = []
    with pytest.raises(Failure, match="has had no worker"):
        list(Dask(strict.address, patience=0.5).map(partial(end_by, -signal.SIGKILL), [2], events.append))
    assert events == [WorkerDied(0, 1, None)]
    assert worker.wait(PATIENCE) == -signal.SIGKILL


def test_a_retired_worker_is_no_death_and_a_lost_scheduler_a_failure(strict: Cluster, tmp_path: Path) -> None:
    strict.work("--nthreads", "1", "--no-nanny")
    events: list[WorkerDied] = []

    def retire_then_go() -> None:
        wait_until(lambda: bool(pids_written(tmp_path)))
        with distributed.Client(strict.address, set_as_default=False) as client:
            client.retire_workers(list(client.nthreads()), close_workers=False)
        strict.work("--nthreads", "1", "--no-nanny")
        (tmp_path / "go").touch()

    thread = threading.Thread(target=retire_then_go)
    thread.start()
    assert list(Dask(strict.address, 1).map(partial(wait_for_go, tmp_path), range(3), events.append)) == [0, 1, 2]
    thread.join()
    assert events == []

    results = Dask(strict.address).map(square, itertools.count())
    assert next(results) == 0
    strict.scheduler.kill()
    with pytest.raises(Failure, match=r"The connection to the Dask scheduler at tcp://.* was lost"):
        collect_into([], results)


# Errors


@pytest.mark.parametrize("kind", ["user", "plain", "exit", "two-part"])
def test_an_error_of_the_function_arrives_with_its_type_and_remote_traceback(kind: str, dask: Dask) -> None:
    expected = {"user": UserError, "plain": PlainError, "exit": SystemExit, "two-part": Failure}[kind]
    events: list[WorkerDied] = []
    given: list[int] = []
    with pytest.raises(expected) as caught:
        collect_into(given, dask.map(partial(fail_on_two, kind), range(9), events.append))
    error = caught.value
    assert type(error) is expected
    assert given == [0, 1]
    assert events == []  # an exception is no death: nothing is tried again
    assert any("fail_on_two" in note and "batch 2" in note for note in error.__notes__)
    if isinstance(error, Failure):
        assert "TwoPartError: flour and water" in error.problem
    elif isinstance(error, UserError):
        assert (error.problem, error.valid, error.remedy) == ("Line 3 is empty.", "A word.", "Add one.")


def test_the_first_failing_batch_in_order_is_the_one_raised(dask: Dask) -> None:
    given: list[int] = []
    with pytest.raises(PlainError, match="batch 1"):
        collect_into(given, dask.map(fail_late_and_early, range(9)))
    assert given == [0]


def test_what_cannot_be_pickled_is_named(dask: Dask) -> None:
    with pytest.raises(UserError, match=r"function cannot be sent to a worker process: .*<lambda>"):
        dask.map(lambda batch: batch, [1])
    given: list[object] = []
    with pytest.raises(UserError, match=r"Batch 1 cannot be sent to a worker process.*pickle"):
        collect_into(given, dask.map(type, [1, answer_with_function(0)]))
    assert given == [int]
    with pytest.raises(UserError, match=r"Batch 0 .*a function as result cannot be sent back.*pickle"):
        list(dask.map(answer_with_function, [1]))


def test_a_user_error_while_the_function_is_loaded_keeps_its_parts(dask: Dask) -> None:
    with pytest.raises(UserError) as caught:
        list(dask.map(ModelThatIsMissing(), [1]))
    assert (caught.value.problem, caught.value.remedy) == ("There is no model m.", "Train it.")


def test_a_worker_cannot_hand_out_work(dask: Dask) -> None:
    with pytest.raises(UserError, match="A worker of the cluster cannot hand out work of its own"):
        list(dask.map(partial(hand_out_work, dask.scheduler), [1]))


def test_no_attempts_are_refused() -> None:
    with pytest.raises(UserError, match="attempts=0 is not possible"):
        Dask("tcp://127.0.0.1:1", attempts=0).map(square, [1])


# Where functions come from


def test_a_file_of_the_user_is_found_and_read_again_when_it_has_changed(dask: Dask, tmp_path: Path) -> None:
    file = tmp_path / "my_tagger.py"
    for tag in ("n", "verb"):
        file.write_text(
            f"class Tagger:\n    def __call__(self, batch):\n        return [f'{{word}}/{tag}' for word in batch]\n"
        )
        module = load_file(file)
        assert list(dask.map(module.Tagger(), [["马"], ["书", "歌"]])) == [[f"马/{tag}"], [f"书/{tag}", f"歌/{tag}"]]
        del sys.modules[module.__name__]  # as in a process of its own


def test_a_relative_name_means_the_same_file(dask: Dask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("words.txt").write_text("马 书")
    assert list(dask.map(read_beside, ["words.txt"])) == ["马 书"]


SCRIPT = """
from hengliang.core.engine.dask import Dask
import beside

class Word:
    def __init__(self, text):
        self.text = text

def tag(text):
    import not_imported_yet
    return Word(beside.mark(text) + not_imported_yet.END)

if __name__ == "__main__":
    results = list(map_batches(tag, ["马", "书"], engine=Dask(os.environ["ADDRESS"])))
    print([(type(word) is Word, word.text) for word in results])
"""


def test_a_script_and_the_modules_beside_it(dask: Dask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "beside.py").write_text("def mark(text):\n    return text + '/n'\n")
    (tmp_path / "not_imported_yet.py").write_text("END = '.'\n")
    monkeypatch.setenv("ADDRESS", dask.scheduler)
    with running_script(tmp_path, SCRIPT) as script:
        told, errors = script.communicate(timeout=PATIENCE)
    assert (told, errors) == ("[(True, '马/n.'), (True, '书/n.')]\n", "")


# Nothing is left behind


def test_closing_early_is_quick_and_leaves_the_cluster_to_others(dask: Dask, observer: Any, tmp_path: Path) -> None:
    results = dask.map(partial(others_wait_for_go, tmp_path), range(9))
    assert next(results) == 0
    assert wait_until(lambda: bool(pids_written(tmp_path)))
    started = time.monotonic()
    results.close()
    assert time.monotonic() - started < PATIENCE / 2
    (tmp_path / "go").touch()
    assert list(dask.map(square, range(9))) == [number * number for number in range(9)]
    # What was begun was ended, what waited was not begun, and no worker keeps a function.
    assert len(pids_written(tmp_path)) <= 3
    assert wait_until(lambda: set(observer.run(functions_kept).values()) == {0})
    assert threading.active_count() < 20


def test_an_interrupt_ends_the_command_quickly_with_one_traceback(
    dask: Dask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADDRESS", dask.scheduler)
    text = """
from hengliang.core.engine.dask import Dask
def work(folder, batch):
    (Path(folder) / f"pid-{batch}").write_text(str(os.getpid()))
    time.sleep(1)
if __name__ == "__main__":
    from functools import partial
    list(map_batches(partial(work, sys.argv[1]), range(99), engine=Dask(os.environ["ADDRESS"])))
"""
    with running_script(tmp_path, text) as script:
        assert wait_until(lambda: bool(pids_written(tmp_path)))
        started = time.monotonic()
        os.killpg(script.pid, signal.SIGINT)
        _, errors = script.communicate(timeout=PATIENCE)
        assert time.monotonic() - started < PATIENCE / 2
        assert script.returncode == -signal.SIGINT
        assert errors.count("Traceback") == 1
    begun = len(pids_written(tmp_path))
    time.sleep(1.2)
    assert len(pids_written(tmp_path)) == begun


# The command line


def test_scores_of_an_n_gram_model_are_the_same_bytes(
    dask: Dask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    data = story(tmp_path / "story.txt")
    assert outcome(["lm", "train", "ngram", "--size", "3", "--data", data, "--out", "mine"]) == 0
    arguments = ["lm", "score", data, "--model", "mine", "--batch", "50", "--quiet", "--out"]
    assert outcome([*arguments, "local.tsv"]) == 0
    assert outcome([*arguments, "dask.tsv", "--engine", "dask", "--scheduler", dask.scheduler]) == 0
    assert Path("dask.tsv").read_bytes() == Path("local.tsv").read_bytes()
    assert Path("dask.tsv").stat().st_size > 10_000
    assert capsys.readouterr().err == ""


def test_the_engine_is_named_with_its_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (
        engine_named("dask", "tcp://127.0.0.1:8786") == Dask("tcp://127.0.0.1:8786") == dask_at("tcp://127.0.0.1:8786 ")
    )
    for nothing in (None, " "):
        with pytest.raises(UserError, match="--engine dask needs the address of a scheduler") as caught:
            engine_named("dask", nothing)
        assert "dask scheduler" in caught.value.remedy and "dask worker tcp://" in caught.value.remedy
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UserError, match="needs the library distributed") as missing:
        engine_named("dask", "tcp://127.0.0.1:8786")
    assert missing.value.remedy == "pip install 'hengliang[distributed]'"


@pytest.mark.parametrize("kind", ["closed", "silent", "scheme", "no port"])
def test_a_scheduler_that_cannot_be_reached_is_said_soon(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_dask, "_CONNECTING", 1.0)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        silent = f"tcp://127.0.0.1:{listener.getsockname()[1]}"
        closed = f"tcp://127.0.0.1:{free_port()}"
        address = {"closed": closed, "silent": silent, "scheme": "http://127.0.0.1:8787", "no port": "tcp://local"}[
            kind
        ]
        started = time.monotonic()
        threads = threading.active_count()
        with pytest.raises(UserError, match=f"No Dask scheduler answers at {address}: ") as caught:
            list(Dask(address).map(square, [1]))
    assert time.monotonic() - started < 5
    assert threading.active_count() == threads
    assert "8786" in caught.value.valid and "dask scheduler" in caught.value.remedy
    assert ("nothing was heard in 1 seconds" in caught.value.problem) == (kind in {"closed", "silent"})


def test_results_of_the_last_run_do_not_hide_in_memory(dask: Dask, observer: Any) -> None:
    """Many batches of a megabyte leave nothing at the workers, the scheduler or here."""
    results: Any = map_batches(bytes.lower, (bytes(1_000_000) for _ in range(40)), engine=dask)
    assert sum(len(result) for result in results) == 40_000_000
    # The scheduler does not have this file, so it gets a function that needs none.
    assert wait_until(lambda: observer.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)) == 0)
