"""How does a text look to a tagger that reads simplified characters, and where in the original is each piece of it?

Texts in traditional characters, wholly or in part, are converted by OpenCC before they are tagged. A character and its
simplified form need not have the same number of bytes (1,260 pairs of OpenCC 1.4 have not), and a library may map a
phrase to one of another length; so every offset is carried back by a table of edges.
"""

from __future__ import annotations

from difflib import SequenceMatcher

import numpy as np

from hengliang.core.text.characters import Normalised, byte_offsets, normalise, script_of, to_simplified


def simplified(text: str) -> Normalised:
    """Return the text in NFC and simplified characters, with the way back to the original."""
    composed = normalise(text, ())
    if script_of(composed.text) not in {"traditional", "mixed"}:
        return composed
    converted = to_simplified(composed.text)
    here, there = _edges(converted, composed.text)
    # An edge of the conversion that falls inside a composed character has no place in the original.
    kept = np.isin(there, composed.text_edges)
    original = composed.original_edges[np.searchsorted(composed.text_edges, there[kept])]
    return Normalised(converted, text, here[kept], original)


def _edges(converted: str, original: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the byte offsets at which two forms of a text can be cut alike."""
    here, there = byte_offsets(converted), byte_offsets(original)
    if len(converted) == len(original):
        return here, there
    pairs = [(0, 0)]
    for _, first, last, start, end in SequenceMatcher(None, converted, original, autojunk=False).get_opcodes():
        if last - first == end - start:
            pairs.extend((first + step, start + step) for step in range(1, last - first + 1))
        else:
            pairs.append((last, end))
    places = np.array(pairs, np.int64)
    return here[places[:, 0]], there[places[:, 1]]
