"""Architectures of syntactic language models: sizes, and the labels of constituents.

An architecture is a small record that lies as JSON beside the weights and can be read without torch. The sizes called
`paper` are those of Wang et al. (2021), table 3a.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Literal, get_args

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.io.files import read_json, write_json
from hengliang.language_models.neural.settings import check_symbols
from hengliang.language_models.structured.derivations import OPEN, Limits

Kind = Literal["rnng", "plm"]

FILE = "architecture.json"


@dataclass(frozen=True, slots=True)
class StructuredArchitecture:
    """The numbers from which a network is built, and the trees that it knows.

    `symbols` is the size of the vocabulary, `labels` are those of the training trees, `chain` and `depth` their limits
    (`hengliang.language_models.structured.derivations`). `heads` and `context` (steps read at once) belong to
    the Transformer and are 0 for an RNNG.
    """

    kind: Kind
    size: str
    symbols: int
    labels: tuple[str, ...]
    chain: int
    depth: int
    layers: int
    width: int
    heads: int = 0
    context: int = 0

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise unknown_name("kind of network with structure", self.kind, get_args(Kind))
        attentive = self.kind == "plm"
        least = {"symbols": 4, "chain": 1, "depth": 1, "layers": 1, "width": 2}
        least |= {"heads": int(attentive), "context": int(attentive)}
        wrong = [f"{name} = {getattr(self, name)}" for name, low in least.items() if getattr(self, name) < low]
        if not self.labels:
            wrong.append("no labels")
        if self.width % (self.heads or 2):
            wrong.append(f"width = {self.width}")
        if wrong:
            raise UserError(
                f"A {self.kind} cannot be built with {', '.join(wrong)}.",
                valid="Sizes are whole numbers above 0; the width is even and a multiple of the heads.",
            )

    @property
    def limits(self) -> Limits:
        """Which steps are possible."""
        return Limits(len(self.labels), self.chain, self.depth)

    @property
    def parameters(self) -> int:
        """How many numbers training has to find."""
        width, steps = self.width, OPEN + len(self.labels)
        shared = self.symbols * (width + 1) + steps * (width + 1)
        if self.kind == "plm":
            # A layer of GPT-2: 12 w² weights, 9 w biases, 4 w of two normalisations; at the end one normalisation more.
            layer = 12 * width**2 + 13 * width
            return shared + (1 + steps - 1) * width + self.context * width + self.layers * layer + 2 * width
        half = width // 2
        stack = self.layers * 4 * width * (2 * width + 1)
        composition = 2 * 4 * half * (width + half + 1) + width * (width + 1)
        return shared + (1 + 2 * len(self.labels)) * width + stack + composition

    def check_symbols(self, found: int, folder: Path) -> None:
        """Refuse a vocabulary of another size than the network was built for."""
        check_symbols(self.symbols, found, folder)

    def describe(self) -> str:
        """Return the kind and the sizes in a few words."""
        heads = f", {self.heads} heads" if self.heads else ""
        size = f"{self.layers} × {self.width}{heads}, {len(self.labels)} labels"
        return f"{self.kind} {size}, {self.parameters / 1e6:.1f} M parameters"

    def write(self, folder: Path) -> None:
        """Write the architecture into a model's folder."""
        write_json(folder / FILE, asdict(self))

    @classmethod
    def read(cls, folder: Path) -> StructuredArchitecture:
        """Read the architecture of a model's folder."""
        content = read_json(folder / FILE)
        names = {field.name for field in fields(cls)}
        if not isinstance(content, Mapping) or set(content) != names or not _fitting(content):
            raise UserError(
                f"{folder / FILE} does not describe a network with structure.",
                valid=f"It holds {', '.join(sorted(names))}.",
                remedy="Train the model again, or copy its folder again.",
            )
        return cls(**{**content, "labels": tuple(content["labels"])})


def _fitting(held: Mapping[str, object]) -> bool:
    """Say whether what a file holds is of the right types."""
    labels = held["labels"]
    texts = [held["kind"], held["size"], *(labels if isinstance(labels, list) else [None])]
    numbers = [value for name, value in held.items() if name not in ("kind", "size", "labels")]
    return all(isinstance(value, str) for value in texts) and all(isinstance(value, int) for value in numbers)


SIZES: Mapping[Kind, Mapping[str, tuple[int, int, int]]] = {
    # layers, width, heads
    "rnng": {"tiny": (1, 32, 0), "small": (2, 256, 0), "paper": (2, 256, 0)},
    "plm": {"tiny": (1, 32, 2), "small": (2, 256, 4), "paper": (12, 768, 12)},
}


def structured_architecture(
    kind: Kind, size: str, symbols: int, labels: tuple[str, ...], chain: int, depth: int, context: int
) -> StructuredArchitecture:
    """Return the architecture of this kind and size for a vocabulary and the trees of a training text."""
    if kind not in SIZES:
        raise unknown_name("kind of network with structure", kind, SIZES)
    if size not in SIZES[kind]:
        raise unknown_name("size", size, SIZES[kind])
    layers, width, heads = SIZES[kind][size]
    longest = context if kind == "plm" else 0
    return StructuredArchitecture(kind, size, symbols, labels, chain, depth, layers, width, heads, longest)
