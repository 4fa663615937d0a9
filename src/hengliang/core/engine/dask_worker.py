"""Dask workers: the functions and batches that they are sent, and where their code comes from.

A Dask worker lives on from run to run, unlike a worker process of ours. So it keeps a function under the name of the
client that sent it, drops it when that client is gone, and reads the user's own files again when they have changed.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import io
import os
import pickle
import runpy
import site
import sys
import sysconfig
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from hengliang.core.engine.supervision import Files, FilesFirst, answer, pack, unloadable
from hengliang.core.errors import UserError

COMPARED = ("hengliang", "numpy", "polars", "distributed")  # what must be the same for the results to be the same
_MAIN = {"__main__", "__mp_main__"}


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the user's own code is: modules, folders of the search path, the script, the folder one works in."""

    files: Files
    folders: tuple[str, ...]
    script_name: str | None
    script_file: str | None
    here: str


def own_sources() -> Sources:
    """Find the code that is not installed, which workers must therefore be told about."""
    main = sys.modules.get("__main__")
    spec, file = getattr(main, "__spec__", None), getattr(main, "__file__", None)
    installed = _installed()
    folders = tuple(str(folder) for folder in map(Path.resolve, map(Path, sys.path)) if not _within(folder, installed))
    script = None if file is None else str(Path(file).resolve())
    return Sources(_own_files(installed), folders, spec.name if spec else None, script, str(Path.cwd()))


def _own_files(installed: list[Path]) -> Files:
    files: Files = {}
    for name, module in list(sys.modules.items()):
        file = module.__dict__.get("__file__") if isinstance(module, ModuleType) else None
        if file and "." not in name and name not in {*_MAIN, "hengliang"}:
            path, folders = Path(file).resolve(), module.__dict__.get("__path__")
            if not _within(path, installed):
                files[name] = (str(path), list(folders) if folders else None)
    return files


