"""How often does a process open its files? For tests that count what is read, of the real code on real files.

`python -m tests.opened_files COUNTS MODULE ARGUMENT …` calls `main(ARGUMENT, …)` of a module and writes the
number of reads by path. Opened to be hashed is not counted: whether a file has changed must be asked again and again.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from tests import ROOT

HASHING = {"file_checksum"}
DATABASE = "sqlite3.connect"


def _is_hashing() -> bool:
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name in HASHING:
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False


def count_opens() -> Counter[str]:
    """Count from now on how often each file is opened for reading, or connected to as a database."""
    counts: Counter[str] = Counter()

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str):
            path, mode, flags = arguments
            writes = flags & (os.O_WRONLY | os.O_RDWR) or any(letter in (mode or "") for letter in "wax+")
            if not writes and not _is_hashing():
                counts[str(Path(path).absolute())] += 1
        elif event == DATABASE:
            counts[f"{DATABASE} {arguments[0]}"] += 1

    sys.addaudithook(hook)
    return counts


def reads_of(module: str, *arguments: str) -> Counter[str]:
    """Call `main` of a module in a process of its own and return how often it read each file."""
    target = Path(arguments[0]) / "counts.json"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-m", __name__, str(target), module, *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Counter(json.loads(target.read_text(encoding="utf-8")))


if __name__ == "__main__":
    opened = count_opens()
    importlib.import_module(sys.argv[2]).main(*sys.argv[3:])
    Path(sys.argv[1]).write_text(json.dumps(opened), encoding="utf-8")
