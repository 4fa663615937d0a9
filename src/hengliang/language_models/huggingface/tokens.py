"""Token spans of Hugging Face tokenizers: which bytes of a text each token stands for, and units from tokens.

The offsets that tokenizers give count characters: the two tokens of one Chinese character get the same pair, the ▁ that
a tokenizer puts before a text gets the first character's. So we spell each token in bytes wherever the tokenizer is of
a kind that can be spelled (byte-level, or ▁ for a space with byte fallback), and take the spans from there when the
spelling is the text, byte for byte. Only other texts (lower-cased, normalised, with unknown characters) go by offsets.

Tokens make units. A unit is one token, or several that cannot be told apart in bytes: a token of no width, such as a
lone ▁ before Chinese, is joined with the token after it (at the end of a text, before it), and tokens whose offsets
overlap are joined with each other. The log-probability of a unit is the sum over its tokens, so nothing is lost. White
space that a tokenizer leaves out belongs to the unit after it; a character that it leaves out is a problem.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hengliang.core.errors import UserError
from hengliang.core.text.characters import Offsets, byte_offsets
from hengliang.language_models.scores import Numbers, Scores, scores_of

# --- tokens and their bytes -------------------------------------------------------------------------------------------


Spelling = Literal["bytes", "metaspace", "none"]
"""How tokens are written: a letter for each byte; ▁ for a space and <0xE4> for a byte; in no way that can be undone."""

METASPACE = "▁"

_BYTE = re.compile("<0x[0-9A-F]{2}>")


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The tokens of one text. `units` gives the unit of each token; `starts` and `ends` are the bytes of the units.

    The units follow each other and cover the text. A text with a `problem` has no tokens.
    """

    ids: Offsets
    units: Offsets
    starts: Offsets
    ends: Offsets
    problem: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class SpanTokenizer:
    """A fast tokenizer with what it takes to find the bytes of its tokens.

    `pieces` spells each token id in bytes, None where that cannot be done. `tokens` are the ids as the vocabulary
    writes them. `backend` is the object of the library `tokenizers`, `wrapper` that of `transformers`.
    """

    wrapper: Any
    backend: Any
    spelling: Spelling
    tokens: tuple[str, ...]
    pieces: tuple[bytes | None, ...]
    sizes: Offsets

    @property
    def spells_all(self) -> bool:
        """Whether no character is unknown, because each byte has a token."""
        return len({piece for piece in self.pieces if piece is not None and len(piece) == 1}) == 256

    def names(self, vocabulary: int) -> list[str]:
        """Return a name for each of the ids of a network: the text that a token stands for where it is one.

        A token that is part of a character, or whose text another token has as text or name, keeps its own name.
        """
        texts = [_text(piece) for piece in self.pieces[:vocabulary]]
        count, known = Counter(texts), set(self.tokens)
        names = [
            text if text == token or (text and count[text] == 1 and text not in known) else token
            for text, token in zip(texts, self.tokens, strict=False)
        ]
        unused = [f"<unused {number}>" for number in range(len(names), vocabulary)]
        return [name or f"<unused {number}>" for number, name in enumerate(names)] + unused

    def tokenise(self, contents: Sequence[str]) -> list[Tokens]:
        """Return the tokens of each text, without any special token before or after.

        A text is a text: what looks like a special token in it (<s>, [MASK]) is cut like any other characters, unless
        it also is an ordinary piece of the vocabulary.
        """
        # Truncation, padding and special tokens may have been set in the tokenizer's file or by another caller.
        self.backend.no_truncation()
        self.backend.no_padding()
        self.backend.encode_special_tokens = True
        encoded = [encoding.ids for encoding in self.backend.encode_batch_fast(contents, add_special_tokens=False)]
        spelled = [self._by_spelling(content, ids) for content, ids in zip(contents, encoded, strict=True)]
        rest = [row for row, tokens in enumerate(spelled) if tokens is None]
        encodings = self.backend.encode_batch([contents[row] for row in rest], add_special_tokens=False)
        by_offsets = {
            row: self._by_offsets(contents[row], encoding.ids, encoding.offsets)
            for row, encoding in zip(rest, encodings, strict=True)
        }
        return [by_offsets[row] if tokens is None else tokens for row, tokens in enumerate(spelled)]

    def _by_spelling(self, content: str, ids: list[int]) -> Tokens | None:
        """Return the tokens if their spelling is the text, perhaps after one space that the tokenizer has added."""
        if self.spelling == "none":
            return None
        pieces = [self.pieces[token] for token in ids]
        if None in pieces:
            return None
        raw, spelled = content.encode(), b"".join(pieces)  # type: ignore[arg-type]
        if spelled not in (raw, b" " + raw):
            return None
        numbers = np.array(ids, np.int64)
        ends = np.cumsum(self.sizes[numbers]) - (len(spelled) - len(raw))
        starts = np.concatenate([np.zeros(min(1, len(ids)), np.int64), ends[:-1]])
        return _joined(numbers, starts, ends, np.zeros(len(ids), np.bool_))

    def _by_offsets(self, content: str, ids: list[int], offsets: list[tuple[int, int]]) -> Tokens:
        """Return the tokens with the spans that follow from character offsets, which may overlap and leave gaps."""
        position, ends, sticks = 0, [], []
        for start, end in [*offsets, (len(content), len(content))]:
            gap = content[position:start]
            if gap.strip():
                return self._dropped(content, position + len(gap) - len(gap.lstrip()))
            # A token that takes up characters of the one before it cannot be told apart from it.
            sticks.append(start < position and start < end)
            position = max(position, end)
            ends.append(position)
        if content and not any(end > start for start, end in offsets):
            return _problem("the tokenizer finds no token in the text")
        # White space at the end, which no token covers, belongs to the last unit.
        last = max((end for _, end in offsets), default=0)
        ends = [len(content) if end >= last else end for end in ends[:-1]]
        edges = byte_offsets(content)[np.array([0, *ends], np.int64)]
        return _joined(np.array(ids, np.int64), edges[:-1], edges[1:], np.array(sticks[:-1], np.bool_))

    def _dropped(self, content: str, gap: int) -> Tokens:
        """Return the problem of a text of which a character has no token; by the offsets it is the one at `gap`."""
        # Where a character was left out, the offsets after it are wrong, too; so each is tested by itself.
        lost = (
            position for position, character in enumerate(content) if character.strip() and not self._ids(character)
        )
        position = next(lost, gap)
        code = f"U+{ord(content[position]):04X}"
        return _problem(f"the tokenizer leaves out the character '{content[position]}' ({code}, at {position + 1})")

    def _ids(self, content: str) -> list[int]:
        ids: list[int] = self.backend.encode(content, add_special_tokens=False).ids
        return ids


