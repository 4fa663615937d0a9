"""What does a worker process do with the batches it is sent?"""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import ModuleType
from typing import Any

from hengliang.errors import UserError

CAN_HOLD = hasattr(signal, "pthread_sigmask")  # everywhere but on Windows
Files = dict[str, tuple[str, list[str] | None]]  # of modules: name, file, folders of a package


def modules_by_file() -> Files:
    """Find the modules that their names alone would not find again, such as a user's file loaded by its path."""
    searched = {Path(entry).resolve() for entry in sys.path}
    found: Files = {}
    for name, module in list(sys.modules.items()):
        file = module.__dict__.get("__file__") if isinstance(module, ModuleType) else None
        if file and "." not in name and name not in {"__main__", "__mp_main__"}:
            path, folders = Path(file).resolve(), module.__dict__.get("__path__")
            place = path.parent if folders else path
            if place.parent not in searched or place.name.partition(".")[0] != name:
                found[name] = (str(path), list(folders) if folders else None)
    return found


@dataclass(frozen=True, slots=True)
class FilesFirst:
    """A finder that loads a module from the very file the parent process has it from."""

    files: Files

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Say where a module is loaded from, if it is one of the files."""
        if name not in self.files:
            return None
        file, folders = self.files[name]
        return importlib.util.spec_from_file_location(name, file, submodule_search_locations=folders)


def work(connection: Connection, files: Files) -> None:
    """Run in the worker: load the function once, then answer one batch after the other until the pipe closes."""
    # A handler rather than SIG_IGN: programs that the function starts still end on Ctrl-C.
    signal.signal(signal.SIGINT, lambda number, frame: None)
    if CAN_HOLD:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, daemon=True).start()
    sys.meta_path.insert(0, FilesFirst(files))
    with suppress(EOFError, OSError):
        connection.send_bytes(pack(("started", None)))
        packed = connection.recv_bytes()
        try:
            function = pickle.loads(packed)
        except BaseException as error:
            return connection.send_bytes(unloadable(error))
        del packed
        connection.send_bytes(pack(("ready", None)))
        while True:
            connection.send_bytes(answer(function, connection.recv_bytes()))


def _end_with_parent() -> None:
    if parent := multiprocessing.parent_process():
        wait([parent.sentinel])
        os._exit(1)


def answer(function: Callable[[Any], Any], packed: bytes, read: Callable[[bytes], Any] = pickle.loads) -> bytes:
    """Return what there is to say about a batch, packed: its result, or why there is none."""
    try:
        batch = read(packed)
    except Exception as error:
        return pack(("unpicklable", f"it cannot be read in a worker process: {said(error)}"))
    try:
        result = function(batch)
    except BaseException as error:
        return pack(("raised", _carry(error)))
    try:
        return pack(("result", result))
    except Exception as error:
        return pack(("unpicklable", f"a {type(result).__name__} as result cannot be sent back: {said(error)}"))


def unloadable(error: BaseException) -> bytes:
    """Return what there is to say about a function that a worker cannot load, packed."""
    problem = f"The function cannot be loaded in a worker process: {said(error)}"
    return pack(("unloadable", error if isinstance(error, UserError) else unpicklable(problem)))


def _carry(error: BaseException) -> tuple[bytes | None, str, str]:
    inner = error.__traceback__.tb_next if error.__traceback__ else None
    text = "".join(traceback.format_exception(type(error), error, inner))
    with suppress(Exception):
        packed = pack(error)
        if type(pickle.loads(packed)) is type(error):
            return packed, said(error), text
    return None, said(error), text


def pack(value: object) -> bytes:
    """Return the bytes that are sent between the processes."""
    return pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)


def said(error: BaseException) -> str:
    """Return what an exception says, with its type."""
    return "".join(traceback.format_exception_only(type(error), error)).strip()


def unpicklable(problem: str) -> UserError:
    """Return the error for something that cannot be sent between processes."""
    return UserError(
        f"{problem}.",
        valid="Functions and classes stand at the top level of a module or script (a notebook is none).",
        remedy="Move the function to a file and import it, use plain data, or use the engine 'local'.",
    )
