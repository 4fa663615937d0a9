"""Does a worker find the same code as its parent, and say what cannot travel?"""

from __future__ import annotations

import multiprocessing
import pickle
from pathlib import Path
from typing import Any

from hengliang.core.engine.supervision import modules_by_file, pack, said, unpicklable, work
from hengliang.errors import UserError
from hengliang.registry import load_file


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
