"""Does a file come over the network whole, or not at all?"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from filelock import BaseFileLock, FileLock

from hengliang import UserError
from hengliang.core import Failure
from hengliang.corpora.downloads import download

CONTENT = bytes(range(256)) * 4000  # 1,024,000 bytes: several chunks of the downloader
SHA = hashlib.sha256(CONTENT).hexdigest()


@dataclass
class Remote:
    """A server on loopback, and how it is to behave."""

    content: bytes = CONTENT
    etag: str = '"one"'
    ranges: bool = True
    length: bool = True
    drop_after: list[int] = field(default_factory=list)  # bytes after which each of the next replies breaks off
    statuses: list[int] = field(default_factory=list)  # errors to answer first
    redirect: str = ""
    lie_about_range: bool = False
    hang: threading.Event | None = None
    seen: list[dict[str, str]] = field(default_factory=list)
    url: str = ""


class Handler(BaseHTTPRequestHandler):
    remote: Remote

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        remote = self.remote
        remote.seen.append(dict(self.headers.items()))
        if remote.hang is not None:
            remote.hang.wait(20)
            return
        if remote.redirect and self.path == "/file":
            self.send_response(302)
            self.send_header("Location", remote.redirect)
            self.end_headers()
            return
        if remote.statuses:
            self.send_error(remote.statuses.pop(0))
            return
        start = self.wanted_start()
        if start and start >= len(remote.content):
            self.send_error(416)
            return
        self.reply(start)

    def wanted_start(self) -> int:
        found = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        condition = self.headers.get("If-Range", self.remote.etag)
        if not found or not self.remote.ranges or condition != self.remote.etag:
            return 0
        return int(found[1])

    def reply(self, start: int) -> None:
        remote = self.remote
        body = remote.content[start:]
        self.send_response(206 if start else 200)
        if remote.etag:
            self.send_header("ETag", remote.etag)
        if start:
            first = start + 7 if remote.lie_about_range else start
            self.send_header("Content-Range", f"bytes {first}-{len(remote.content) - 1}/{len(remote.content)}")
        if remote.length:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if remote.drop_after:
            self.wfile.write(body[: remote.drop_after.pop(0)])
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.wfile.write(body)


@pytest.fixture
def remote(monkeypatch: pytest.MonkeyPatch) -> Iterator[Remote]:
    monkeypatch.setenv("no_proxy", "*")
    behaviour = Remote()
    handler = type("BoundHandler", (Handler,), {"remote": behaviour})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    behaviour.url = f"http://127.0.0.1:{server.server_address[1]}/file"
    yield behaviour
    if behaviour.hang is not None:
        behaviour.hang.set()
    server.shutdown()
    server.server_close()
    thread.join()


def fetch(remote: Remote, target: Path, sha256: str = SHA, size: int | None = len(CONTENT), attempts: int = 4) -> Path:
    return download(remote.url, target, sha256, size, attempts=attempts, pause=0.0, timeout=5.0)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_arrives_whole_and_alone(remote: Remote, tmp_path: Path) -> None:
    assert fetch(remote, tmp_path / "new" / "folder" / "corpus.txt").read_bytes() == CONTENT
    assert names(tmp_path / "new" / "folder") == ["corpus.txt"]


def test_size_may_be_unknown_and_the_server_may_not_tell(remote: Remote, tmp_path: Path) -> None:
    remote.length = False
    assert fetch(remote, tmp_path / "a", size=None).read_bytes() == CONTENT


def test_progress_counts_up_to_the_whole(remote: Remote, tmp_path: Path) -> None:
    told: list[tuple[int, int | None]] = []

    def note(done: int, total: int | None) -> None:
        told.append((done, total))

    download(remote.url, tmp_path / "a", SHA, None, note)
    assert told[-1] == (len(CONTENT), len(CONTENT))
    assert [done for done, _ in told] == sorted({done for done, _ in told})


def test_a_right_file_is_not_fetched_again(remote: Remote, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(CONTENT)
    fetch(remote, tmp_path / "a")
    assert remote.seen == []


def test_a_wrong_file_is_replaced(remote: Remote, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(CONTENT[:-1] + b"!")
    assert fetch(remote, tmp_path / "a").read_bytes() == CONTENT


def test_a_dropped_connection_is_taken_up_where_it_stopped(remote: Remote, tmp_path: Path) -> None:
    remote.drop_after = [300_000, 300_000]
    assert fetch(remote, tmp_path / "a").read_bytes() == CONTENT
    starts = [headers.get("Range") for headers in remote.seen]
    assert starts[0] is None
    assert len(starts) == 3 and all(start is not None for start in starts[1:])
    assert all(headers["If-Range"] == '"one"' for headers in remote.seen[1:])


def test_giving_up_keeps_the_part_and_the_next_call_resumes(remote: Remote, tmp_path: Path) -> None:
    remote.drop_after = [200_000, 100_000]
    with pytest.raises(Failure, match=r"stopped after .* of 1,024,000 bytes.*tried 2 times.*goes on where it stopped"):
        fetch(remote, tmp_path / "a", attempts=2)
    assert names(tmp_path) == ["a.part", "a.part.json"]
    kept = (tmp_path / "a.part").stat().st_size
    assert 0 < kept <= 300_000
    assert (tmp_path / "a.part").read_bytes() == CONTENT[:kept]
    assert fetch(remote, tmp_path / "a").read_bytes() == CONTENT
    assert remote.seen[-1]["Range"] == f"bytes={kept}-"
    assert names(tmp_path) == ["a"]


def test_a_server_without_ranges_starts_again(remote: Remote, tmp_path: Path) -> None:
    remote.drop_after = [300_000]
    remote.ranges = False
    assert fetch(remote, tmp_path / "a").read_bytes() == CONTENT


@pytest.mark.parametrize("etag", ['"two"', 'W/"two"'])
def test_a_changed_remote_file_is_not_spliced(remote: Remote, tmp_path: Path, etag: str) -> None:
    old, new = bytes(len(CONTENT)), CONTENT
    remote.content, remote.etag, remote.drop_after = old, 'W/"one"' if etag.startswith("W/") else '"one"', [400_000]
    with pytest.raises(Failure):
        fetch(remote, tmp_path / "a", attempts=1)
    assert (tmp_path / "a.part").stat().st_size > 0
    remote.content, remote.etag = new, etag
    assert fetch(remote, tmp_path / "a").read_bytes() == new


def test_a_part_without_marks_is_not_trusted(remote: Remote, tmp_path: Path) -> None:
    remote.etag = ""
    remote.drop_after = [400_000]
    assert fetch(remote, tmp_path / "a").read_bytes() == CONTENT
    assert all("Range" not in headers for headers in remote.seen)


def test_a_part_of_another_address_or_checksum_is_not_used(remote: Remote, tmp_path: Path) -> None:
    (tmp_path / "a.part").write_bytes(b"x" * 1000)
    note = {"url": remote.url + "-old", "sha256": SHA, "marks": {"ETag": '"one"'}}
    (tmp_path / "a.part.json").write_text(json.dumps(note))
    assert fetch(remote, tmp_path / "a").read_bytes() == CONTENT
    assert "Range" not in remote.seen[0]


@pytest.mark.parametrize("note", ["", "{", "[]", "null", '{"url": 1}', '{"marks": 3}'])
def test_a_broken_note_means_a_fresh_start(remote: Remote, tmp_path: Path, note: str) -> None:
    (tmp_path / "a.part").write_bytes(b"x" * 1000)
    (tmp_path / "a.part.json").write_text(note)
    assert fetch(remote, tmp_path / "a").read_bytes() == CONTENT


def test_a_range_that_starts_elsewhere_is_refused(remote: Remote, tmp_path: Path) -> None:
    remote.drop_after = [300_000]
    remote.lie_about_range = True
    assert fetch(remote, tmp_path / "a").read_bytes() == CONTENT


def test_a_range_beyond_the_end_starts_again(remote: Remote, tmp_path: Path) -> None:
    (tmp_path / "a.part").write_bytes(b"x" * (len(CONTENT) + 5))
    note = {"url": remote.url, "sha256": SHA, "marks": {"ETag": '"one"'}}
    (tmp_path / "a.part.json").write_text(json.dumps(note))
    assert fetch(remote, tmp_path / "a", size=None).read_bytes() == CONTENT
    assert "Range" in remote.seen[0] and "Range" not in remote.seen[1]


def test_a_whole_part_needs_no_network(remote: Remote, tmp_path: Path) -> None:
    (tmp_path / "a.part").write_bytes(CONTENT)
    note = {"url": remote.url, "sha256": SHA, "marks": {"ETag": '"one"'}}
    (tmp_path / "a.part.json").write_text(json.dumps(note))
    assert fetch(remote, tmp_path / "a").read_bytes() == CONTENT
    assert remote.seen == []


def test_a_wrong_checksum_leaves_nothing(remote: Remote, tmp_path: Path) -> None:
    remote.content = CONTENT[:-1] + b"!"
    with pytest.raises(Failure, match=r"expected.*nothing of it was kept") as caught:
        fetch(remote, tmp_path / "a")
    assert SHA in caught.value.problem
    assert hashlib.sha256(remote.content).hexdigest() in caught.value.problem
    assert names(tmp_path) == []


def test_a_wrong_checksum_leaves_the_old_file_in_place(remote: Remote, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    remote.content = CONTENT[:-1] + b"!"
    with pytest.raises(Failure):
        fetch(remote, tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == b"old"
    assert names(tmp_path) == ["a"]


@pytest.mark.parametrize("length", [True, False])
def test_a_file_of_another_length_is_refused(remote: Remote, tmp_path: Path, length: bool) -> None:
    remote.length = length
    with pytest.raises(Failure, match=r"bytes, but 1,000 were expected" if length else r"is longer than 1,000 bytes"):
        fetch(remote, tmp_path / "a", size=1000)
    assert names(tmp_path) == []


@pytest.mark.parametrize("status", [403, 404, 410])
def test_a_missing_file_is_not_tried_twice(remote: Remote, tmp_path: Path, status: int) -> None:
    remote.statuses = [status] * 4
    with pytest.raises(Failure, match=f"the server answers {status}"):
        fetch(remote, tmp_path / "a")
    assert len(remote.seen) == 1
    assert names(tmp_path) == []


def test_a_busy_server_is_asked_again(remote: Remote, tmp_path: Path) -> None:
    remote.statuses = [503, 429]
    assert fetch(remote, tmp_path / "a").read_bytes() == CONTENT
    assert len(remote.seen) == 3


def test_redirects_stay_within_http(remote: Remote, tmp_path: Path) -> None:
    remote.redirect = remote.url.replace("/file", "/elsewhere")
    assert fetch(remote, tmp_path / "a").read_bytes() == CONTENT
    secret = tmp_path / "secret"
    secret.write_bytes(CONTENT)
    for address in (f"file://{secret}", "ftp://127.0.0.1/file"):
        remote.redirect = address
        with pytest.raises(Failure):
            fetch(remote, tmp_path / "b", attempts=1)
        assert not (tmp_path / "b").exists()


@pytest.mark.parametrize("url", ["file:///etc/hostname", "ftp://example.org/a", "corpus.txt", ""])
def test_only_http_and_https(tmp_path: Path, url: str) -> None:
    with pytest.raises(UserError, match="Valid schemes: http, https"):
        download(url, tmp_path / "a", SHA)
    assert names(tmp_path) == []


def test_nobody_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # bound but not listening: connections are refused
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/file"
        with pytest.raises(Failure, match=r"refused.*Check the connection"):
            download(url, tmp_path / "a", SHA, attempts=2, pause=0.0)
    assert names(tmp_path) == []


def test_a_silent_server_is_not_waited_for_for_ever(remote: Remote, tmp_path: Path) -> None:
    remote.hang = threading.Event()
    begun = time.monotonic()
    with pytest.raises(Failure, match="no answer in time"):
        download(remote.url, tmp_path / "a", SHA, attempts=1, timeout=0.2)
    assert time.monotonic() - begun < 10


def test_a_folder_that_may_not_be_written_to(remote: Remote, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(UserError, match="Cannot write"):
        fetch(remote, tmp_path / "file" / "a")
    assert remote.seen == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_said_in_one_line(remote: Remote, tmp_path: Path) -> None:
    (tmp_path / "a.part").symlink_to("/dev/full")
    with pytest.raises(Failure, match=os.strerror(errno.ENOSPC).lower()) as caught:
        fetch(remote, tmp_path / "a")
    assert "Free some space" in caught.value.remedy
    assert not (tmp_path / "a").exists()


def test_a_lock_that_was_removed_while_it_was_waited_for_is_none(
    remote: Remote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_late(file: Path, refusal: UserError) -> BaseFileLock:
        lock = FileLock(file, thread_local=False)
        lock.acquire()
        file.unlink()
        return lock

    monkeypatch.setattr("hengliang.corpora.downloads.acquired_lock", too_late)
    with pytest.raises(Failure, match="Another process is downloading"):
        fetch(remote, tmp_path / "a")
    monkeypatch.undo()
    assert fetch(remote, tmp_path / "a").read_bytes() == CONTENT


def test_two_processes_do_not_write_into_one_part(remote: Remote, tmp_path: Path) -> None:
    with FileLock(tmp_path / "a.part.lock"), pytest.raises(Failure, match="Another process is downloading"):
        fetch(remote, tmp_path / "a")
    assert fetch(remote, tmp_path / "a").read_bytes() == CONTENT
    assert names(tmp_path) == ["a"]
