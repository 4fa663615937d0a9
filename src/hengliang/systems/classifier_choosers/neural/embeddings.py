"""Where do the characters of a network start that an encoder knows already?

The embeddings of an encoder lie in a space of its own width. They are turned so that the directions in which they
differ most come first, and of these as many are kept as the network has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

    from hengliang.language_models.neural.pretrained_encoder import Encoder

SPREAD = 0.5
"""The standard deviation of the numbers at the start."""
_EMBEDDINGS = "embeddings.word_embeddings.weight"


def copy_embeddings(weights: Tensor, characters: Mapping[str, int], encoder: Encoder) -> dict[str, str]:
    """Give the rows of these characters the encoder's embeddings, and return whose they are, for the card.

    Characters that the encoder does not know keep what they have, scaled alike.
    """
    import torch

    known = encoder.tokenizer()["model"]["vocab"]
    pairs = [(row, known[character]) for character, row in characters.items() if character in known]
    with torch.no_grad():
        weights *= SPREAD
        if pairs:
            held = encoder.weights()[_EMBEDDINGS].float()[[number for _, number in pairs]]
            turned = principal_directions(held, weights.shape[1])
            weights[[row for row, _ in pairs], : turned.shape[1]] = turned
    return {**encoder.facts(), "what": f"embeddings of {len(pairs)} of {len(characters)} characters"}


def principal_directions(rows: Tensor, width: int) -> Tensor:
    """Return the rows in the `width` directions in which they differ most, scaled to `SPREAD`; fewer if there are."""
    import torch

    centred = rows - rows.mean(dim=0)
    _, _, directions = torch.linalg.svd(centred, full_matrices=False)
    # A direction may point either way; it is turned so that its largest part is positive, whatever the library.
    largest = directions.abs().argmax(dim=1, keepdim=True)
    directions = directions * directions.gather(1, largest).sign()
    turned: Tensor = centred @ directions[:width].T
    if len(rows) > 1 and turned.std() > 0:
        turned = turned * (SPREAD / turned.std())
    return turned
