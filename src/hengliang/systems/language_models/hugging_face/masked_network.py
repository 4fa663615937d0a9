"""What does a masked model of Hugging Face expect at one place of each of these sequences?

Sequences of one length go through the network together, so that nothing is padded and a score does not depend on what
else is asked. Only the place that is asked about goes on to the vocabulary, which is far wider than the network.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hengliang.core.engine.cache import passed
from hengliang.core.errors import UserError
from hengliang.core.text.characters import Offsets
from hengliang.systems.language_models.hugging_face.loading import Loaded
from hengliang.systems.language_models.scores import Numbers

Ids = npt.NDArray[np.int64]

MOST_LOGITS = 2**24
"""How many logits are held at once: a bound on memory for vocabularies of hundreds of thousands."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What a masked model wants around a text (such as [CLS] and [SEP]), its mask, and how many tokens fit between."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    mask: int
    room: int | None


def frame_of(loaded: Loaded) -> Frame:
    """Return the frame that the tokenizer's template says; without a template its cls and sep tokens, if any."""
    mask = loaded.special("mask")
    if mask is None:
        raise UserError(
            f"The tokenizer in {loaded.path} has no mask.", valid="The tokenizer of a masked model names a mask_token."
        )
    before, after = _template(loaded)
    context = _context(loaded)
    room = None if context is None else context - len(before) - len(after)
    if room is not None and room < 1:
        raise UserError(f"The model in {loaded.path} sees {context} tokens: no room for a text.")
    return Frame(before, after, mask, room)


def _template(loaded: Loaded) -> tuple[tuple[int, ...], tuple[int, ...]]:
    backend = loaded.tokenizer.backend
    # Padding and truncation may have been set in the tokenizer's file or by another caller.
    backend.no_padding()
    backend.no_truncation()
    encoding = backend.encode("一", add_special_tokens=True)
    text = [place for place, special in enumerate(encoding.special_tokens_mask) if not special]
    if text and len(text) < len(encoding.ids):
        return tuple(encoding.ids[: text[0]]), tuple(encoding.ids[text[-1] + 1 :])
    ends = (loaded.special("cls"), loaded.special("sep"))
    before, after = (() if number is None else (number,) for number in ends)
    return before, after


def _context(loaded: Loaded) -> int | None:
    """Return how many tokens the model can see; RoBERTa and its kin number places from after the padding's."""
    if loaded.context is None:
        return None
    skipped = 0
    for name, module in loaded.model.named_modules():
        padding = getattr(module, "padding_idx", None)
        if name.endswith("position_embeddings") and padding is not None:
            skipped = padding + 1
    return loaded.context - skipped


def window_start(place: Offsets, length: Offsets, room: int | None) -> Offsets:
    """Return where the window begins in which a token is scored: the token stands in its middle, as far as can be."""
    if room is None:
        return np.zeros_like(place)
    return np.clip(place - room // 2, 0, np.maximum(length - room, 0))


def batches_of_one_length(lengths: Offsets, batch_tokens: int, vocabulary: int) -> Iterator[Offsets]:
    """Yield row numbers in batches: sequences of one length, bounded in tokens and in logits."""
    order = np.argsort(lengths, kind="stable")
    edges = np.flatnonzero(np.diff(lengths[order], prepend=-1, append=-1))
    for begin, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        length = max(1, int(lengths[order[begin]]))
        most = max(1, min(batch_tokens // length, MOST_LOGITS // vocabulary))
        for first in range(begin, end, most):
            yield order[first : min(end, first + most)]


def expected_of(loaded: Loaded, ids: Ids, places: Offsets, wanted: Ids) -> Numbers:
    """Return the log-probabilities of the wanted tokens (a row a sequence) at one place of each sequence."""

    def compute() -> Numbers:
        return np.take_along_axis(expected(loaded, ids, places), wanted, axis=1)

    return passed(compute, ids, places, wanted)


def expected(loaded: Loaded, ids: Ids, places: Offsets) -> Numbers:
    """Return the log-probabilities of all tokens at one place of each sequence; the sequences have one length."""
    import torch

    rows = torch.arange(len(ids))
    asked = torch.from_numpy(places)
    inputs = torch.from_numpy(ids)
    with torch.inference_mode(), _only_at(loaded.model, rows, asked):
        logits = loaded.model(input_ids=inputs, attention_mask=torch.ones_like(inputs)).logits
        # A head that multiplies with the embeddings by itself has passed the hook by.
        logits = logits[rows, asked] if logits.shape[1] != 1 or ids.shape[1] == 1 else logits[:, 0]
        return np.asarray(torch.log_softmax(logits.float(), dim=-1).numpy(), np.float64)


@contextmanager
def _only_at(model: Any, rows: Any, places: Any) -> Iterator[None]:
    """Let only these places through to the last layer, the one as wide as the vocabulary."""

    def narrow(module: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        states = inputs[0]
        whole = states.dim() == 3 and states.shape[0] == len(rows)
        return (states[rows, places].unsqueeze(1), *inputs[1:]) if whole else inputs

    hook = model.get_output_embeddings().register_forward_pre_hook(narrow)
    try:
        yield
    finally:
        hook.remove()
