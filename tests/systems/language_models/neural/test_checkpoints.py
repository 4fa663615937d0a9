"""Is the newest whole checkpoint found, whatever happened to the others?"""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from hengliang.systems.language_models.neural.checkpoints import (
    FOLDER,
    SLOTS,
    read_checkpoint,
    remove_checkpoints,
    write_checkpoint,
)


def test_the_newest_is_taken(tmp_path: Path) -> None:
    assert read_checkpoint(tmp_path).state is None
    for serial in (1, 2, 3):
        write_checkpoint(tmp_path, serial, {"step": serial, "weights": torch.full((3,), float(serial))})
        found = read_checkpoint(tmp_path)
        assert found.damage == () and found.state is not None
        assert found.state["step"] == serial
        assert torch.equal(found.state["weights"], torch.full((3,), float(serial)))
    assert sorted(path.name for path in (tmp_path / FOLDER).iterdir()) == sorted(SLOTS)


@pytest.mark.parametrize("damage", ["empty", "short", "one byte"])
def test_a_damaged_one_is_named_and_the_one_before_is_taken(tmp_path: Path, damage: str) -> None:
    for serial in (1, 2):
        write_checkpoint(tmp_path, serial, {"step": serial})
    newest = tmp_path / FOLDER / SLOTS[0]
    raw = newest.read_bytes()
    changed = bytearray(raw)
    changed[len(raw) // 2] ^= 1
    newest.write_bytes({"empty": b"", "short": raw[:-7], "one byte": bytes(changed)}[damage])
    found = read_checkpoint(tmp_path)
    assert found.state == {"step": 1}
    assert found.damage == (f"The checkpoint {newest} is damaged: it ends early or its bytes were changed.",)


def test_all_damaged(tmp_path: Path) -> None:
    write_checkpoint(tmp_path, 1, {"step": 1})
    (tmp_path / FOLDER / SLOTS[1]).write_bytes(b"nothing")
    found = read_checkpoint(tmp_path)
    assert found.state is None and len(found.damage) == 1


def test_nothing_is_left_after_removal(tmp_path: Path) -> None:
    write_checkpoint(tmp_path, 1, {"step": 1})
    (tmp_path / FOLDER / ".checkpoint-a.pt.x.tmp").write_bytes(b"a write that was killed")
    remove_checkpoints(tmp_path)
    assert list(tmp_path.iterdir()) == []
    remove_checkpoints(tmp_path)
