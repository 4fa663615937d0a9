"""Is a file whole or not there, and a broken one named?"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from hengliang.core.errors import Failure, UserError
from hengliang.core.io.files import (
    locked_folder,
    read_json,
    read_table,
    read_toml,
    whole_file,
    write_json,
    write_table,
    write_text,
)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Give a disk of 64 kB that is soon full."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(command, capture_output=True).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("this test mounts a small disk, which is not allowed here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_block_that_fails_leaves_nothing(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    write_text(file, "old")
    with pytest.raises(RuntimeError), whole_file(file) as stream:
        stream.write(b"half")
        raise RuntimeError
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_has_its_name_only_when_it_is_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.txt"
    write_text(file, "old")

    def fail(_: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(Failure, match="input/output error"):
        write_text(file, "new")
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_full_disk_is_named_and_leaves_nothing(small_disk: Path) -> None:
    frame = pl.DataFrame({"x": np.random.default_rng(1).random(50_000)})
    with pytest.raises(Failure, match=r"Cannot write .*table\.parquet: no space left on device") as raised:
        write_table(small_disk / "table.parquet", frame)
    assert "Free some space" in raised.value.remedy
    with pytest.raises(Failure, match="no space left"):
        write_text(small_disk / "text", "x" * 100_000)
    assert list(small_disk.iterdir()) == []


def test_the_same_frame_gives_the_same_bytes(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": range(1000), "b": [["x", None]] * 1000})
    write_table(tmp_path / "one", frame)
    write_table(tmp_path / "two", pl.concat([frame[:10], frame[10:]], rechunk=False))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert read_table(tmp_path / "one").equals(frame)


def test_a_broken_table_is_named(tmp_path: Path) -> None:
    file = tmp_path / "t.parquet"
    write_table(file, pl.DataFrame({"a": range(1000)}))
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(UserError, match=r"t\.parquet is not a whole Parquet file"):
        read_table(file)
    with pytest.raises(UserError, match="other columns"):
        write_table(file, pl.DataFrame({"a": [1]}))
        read_table(file, {"b": pl.Int64()})
    with pytest.raises(UserError, match="no such file"):
        read_table(tmp_path / "gone")


def test_toml_is_read_and_what_is_none_is_named(tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    file.write_text("[effects]\nRULE = -0.8\n", encoding="utf-8")
    assert read_toml(file) == {"effects": {"RULE": -0.8}}
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert read_toml(file) == {"effects": {"RULE": -0.8}}
    for content in (b"x = [", "名 = 1".encode("gb18030")):
        file.write_bytes(content)
        with pytest.raises(UserError, match=r"plan\.toml is not TOML") as caught:
            read_toml(file, "Print an example.")
        assert caught.value.remedy == "Print an example."
    with pytest.raises(UserError, match="absent"):
        read_toml(tmp_path / "absent.toml")


def test_json_there_and_back(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    write_json(file, {"量词": [1, None]})
    assert read_json(file) == {"量词": [1, None]}
    assert "量词" in file.read_text(encoding="utf-8")
    file.write_text("{")
    with pytest.raises(UserError, match=r"a\.json is not a JSON file"):
        read_json(file)


def test_a_second_one_is_kept_out_of_a_locked_folder_or_waits(tmp_path: Path) -> None:
    came = threading.Event()

    def wait() -> None:
        with locked_folder(tmp_path, wait=True):
            came.set()

    second = threading.Thread(target=wait)
    with locked_folder(tmp_path):
        with pytest.raises(UserError, match="Another process is running"), locked_folder(tmp_path):
            pass
        second.start()
        assert not came.wait(0.05)
    second.join(10)
    assert came.is_set()


HOLDER = """
import sys
from pathlib import Path
from hengliang.core.io.files import locked_folder
with locked_folder(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(UserError, match="Another process is running"), locked_folder(tmp_path):
            pass
        holder.kill()
        holder.wait(10)
    with locked_folder(tmp_path):
        pass


def test_a_folder_that_may_not_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="Cannot write"), locked_folder(tmp_path / "file"):
        pass