def span_tokenizer(tokenizer: Any) -> SpanTokenizer:
    """Return the tokenizer of `transformers` as one that knows the bytes of its tokens."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if not getattr(tokenizer, "is_fast", False) or backend is None:
        raise UserError(
            f"The tokenizer {type(tokenizer).__name__} does not say where in the text its tokens are.",
            valid="A tokenizer with the file tokenizer.json (a fast tokenizer) does.",
            remedy="Convert it with transformers (convert_slow_tokenizer), then save it to the model's folder.",
        )
    spelling = _spelling(backend)
    vocabulary = backend.get_vocab(with_added_tokens=True)
    tokens = [""] * (max(vocabulary.values(), default=-1) + 1)
    for token, number in vocabulary.items():
        tokens[number] = token
    pieces = [_piece(token, spelling) for token in tokens]
    for number, added in backend.get_added_tokens_decoder().items():
        if spelling != "metaspace" or not _BYTE.fullmatch(added.content):
            pieces[number] = added.content.encode()
    # An unknown token stands for characters that it does not name.
    for unknown in (getattr(tokenizer, "unk_token_id", None), _model_unknown(backend)):
        if unknown is not None and spelling != "bytes":
            pieces[unknown] = None
    sizes = np.array([len(piece or b"") for piece in pieces], np.int64)
    return SpanTokenizer(tokenizer, backend, spelling, tuple(tokens), tuple(pieces), sizes)


def _model_unknown(backend: Any) -> int | None:
    unknown = getattr(backend.model, "unk_token", None)
    number = backend.token_to_id(unknown) if isinstance(unknown, str) else getattr(backend.model, "unk_id", None)
    return number if isinstance(number, int) else None


def _spelling(backend: Any) -> Spelling:
    """Read from the tokenizer's own description how its tokens are written."""
    described = json.loads(backend.to_str())
    parts = json.dumps([described.get(part) for part in ("normalizer", "pre_tokenizer", "decoder")], ensure_ascii=False)
    if '"ByteLevel"' in parts:
        return "bytes"
    return "metaspace" if METASPACE in parts else "none"