def _installed() -> list[Path]:
    paths = sysconfig.get_paths()
    places = [paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    return [Path(folder).resolve() for folder in (*places, *site.getsitepackages(), site.getusersitepackages())]


def _within(path: Path, folders: list[Path]) -> bool:
    # The standard library may also lie in one file, python311.zip, beside its folder.
    return path.suffix == ".zip" or any(path.is_relative_to(folder) for folder in folders)


def versions() -> dict[str, str]:
    """Return the versions that decide whether results can be compared."""
    installed = {"Python": f"{sys.version_info.major}.{sys.version_info.minor}"}
    for name in COMPARED:
        with suppress(importlib.metadata.PackageNotFoundError):
            installed[name] = importlib.metadata.version(name)
    return installed


@dataclass(frozen=True, slots=True)
class Sent:
    """What a client sends each worker once: its name, who else lives, the packed function, and where its code is."""

    client: str
    living: frozenset[str]
    function: bytes
    sources: Sources
    versions: dict[str, str]


@dataclass(slots=True)
class _Client:
    """What a worker knows of a client: where its code is, its script once that is needed, and its function."""

    sources: Sources
    script: ModuleType | None = None
    function: Callable[[Any], Any] = repr


class _OwnFiles:
    """Find the modules that the client of the moment has from files of its own."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        spec = FilesFirst(_now.sources.files).find_spec(name)
        if spec is not None and spec.origin is not None:
            _found[name] = (spec.origin, _digest(spec.origin))
        return spec


class _OwnFolders:
    """Find the modules that the client has not imported itself, where it would look for them."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        spec = None if "." in name else PathFinder.find_spec(name, list(_now.sources.folders))
        if spec is not None:
            _found[name] = (spec.origin or "", "")
        return spec


_ONE_AT_A_TIME = threading.Lock()  # a worker may have several threads; a function of ours promises to be fit for one
_clients: dict[str, _Client] = {}
_now = _Client(Sources({}, (), None, None, ""))
_gone: deque[str] = deque(maxlen=1000)  # a client may go while its function is being loaded
_found: dict[str, tuple[str, str]] = {}  # modules from files of clients: the file, and what was in it


def load(packed: bytes) -> bytes:
    """Run in the worker: keep the function that a client sends, and say whether it could be loaded."""
    with _ONE_AT_A_TIME:
        sent: Sent = pickle.loads(packed)
        for name in set(_clients) - sent.living:
            forget(name)
        client = _Client(sent.sources)
        try:
            _compare(sent.versions)
            _forget_changed_files(sent.sources.files)
            _turn_to(client)
            client.function = _read(sent.function)
        except BaseException as error:
            return unloadable(error)
        if sent.client not in _gone:
            _clients[sent.client] = client
        return pack(("ready", None))


def work_on(client: str, packed: bytes) -> bytes:
    """Run in the worker: answer with the result of one batch, or why there is none."""
    with _ONE_AT_A_TIME:
        known = _clients.get(client)
        if known is None:
            return pack(("absent", None))
        _turn_to(known)
        return answer(known.function, packed, _read)


def forget(client: str) -> None:
    """Run in the worker: let go of a client's function and of the model in it."""
    global _now
    _gone.append(client)
    if _clients.pop(client, None) is _now:
        _now = _Client(_now.sources)


def living_clients(dask_scheduler: Any) -> list[str]:
    """Run in the scheduler: name the clients that are connected."""
    return list(dask_scheduler.clients)


def _compare(theirs: dict[str, str]) -> None:
    ours = versions()
    differing = [name for name in theirs if ours.get(name) != theirs[name]]
    if differing:
        differences = ", ".join(f"{name} {ours.get(name, 'is missing')} (here {theirs[name]})" for name in differing)
        raise UserError(
            f"A worker of the Dask cluster has other versions: {differences}.",
            valid="Workers run in the same environment as the command.",
            remedy="Install the same versions on all machines and start the workers again.",
        )


def _turn_to(client: _Client) -> None:
    """Make names mean what they mean where the client runs."""
    global _now
    _now = client
    if not any(isinstance(finder, _OwnFiles) for finder in sys.meta_path):
        sys.meta_path[:] = [_OwnFiles(), *sys.meta_path, _OwnFolders()]
    if client.script is not None:
        sys.modules["__mp_main__"] = client.script
    with suppress(OSError):  # a machine that has no such folder keeps its own
        os.chdir(client.sources.here)


def _forget_changed_files(files: Files) -> None:
    importlib.invalidate_caches()
    for name, (file, digest) in list(_found.items()):
        if files.get(name) != (file, None) or digest != _digest(file):
            del _found[name]
            for loaded in [module for module in sys.modules if module.partition(".")[0] == name]:
                del sys.modules[loaded]


def _digest(file: str) -> str:
    with suppress(OSError):
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    return ""


class _Reader(pickle.Unpickler):
    """Read what a client packed; what it calls `__main__` is its script, which is imported when it is needed."""

    def find_class(self, module: str, name: str) -> Any:
        if module in _MAIN:
            if _now.script is None:
                _now.script = _script(_now.sources)
            sys.modules["__mp_main__"] = _now.script
            module = "__mp_main__"
        return super().find_class(module, name)


def _read(packed: bytes) -> Any:
    return _Reader(io.BytesIO(packed)).load()


def _script(sources: Sources) -> ModuleType:
    """Import the client's script as multiprocessing does: under another name, so that it starts no work."""
    if sources.script_name is None and sources.script_file is None:
        raise ImportError("what was typed at a prompt or in a notebook is in no file")
    if sources.script_name is not None:
        content = runpy.run_module(sources.script_name, run_name="__mp_main__", alter_sys=True)
    else:
        content = runpy.run_path(str(sources.script_file), run_name="__mp_main__")
    script = ModuleType("__mp_main__")
    script.__dict__.update(content)
    return script
