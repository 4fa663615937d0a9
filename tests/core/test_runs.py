"""Does a run folder know what is in it, and what of it is still good?"""

from __future__ import annotations

import json
import multiprocessing
from dataclasses import replace
from pathlib import Path

import pytest

from hengliang.core.errors import UserError
from hengliang.core.records import Item, items_frame
from hengliang.core.runs import FORMAT, Manifest, RunFolder, StageRecord, now, package_versions, stage_named

ITEMS = items_frame([Item("a", "a", "m", "", "他")])


def recorded(folder: RunFolder, signature: str = "s1") -> None:
    files = folder.write_tables({folder.table_file("items"): ITEMS})
    folder.write_manifest(Manifest("x", stages={"items": StageRecord(signature, {}, files, 1, 0.1, now())}))


def test_a_stage_is_current_under_its_signature_only(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run")
    assert not folder.has("items")
    recorded(folder)
    assert folder.is_current("items", "s1")
    assert not folder.is_current("items", "s2")
    assert not folder.is_current("responses", "s1")
    assert folder.items().equals(ITEMS)


def test_a_changed_or_lost_file_makes_a_stage_stale(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path)
    recorded(folder)
    file = folder.table_file("items")
    file.write_bytes(file.read_bytes() + b"x")
    assert not folder.is_current("items", "s1")
    file.unlink()
    assert not folder.is_current("items", "s1")


def test_a_stage_that_was_not_run_is_named(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path)
    recorded(folder)
    with pytest.raises(UserError, match=r"has no judgements yet.*--from judgements"):
        folder.judgements()


def test_the_manifest_there_and_back(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path)
    assert folder.manifest() is None
    held = Manifest("x", {"question": {"en": "?", "zh": "？"}}, {"RULE": 1, "GE": None}, {}, {"python": "3"}, now())
    folder.write_manifest(held)
    assert folder.manifest() == held


def test_another_format_is_refused_with_what_to_do(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path)
    folder.write_manifest(replace(Manifest("x"), format=FORMAT + 1))
    with pytest.raises(
        UserError, match=rf"format {FORMAT + 1}; .* reads format {FORMAT}.*hengliang run STUDY --out NEW"
    ):
        folder.manifest()
    (tmp_path / "manifest.json").write_text("[]")
    with pytest.raises(UserError, match="format None"):
        folder.manifest()


def test_a_folder_with_other_things_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.docx").write_text("")
    with pytest.raises(UserError, match=r"holds other things \(thesis.docx\)"):
        RunFolder.create(tmp_path)
    with pytest.raises(UserError, match="is a file"):
        RunFolder.create(tmp_path / "thesis.docx")


def test_a_folder_without_a_run_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="There is no run in"):
        RunFolder.open(tmp_path)
    with pytest.raises(UserError, match="There is no folder"):
        RunFolder.open(tmp_path / "gone")


def hold(path: str, ready: str) -> None:
    with RunFolder.create(path).lock():
        Path(ready).touch()
        multiprocessing.Event().wait(30)


def test_a_second_process_is_kept_out_until_the_first_is_dead(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run")
    ready = tmp_path / "ready"
    process = multiprocessing.get_context("spawn").Process(target=hold, args=(str(folder.path), str(ready)))
    process.start()
    try:
        while not ready.exists():
            assert process.is_alive()
        with pytest.raises(UserError, match="Another process is running"), folder.lock():
            pass
    finally:
        process.kill()
        process.join()
    with folder.lock():
        folder.log("in")
    assert (folder.path / "log.txt").read_text().endswith(" in\n")


def test_versions_name_what_computes() -> None:
    versions = package_versions()
    assert {"python", "hengliang", "polars", "numpy", "scipy"} <= set(versions)
    assert "pytest" not in versions
    assert json.dumps(versions)


def test_stages_by_name() -> None:
    assert stage_named("judgements") == "judgements"
    with pytest.raises(UserError, match=r"No stage is called 'judgments'\. Did you mean judgements"):
        stage_named("judgments")


def test_what_a_stopped_run_left_is_no_stranger(tmp_path: Path) -> None:
    # What runs left, stopped before their manifest, when they wrote it only after their items.
    folder = RunFolder.create(tmp_path / "run")
    with folder.lock():
        folder.log("items: begun")
        folder.write_tables({folder.table_file("items"): ITEMS})
    (folder.path / ".manifest.json.x1.tmp").write_text("{")
    assert RunFolder.create(tmp_path / "run") == folder
    # Without our lock the same table is somebody else's.
    (folder.path / ".lock").unlink()
    with pytest.raises(UserError, match=r"holds other things \(items.parquet\) and no run.*folder for --run\."):
        RunFolder.create(tmp_path / "run", option="--run")


def test_a_manifest_without_forms_is_of_no_known_form(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path)
    recorded(folder)
    file = tmp_path / "manifest.json"
    held = json.loads(file.read_text())
    del held["stages"]["items"]["form"]
    file.write_text(json.dumps(held))
    manifest = folder.manifest()
    assert manifest is not None and manifest.form == ""


def test_one_quick_table_makes_a_run_quick() -> None:
    quick, full = StageRecord("s", {}, {}, 1, 0.1, now(), "quick"), StageRecord("s", {}, {}, 1, 0.1, now(), "full")
    assert Manifest("x", stages={"items": quick, "responses": full}).form == "quick"
    assert Manifest("x", stages={"items": full, "report": quick}).form == "full"
    assert Manifest("x", stages={"items": full, "responses": replace(full, form="")}).form == ""
    assert Manifest("x").form == ""