def _piece(token: str, spelling: Spelling) -> bytes | None:
    if spelling == "bytes":
        letters = letters_of_bytes()
        return bytes(letters[letter] for letter in token) if all(letter in letters for letter in token) else None
    if spelling == "metaspace":
        if _BYTE.fullmatch(token):
            return bytes.fromhex(token[3:5])
        return token.replace(METASPACE, " ").encode()
    return None


@cache
def letters_of_bytes() -> dict[str, int]:
    """Return the byte behind each letter of byte-level vocabularies.

    Printable characters of Latin-1 stand for their own code; the other bytes, in order, for the letters from U+0100.
    """
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in set(printable)]
    return {chr(byte): byte for byte in printable} | {chr(0x100 + rank): byte for rank, byte in enumerate(others)}


def _text(piece: bytes | None) -> str:
    try:
        return (piece or b"").decode()
    except UnicodeDecodeError:
        return ""


def _problem(problem: str) -> Tokens:
    none = np.zeros(0, np.int64)
    return Tokens(none, none, none, none, problem)


def _joined(ids: Offsets, starts: Offsets, ends: Offsets, sticks: npt.NDArray[np.bool_]) -> Tokens:
    """Return the tokens with units: those of no width and those that stick to the one before are joined."""
    wide = ends > starts
    if not wide.any():
        # A text of no bytes has no units, whatever the tokenizer writes for it.
        none = np.zeros(0, np.int64)
        return Tokens(none, none, none, none)
    # A token of no width leaves its unit open for the token after it; one that sticks belongs to a unit with width.
    closes = wide | sticks
    begins = np.concatenate([np.ones(1, np.bool_), closes[:-1] & ~sticks[1:]])
    last = int(np.flatnonzero(wide)[-1])
    begins[last + 1 :] = False
    units = np.cumsum(begins) - 1
    first = np.flatnonzero(begins)
    closing = np.concatenate([first[1:] - 1, np.array([len(ids) - 1])])
    return Tokens(ids, units, starts[first], ends[closing])


# --- units from tokens ------------------------------------------------------------------------------------------------
# Turns the log-probabilities of tokens into the scores of units.

NO_NUMBER = "the model gives a token no probability that is a number"


def units_of(tokens: Tokens, ids: Offsets, logprobs: Numbers, unigrams: Numbers | None, unknown: int) -> Scores:
    """Return the units of one text: sums over their tokens.

    `ids` are those of the tokens and, where it is scored, of the end symbol, which is a last unit of no width.
    `unigrams` are log-probabilities by id, `unknown` is the id of the unknown token.
    """
    problem = tokens.problem or ("" if np.isfinite(logprobs).all() else NO_NUMBER)
    if problem:
        return scores_of([problem])
    size, ended = len(tokens.starts), len(ids) - len(tokens.ids)
    units = np.append(tokens.units, [size] * ended).astype(np.int64)
    last = [int(tokens.ends[-1]) if size else 0] * ended
    unigram = np.full(len(ids), np.nan) if unigrams is None else unigrams[ids]
    return Scores(
        np.array([0, size + ended], np.int64),
        np.append(tokens.starts, last).astype(np.int64),
        np.append(tokens.ends, last).astype(np.int64),
        np.bincount(units, logprobs, size + ended).astype(np.float64),
        np.bincount(units, unigram, size + ended).astype(np.float64),
        np.bincount(units, ids == unknown, size + ended) > 0,
        ("",),
    )
