"""How are the weights of a network stored, and do those in a folder fit it?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hengliang.errors import UserError
from hengliang.files import whole_file

if TYPE_CHECKING:
    from torch import nn

FILE = "weights.safetensors"


def write_weights(network: nn.Module, folder: Path) -> None:
    """Write all weights of a network into a folder."""
    from safetensors.torch import save

    with whole_file(folder / FILE) as stream:
        stream.write(save({name: weights.contiguous() for name, weights in network.state_dict().items()}))


def read_weights(network: nn.Module, folder: Path) -> None:
    """Give a network the weights of a folder; those of a network of another shape are refused."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    remedy = "Copy the folder once more from where it came, or train the chooser again."
    try:
        held = load_file(folder / FILE)
    except (SafetensorError, OSError) as error:
        raise UserError(f"The weights {folder / FILE} cannot be read: {error}.", remedy=remedy) from error
    for name, weights in network.state_dict().items():
        found = tuple(held[name].shape) if name in held else "none"
        if found != tuple(weights.shape):
            raise UserError(
                f"The weights {folder / FILE} do not fit: {name} has the shape {found}, not {tuple(weights.shape)}.",
                valid="Weights, network and the list of classifiers must be of one training.",
                remedy=remedy,
            )
    network.load_state_dict(held)
    network.eval()
