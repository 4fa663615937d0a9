"""Does an architecture say what is built, and survive its file?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.core import write_json
from hengliang.language_models.neural.networks import build_network
from hengliang.language_models.neural.settings import FILE, Architecture, Kind, architecture, sizes


@pytest.mark.parametrize("kind", ["lstm", "transformer"])
def test_sizes_have_the_parameters_that_are_counted(kind: Kind) -> None:
    assert sizes(kind) == ["paper", "small", "tiny"]
    for size in ("small", "tiny"):
        built = architecture(kind, size, 50)
        assert built.parameters == sum(parameter.numel() for parameter in build_network(built).parameters())


def test_the_sizes_of_the_paper() -> None:
    # Wang et al. (2021), table 3a: LSTM 2 layers, 256 units; Transformer 12 layers, 768 units, as GPT-2 (12 heads).
    lstm, transformer = architecture("lstm", "paper", 27_000), architecture("transformer", "paper", 27_000)
    assert (lstm.layers, lstm.width) == (2, 256)
    assert (transformer.layers, transformer.width, transformer.heads) == (12, 768, 12)
    # Twelve layers of GPT-2 have 85,054,464 parameters, its last normalisation 1,536, 101 places 77,568.
    assert transformer.parameters == 27_000 * 769 + 85_054_464 + 1_536 + 101 * 768


def test_an_architecture_survives_its_file(tmp_path: Path) -> None:
    built = architecture("transformer", "tiny", 50)
    built.write(tmp_path)
    assert Architecture.read(tmp_path) == built
    assert built.describe() == "transformer 1 × 32, 2 heads, 0.0 M parameters"


def test_mistakes_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No kind of network is called 'rnn'"):
        architecture("rnn", "tiny", 50)  # type: ignore[arg-type]
    with pytest.raises(UserError, match=r"No size is called 'smal'\. Did you mean small"):
        architecture("lstm", "smal", 50)
    with pytest.raises(UserError, match=r"width = 30 with heads = 4"):
        Architecture("transformer", "mine", 50, 1, 30, 4, 10)
    with pytest.raises(UserError, match="layers = 0"):
        Architecture("lstm", "mine", 50, 0, 30)
    with pytest.raises(UserError, match="Cannot read"):
        Architecture.read(tmp_path)
    write_json(tmp_path / FILE, {"kind": "lstm"})
    with pytest.raises(UserError, match="does not describe a network"):
        Architecture.read(tmp_path)


def test_a_vocabulary_of_another_size_is_refused(tmp_path: Path) -> None:
    built = architecture("lstm", "tiny", 50)
    built.check_symbols(50, tmp_path)
    with pytest.raises(UserError, match="has 49 symbols and its network was built for 50"):
        built.check_symbols(49, tmp_path)
