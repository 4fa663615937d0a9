"""Is a workbook refused that would fill the memory, before it is unpacked?"""

from __future__ import annotations

import io
import resource
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from hengliang.acceptability import read_rated_table
from hengliang.analyses import read_ratings_file
from hengliang.core.errors import UserError
from hengliang.core.io.workbooks import MOST_BYTES, check_workbook

Read = Callable[[Path], object]
READERS = pytest.mark.parametrize("read", [read_ratings_file, read_rated_table])
SHEET = "xl/worksheets/sheet1.xml"


def workbook(path: Path, sheet: bytes = b"", blank: int = 0) -> Path:
    """Write a workbook whose sheet is this XML, followed by so many blanks."""
    xlsxwriter = pytest.importorskip("xlsxwriter")
    pytest.importorskip("fastexcel")
    held = io.BytesIO()
    with xlsxwriter.Workbook(held) as book:
        rows = book.add_worksheet()
        rows.write_row(0, 0, ["sentence", "rating"])
        rows.write_row(1, 0, ["他来了。", 4])
    with zipfile.ZipFile(held) as source, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            with target.open(name, "w") as part:
                part.write(sheet if sheet and name == SHEET else source.read(name))
                for _ in range(blank // 1_000_000 if name == SHEET else 0):
                    part.write(b" " * 1_000_000)
    return path


@READERS
def test_a_workbook_of_usual_size_is_read(tmp_path: Path, read: Read) -> None:
    assert read(workbook(tmp_path / "a.xlsx", blank=1_000_000))


@READERS
def test_a_workbook_that_unpacks_to_too_much_is_refused(tmp_path: Path, read: Read) -> None:
    path = workbook(tmp_path / "a.xlsx", blank=MOST_BYTES)
    assert path.stat().st_size < 300_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(UserError, match=r"a\.xlsx holds more than 200 megabytes once it is unpacked\..*as CSV"):
        read(path)
    # In kilobytes: nothing of the 200 MB was held.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


def test_a_directory_that_tells_smaller_sizes_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hengliang.core.io.workbooks.MOST_BYTES", 10_000_000)
    path = workbook(tmp_path / "a.xlsx", blank=11_000_000)
    raw = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        size = archive.getinfo(SHEET).file_size
    assert raw.count(struct.pack("<I", size)) >= 1
    path.write_bytes(raw.replace(struct.pack("<I", size), struct.pack("<I", 1000)))
    with zipfile.ZipFile(path) as archive:
        assert sum(part.file_size for part in archive.infolist()) < 100_000
    with pytest.raises(UserError, match="more than 10 megabytes"):
        check_workbook(path)


def test_two_cells_far_apart_are_refused(tmp_path: Path) -> None:
    rows = '<row r="1"><c r="A1"><v>1</v></c></row><row r="300000"><c r="CV300000"><v>1</v></c></row>'
    sheet = f'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{rows}</sheetData></worksheet>'
    # C is the 3rd letter, V the 22nd: 3 · 26 + 22.
    with pytest.raises(UserError, match="reaches to row 300,000 and column 100"):
        read_ratings_file(workbook(tmp_path / "a.xlsx", sheet.encode()))


def test_what_is_no_workbook_or_a_broken_one_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    path.write_text("no workbook")
    check_workbook(path)
    whole = workbook(path).read_bytes()
    start = whole.index(SHEET.encode()) + len(SHEET)
    path.write_bytes(whole[:start] + b"\xff" * 40 + whole[start + 40 :])
    with pytest.raises(UserError, match="no whole Excel file"):
        check_workbook(path)
