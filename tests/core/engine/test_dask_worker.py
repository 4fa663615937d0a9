"""Does a Dask worker keep functions apart, find the user's code, and let go of what nobody needs?"""

from __future__ import annotations

import pickle
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hengliang.core.engine import dask_worker as worker
from hengliang.core.engine.dask_worker import Sent, Sources, forget, load, own_sources, versions, work_on
from hengliang.core.engine.supervision import pack
from hengliang.core.errors import UserError
from hengliang.core.registry import load_file


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Let this process be a worker for a while, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    modules = dict(sys.modules)
    for name, value in (("_clients", {}), ("_found", {}), ("_gone", [])):
        monkeypatch.setattr(worker, name, value)
    monkeypatch.setattr(worker, "_now", worker._now)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    yield
    for name in set(sys.modules) - set(modules):
        del sys.modules[name]
    sys.modules.update(modules)


def sent(client: str, function: object, living: set[str] | None = None, sources: Sources | None = None) -> bytes:
    where = sources or own_sources()
    return pack(Sent(client, frozenset(living or {client}), pack(function), where, versions()))


def told(answer: bytes) -> Any:
    return pickle.loads(answer)


def double(number: int) -> int:
    return 2 * number


def test_a_function_is_kept_for_its_client_alone() -> None:
    assert told(load(sent("A", double))) == ("ready", None)
    assert told(load(sent("B", abs, {"A", "B"}))) == ("ready", None)
    assert told(work_on("A", pack(-3))) == ("result", -6)
    assert told(work_on("B", pack(-3))) == ("result", 3)
    assert told(work_on("C", pack(-3))) == ("absent", None)
    forget("A")
    assert told(work_on("A", pack(-3))) == ("absent", None)
    assert told(work_on("B", pack(-3))) == ("result", 3)


def test_functions_of_clients_that_are_gone_make_room_before_the_next_is_loaded() -> None:
    load(sent("A", double))
    load(sent("B", abs, {"B"}))
    assert list(worker._clients) == ["B"]


def test_a_client_that_goes_while_its_function_is_loaded_leaves_nothing() -> None:
    forget("A")
    assert told(load(sent("A", double))) == ("ready", None)
    assert worker._clients == {}


def test_one_batch_at_a_time() -> None:
    load(sent("A", double))
    answers: list[Any] = []
    thread = threading.Thread(target=lambda: answers.append(told(work_on("A", pack(1)))))
    with worker._ONE_AT_A_TIME:
        thread.start()
        thread.join(0.2)
        assert answers == []
    thread.join()
    assert answers == [("result", 2)]


def test_other_versions_are_refused_by_name() -> None:
    kind, error = told(load(pack(Sent("A", frozenset("A"), pack(abs), own_sources(), {**versions(), "polars": "0.1"}))))
    assert (kind, type(error)) == ("unloadable", UserError)
    assert "polars " in error.problem and "(here 0.1)" in error.problem and "numpy" not in error.problem
    missing = {**versions(), "no-such-library": "2"}
    kind, error = told(load(pack(Sent("A", frozenset("A"), pack(abs), own_sources(), missing))))
    assert "no-such-library is missing (here 2)" in error.problem
    assert set(versions()) >= {"Python", "hengliang", "numpy", "polars"}


def test_only_code_that_is_not_installed_is_sent_along(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def half(number):\n    return number // 2\n")
    module = load_file("mine.py")
    found = own_sources()
    assert found.files[module.__name__] == (str(tmp_path / "mine.py"), None)
    assert found.files["tests"][1] == [str(Path(__file__).parents[2])]
    assert not {"hengliang", "polars", "pytest", "json", "__main__"} & set(found.files)
    assert found.here == str(tmp_path)
    assert not any("site-packages" in folder for folder in found.folders)


def write_and_send(file: Path, text: str, client: str) -> bytes:
    """Pack a function of a file as a client does, in whose process the file is imported, and leave no trace here."""
    file.write_text(text)
    module = load_file(file)
    packed = sent(client, module.answer)
    del sys.modules[module.__name__]
    return packed


def test_a_file_is_read_again_when_it_has_changed_and_only_then(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    first = "def answer(batch):\n    return 'first'\n"
    load(write_and_send(file, first, "A"))
    assert told(work_on("A", pack(0))) == ("result", "first")
    (name,) = worker._found
    once = sys.modules[name]
    held = write_and_send(file, first, "B")
    sys.modules[name] = once
    load(held)
    assert sys.modules[name] is once
    load(write_and_send(file, "def answer(batch):\n    return 'second time'\n", "C"))
    assert told(work_on("C", pack(0))) == ("result", "second time")
    assert sys.modules[name] is not once


# Protocol 0 of pickle has no lengths in it, so that a function can be named by hand: c MODULE, its name, and a stop.


def test_a_module_is_found_where_the_client_would_look_for_it(tmp_path: Path) -> None:
    (tmp_path / "by_the_way.py").write_text("def answer(batch):\n    return batch + 1\n")
    by_hand = b"cby_the_way\nanswer\n."
    nowhere = replace(own_sources(), folders=())
    kind, error = told(load(pack(Sent("A", frozenset("A"), by_hand, nowhere, versions()))))
    assert kind == "unloadable"
    assert "No module named 'by_the_way'" in error.problem
    there = replace(nowhere, folders=(str(tmp_path),))
    assert told(load(pack(Sent("A", frozenset("A"), by_hand, there, versions())))) == ("ready", None)
    assert told(work_on("A", pack(1))) == ("result", 2)


def test_what_the_script_holds_is_found_in_its_file(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("def answer(batch):\n    return __name__\nif __name__ == '__main__':\n    raise SystemExit(3)\n")
    sources = replace(own_sources(), script_name=None, script_file=str(script))
    by_hand = b"c__main__\nanswer\n."
    assert told(load(pack(Sent("A", frozenset("A"), by_hand, sources, versions())))) == ("ready", None)
    assert told(work_on("A", pack(1))) == ("result", "__mp_main__")
    nowhere = replace(sources, script_file=None)
    kind, error = told(load(pack(Sent("B", frozenset("B"), by_hand, nowhere, versions()))))
    assert kind == "unloadable"
    assert "cannot be loaded in a worker process: ImportError: what was typed at a prompt" in error.problem


def test_a_folder_that_the_machine_does_not_have_is_no_error(tmp_path: Path) -> None:
    assert told(load(sent("A", double, sources=replace(own_sources(), here="/no/such/folder")))) == ("ready", None)
    assert Path.cwd() == tmp_path
    (tmp_path / "inner").mkdir()
    load(sent("B", double, {"A", "B"}, replace(own_sources(), here=str(tmp_path / "inner"))))
    assert told(work_on("B", pack(1))) == ("result", 2)
    assert Path.cwd().samefile(tmp_path / "inner")
