"""Construction of RNNG and PLM networks from an architecture or a model's folder."""

from __future__ import annotations

from pathlib import Path

from hengliang.core.training_loop import read_weights
from hengliang.language_models.scores import Numbers
from hengliang.language_models.structured.architectures import StructuredArchitecture
from hengliang.language_models.structured.networks import StructuredNetwork
from hengliang.language_models.structured.plm import SequenceNetwork
from hengliang.language_models.structured.rnng import StackNetwork


def build_structured(
    architecture: StructuredArchitecture, *, dropout: float = 0.0, unigrams: Numbers | None = None
) -> StructuredNetwork:
    """Return a network with random weights from torch's generator."""
    kind = StackNetwork if architecture.kind == "rnng" else SequenceNetwork
    network = kind(architecture, dropout)
    if unigrams is not None:
        network.begin_with(unigrams)
    return network


def read_structured(folder: Path) -> StructuredNetwork:
    """Build the network of a model's folder, with its weights, ready to score."""
    network = build_structured(StructuredArchitecture.read(folder))
    read_weights(network, folder)
    return network.eval()
