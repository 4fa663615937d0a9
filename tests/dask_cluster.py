"""How do tests start a Dask cluster of real processes, and make sure that nothing of it stays behind?"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psutil

from tests.core.engine.test_mapping import PATIENCE, is_running, wait_until

QUIET = {"DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "critical", "OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}


def free_port() -> int:
    """Return a port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Cluster:
    """A scheduler and workers, started by the command that a user gives."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.address = f"tcp://127.0.0.1:{free_port()}"
        self.folder = folder
        self.environment = {**os.environ, **QUIET, "DASK_TEMPORARY_DIRECTORY": str(folder), **environment}
        self.programs: list[subprocess.Popen[bytes]] = []
        host, port = self.address.removeprefix("tcp://").split(":")
        self.scheduler = self._start("scheduler", "--host", host, "--port", port, "--dashboard-address", ":0")

    def work(self, *options: str) -> subprocess.Popen[bytes]:
        """Start `dask worker` with these options."""
        return self._start("worker", self.address, "--dashboard-address", ":0", *options)

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "distributed.cli." + f"dask_{arguments[0]}", *arguments[1:]]
        with (self.folder / "cluster.log").open("ab") as log:
            program = subprocess.Popen(
                command, env=self.environment, cwd=self.folder, stdout=log, stderr=log, start_new_session=True
            )
        self.programs.append(program)
        return program

    def pids(self) -> list[int]:
        """Return the pids of all that runs for this cluster."""
        found = []
        for program in self.programs:
            with suppress(psutil.NoSuchProcess):
                held = psutil.Process(program.pid)
                found += [held.pid, *(child.pid for child in held.children(recursive=True))]
        return [pid for pid in found if is_running(pid)]

    def end(self) -> list[int]:
        """End the cluster as Ctrl-C does, and return the pids of what did not end by itself."""
        pids = self.pids()
        # The workers first: without a scheduler they would try for a while to reach it.
        for programs in (self.programs[1:], self.programs[:1]):
            for program in programs:
                with suppress(ProcessLookupError):
                    os.kill(program.pid, signal.SIGINT)
            for program in programs:
                with suppress(subprocess.TimeoutExpired):
                    program.wait(PATIENCE)
        wait_until(lambda: not any(is_running(pid) for pid in pids))
        left = [pid for pid in pids if is_running(pid)]
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return left
