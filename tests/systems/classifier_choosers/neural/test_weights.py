"""Do weights come back as they were, and are others refused?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang import UserError

torch = pytest.importorskip("torch")

from hengliang.systems.classifier_choosers.neural.weights import FILE, read_weights, write_weights  # noqa: E402


def test_weights_come_back(tmp_path: Path) -> None:
    one, other = torch.nn.Linear(3, 2), torch.nn.Linear(3, 2)
    write_weights(one, tmp_path)
    read_weights(other, tmp_path)
    assert torch.equal(one.weight, other.weight)
    assert not other.training


def test_weights_of_another_shape_are_refused(tmp_path: Path) -> None:
    write_weights(torch.nn.Linear(3, 2), tmp_path)
    with pytest.raises(UserError, match=r"weight has the shape \(2, 3\), not \(4, 3\)"):
        read_weights(torch.nn.Linear(3, 4), tmp_path)


def test_missing_weights_are_named(tmp_path: Path) -> None:
    write_weights(torch.nn.Linear(3, 2, bias=False), tmp_path)
    with pytest.raises(UserError, match="bias has the shape none"):
        read_weights(torch.nn.Linear(3, 2), tmp_path)


@pytest.mark.parametrize("content", [None, b"", b"no weights at all"])
def test_a_broken_file_is_named(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / FILE).write_bytes(content)
    with pytest.raises(UserError, match="cannot be read"):
        read_weights(torch.nn.Linear(3, 2), tmp_path)
