"""Masked language models of Hugging Face: pseudo-log-likelihood (PLL, within-word l2r) and filling of masks.

A masked model gives no text a probability. The pseudo-log-likelihood [1] stands in for it: each token is hidden in
turn, and the log-probabilities of the hidden tokens are summed. No chain rule holds for it, and it is comparable among
masked models only. Two methods:

"pll"       hides the token alone [1]. A token within a word is then given away by the rest of its word.
"word-l2r"  hides the token and the tokens of the same word to its right [2]. It needs words: those that the texts
            carry, else those of the segmenter. A token that crosses the edge of a word makes the text unscored.

The tokens that a model wants around a text, such as [CLS] and [SEP], are put there and not scored. A text longer than
the model can see is not cut: each of its tokens is scored in the window in whose middle it stands, as far as the ends
of the text allow.

[1] Salazar, J., Liang, D., Nguyen, T. Q., Kirchhoff, K. (2020). Masked language model scoring. ACL 2020.
[2] Kauf, C., Ivanova, A. (2023). A better way to do masked language model scoring. ACL 2023.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from hengliang.core.engine.cache import passed
from hengliang.core.errors import UserError
from hengliang.core.labelling.texts import Texts, check_texts, edges_of
from hengliang.core.text.characters import ByteSpan, Offsets, byte_offsets, slice_bytes, utf8, width_folding
from hengliang.core.text.segmentation import USUAL_SEGMENTER
from hengliang.language_models.base import Conventions, LanguageModel, NextUnits, Unit
from hengliang.language_models.huggingface.loading import Loaded, load
from hengliang.language_models.huggingface.tokens import Tokens, units_of
from hengliang.language_models.huggingface.unigram_counts import read_unit_counts
from hengliang.language_models.scores import Numbers, Scores, concat, scores_of

# --- predictions at one place of each sequence ------------------------------------------------------------------------
# Sequences of one length go through the network together, so that nothing is padded and a score does not depend on what
# else is asked. Only the place that is asked about goes on to the vocabulary, which is far wider than the network.

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
    text = [position for position, special in enumerate(encoding.special_tokens_mask) if not special]
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
    """Return the log-probabilities of the wanted tokens (one row per sequence) at one place of each sequence."""

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


# --- the model --------------------------------------------------------------------------------------------------------


Method = Literal["pll", "word-l2r"]


class HuggingFaceMasked(LanguageModel):
    """A masked language model from a folder that `save_pretrained` wrote.

    `method` is explained above, `segmenter` finds words for "word-l2r" where the texts carry none. `unigrams` is a file
    of token counts (`count_units`). `batch_tokens` is how many tokens go through the network at once; it changes
    numbers only by rounding. `widths` are those in which `score` reads a text, whatever it is written in
    (`hengliang.language_models.manner`): a model that was trained here has widths and segmenter on its card.
    """

    def __init__(
        self,
        path: Path | str,
        name: str = "",
        *,
        method: Method = "pll",
        segmenter: str = USUAL_SEGMENTER,
        unit: Unit = "subword",
        unigrams: Path | None = None,
        batch_tokens: int = 2048,
        widths: str = "",
    ) -> None:
        self.path = Path(path)
        self.name = name or self.path.name
        self.method = method
        self.segmenter = segmenter
        self.unit = unit
        self.unigrams = unigrams
        self.batch_tokens = batch_tokens
        self.widths = widths

    def loaded(self) -> Loaded:
        """Return network and tokenizer, which are read from the disk at the first call."""
        return load(self.path, "masked")

    def conventions(self) -> Conventions:
        """Return how the log-probabilities are to be read; the context names what is hidden and the windows."""
        loaded, frame = self.loaded(), frame_of(self.loaded())
        tokens = loaded.tokenizer.tokens
        around = " … ".join("".join(tokens[number] for number in ids) for ids in (frame.before, frame.after))
        hidden = "the token and the rest of its word" if self._by_word() else "the token"
        unknown = getattr(loaded.tokenizer.wrapper, "unk_token", None) or "refused"
        limit = "" if frame.room is None else f"; beyond {frame.room} tokens windows around the token"
        return Conventions(
            scoring="masked",
            unit=self.unit,
            bos=False,
            eos=False,
            unknown="spelled in bytes" if loaded.tokenizer.spells_all else unknown,
            unigrams="none" if self.unigrams is None else "token counts, one added to each",
            context=f"both sides, {hidden} hidden, between {around}{limit}",
            segmenter=self.segmenter if self._by_word() else "",
            widths=self.widths,
        )

    def _by_word(self) -> bool:
        if self.method not in get_args(Method):
            raise UserError(f"No method is called '{self.method}'.", valid=f"Valid: {', '.join(get_args(Method))}.")
        return self.method == "word-l2r"

    def score(self, texts: Texts) -> Scores:
        """Return the units of each text with their log-probabilities; a unit is a token, or tokens that share bytes."""
        check_texts(texts)
        if not len(texts):
            return scores_of([])
        frame = frame_of(self.loaded())
        worded = texts.with_words(self.segmenter) if self._by_word() else None
        token_rows = [self._checked(tokens) for tokens in self._tokens(texts.contents.to_list())]
        lasts = [np.arange(1, len(tokens.ids) + 1) for tokens in token_rows]
        if worded is not None:
            edges = worded.offsets.tolist()
            for row, tokens in enumerate(token_rows):
                ends = worded.ends[edges[row] : edges[row + 1]]
                token_rows[row], lasts[row] = _hidden_with(tokens, ends)
        logprobs = self._logprobs([tokens.ids for tokens in token_rows], np.concatenate(lasts), frame)
        offsets = edges_of([len(tokens.ids) for tokens in token_rows]).tolist()
        unigrams, unknown = self._unigram_logprobs(), self._unknown()
        return concat(
            [
                units_of(tokens, tokens.ids, logprobs[offsets[row] : offsets[row + 1]], unigrams, unknown)
                for row, tokens in enumerate(token_rows)
            ]
        )

    def _tokens(self, contents: list[str]) -> list[Tokens]:
        """Return the tokens of each text as the model reads it, with spans of the text as it is written."""
        table = {ord(character): other for character, other in width_folding(self.widths).items()}
        read = [content.translate(table) for content in contents]
        token_rows = self.loaded().tokenizer.tokenise(read)
        for row, (content, other) in enumerate(zip(contents, read, strict=True)):
            if content != other:
                # One character stands for one, so that both texts have the same characters at other bytes.
                here, there = byte_offsets(other), byte_offsets(content)
                starts, ends = (
                    there[np.searchsorted(here, offsets)] for offsets in (token_rows[row].starts, token_rows[row].ends)
                )
                token_rows[row] = replace(token_rows[row], starts=starts, ends=ends)
        return token_rows

    def _checked(self, tokens: Tokens) -> Tokens:
        """Return the tokens, or a problem if there is one that the network has no row for."""
        loaded = self.loaded()
        beyond = tokens.ids[tokens.ids >= loaded.vocabulary]
        if not beyond.size:
            return tokens
        token = loaded.tokenizer.tokens[int(beyond[0])]
        return _without_tokens(f"the model has no weights for the token '{token}' of its tokenizer")

    def _logprobs(self, sequences: Sequence[Offsets], lasts: Offsets, frame: Frame) -> Numbers:
        """Return the log-probability of each token when it and those up to before `lasts` are hidden."""
        loaded = self.loaded()
        counts = np.array([len(ids) for ids in sequences], np.int64)
        flat = np.concatenate([*sequences, np.zeros(0, np.int64)])
        first = np.repeat(edges_of(counts)[:-1], counts)
        lengths = np.repeat(counts, counts)
        places = np.arange(len(flat)) - first
        starts = window_start(places, lengths, frame.room)
        widths = lengths if frame.room is None else np.minimum(lengths, frame.room)
        logprobs = np.full(len(flat), np.nan)
        around = len(frame.before) + len(frame.after)
        for rows in batches_of_one_length(widths + around, self.batch_tokens, loaded.vocabulary):
            window = starts[rows, None] + np.arange(widths[rows[0]])
            hidden = (window >= places[rows, None]) & (window < lasts[rows, None])
            ids = np.where(hidden, frame.mask, flat[first[rows, None] + window])
            at = places[rows] - starts[rows] + len(frame.before)
            logprobs[rows] = expected_of(loaded, _framed(ids, frame), at, flat[rows][:, None])[:, 0]
        return logprobs

    def fill(self, texts: Texts, spans: Sequence[ByteSpan], candidates: Sequence[str] | None = None) -> NextUnits:
        """Return what may stand in one place of each text, given both sides of it: one span of bytes per text.

        Without candidates the place holds one token, and the log-probabilities are those of all tokens. Candidates of
        one token get their log-probability from the same distribution. A candidate of several tokens gets as many
        hidden tokens, and the sum of its log-probabilities from left to right ("word-l2r"); candidates of different
        lengths thus do not share one distribution. A candidate that the model does not know is NaN.
        """
        loaded, frame = self.loaded(), frame_of(self.loaded())
        if len(spans) != len(texts):
            raise UserError(f"There are {len(spans)} spans for {len(texts)} texts.", valid="One span a text.")
        sides = [self._sides(text, span, frame) for text, span in zip(texts.contents.to_list(), spans, strict=True)]
        if candidates is None:
            asked = [((*left, frame.mask, *right), len(left)) for left, right in sides]
            answers = self._ask(asked, frame)
            rows = [answers[question] for question in asked]
            everything = np.array(rows).reshape(len(rows), loaded.vocabulary)
            return NextUnits(loaded.tokenizer.names(loaded.vocabulary), everything)
        fillers = [self._checked(tokens).ids.tolist() for tokens in loaded.tokenizer.tokenise(list(candidates))]
        wanted = {
            (row, column, step): ((*left, *ids[:step], *[frame.mask] * (len(ids) - step), *right), len(left) + step)
            for row, (left, right) in enumerate(sides)
            for column, ids in enumerate(fillers)
            for step in range(len(ids))
        }
        answers = self._ask(list(dict.fromkeys(wanted.values())), frame)
        logprobs = np.zeros((len(sides), len(fillers)))
        for (row, column, step), question in wanted.items():
            logprobs[row, column] += answers[question][fillers[column][step]]
        lacking = [column for column, ids in enumerate(fillers) if not ids or self._unknown() in ids]
        logprobs[:, lacking] = np.nan
        return NextUnits(list(candidates), logprobs)

    def _sides(self, content: str, span: ByteSpan, frame: Frame) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the tokens before and after a span, cut as the tokenizer cuts around its own mask."""
        loaded = self.loaded()
        left, right = slice_bytes(content, 0, span[0]), slice_bytes(content, span[1], len(utf8(content)))
        # Tokenizers treat what stands beside a special token in ways of their own, so the mask itself is written out.
        backend = loaded.tokenizer.backend
        backend.encode_special_tokens = False
        encoding = backend.encode(f"{left}{loaded.tokenizer.wrapper.mask_token}{right}", add_special_tokens=False)
        pairs = zip(encoding.ids, encoding.offsets, strict=True)
        at = [position for position, (number, (_, end)) in enumerate(pairs) if number == frame.mask and end > len(left)]
        if not at:
            raise UserError(f"The tokenizer of '{self.name}' does not know its own mask within '{content[:40]}'.")
        return tuple(encoding.ids[: at[0]]), tuple(encoding.ids[at[0] + 1 :])

    def _ask(
        self, questions: Sequence[tuple[tuple[int, ...], int]], frame: Frame
    ) -> dict[tuple[tuple[int, ...], int], Numbers]:
        """Return the distribution at one place of each sequence of tokens, which are framed and cut to a window."""
        loaded = self.loaded()
        lengths = np.array([len(ids) for ids, _ in questions], np.int64)
        places = np.array([position for _, position in questions], np.int64)
        starts = window_start(places, lengths, frame.room)
        widths = lengths if frame.room is None else np.minimum(lengths, frame.room)
        answered = {}
        for rows in batches_of_one_length(widths, self.batch_tokens, loaded.vocabulary):
            cut = [questions[row][0][starts[row] : starts[row] + widths[row]] for row in rows.tolist()]
            at = places[rows] - starts[rows] + len(frame.before)
            answers = expected(loaded, _framed(np.array(cut, np.int64), frame), at)
            answered.update({questions[row]: answer for row, answer in zip(rows.tolist(), answers, strict=True)})
        return answered

    def _unknown(self) -> int:
        """Return the id of the unknown token, −1 where there is none or every character can be spelled."""
        tokenizer = self.loaded().tokenizer
        number = getattr(tokenizer.wrapper, "unk_token_id", None)
        return -1 if number is None or tokenizer.spells_all else int(number)

    def _unigram_logprobs(self) -> Numbers | None:
        if self.unigrams is None:
            return None
        loaded = self.loaded()
        counts = read_unit_counts(Path(self.unigrams), loaded.tokenizer.tokens, loaded.vocabulary, [])
        return np.asarray(np.log(counts + 1.0) - np.log((counts + 1.0).sum()))


def _framed(ids: Ids, frame: Frame) -> Ids:
    before = np.tile(np.array(frame.before, np.int64), (len(ids), 1))
    after = np.tile(np.array(frame.after, np.int64), (len(ids), 1))
    return np.concatenate([before, ids, after], axis=1)


def _without_tokens(problem: str) -> Tokens:
    none = np.zeros(0, np.int64)
    return Tokens(none, none, none, none, problem)


def _hidden_with(tokens: Tokens, word_ends: Offsets) -> tuple[Tokens, Offsets]:
    """Return for each token where its word ends, in tokens; or a problem where a token crosses the edge of a word."""
    starts, ends = tokens.starts[tokens.units], tokens.ends[tokens.units]
    words = np.searchsorted(word_ends, starts, "right")
    crossing = np.flatnonzero(words != np.searchsorted(word_ends, ends - 1, "right"))
    if crossing.size:
        first = int(crossing[0])
        problem = f"the token of the bytes {starts[first]} to {ends[first]} crosses the edge of a word"
        return _without_tokens(problem), np.zeros(0, np.int64)
    return tokens, np.searchsorted(words, words, "right").astype(np.int64)
