"""Token-classification taggers (Hugging Face): words and tags from the labels of tokens (BIO, BMES, bare tags).

Any folder that `save_pretrained` wrote for token classification will do, with a fast tokenizer, whose offsets say which
bytes a token stands for. Every token gets its best label by itself. How labels make words is the `scheme`:

"prefixes"  B-n begins a word with the tag n, I-n and M-n go on with it, E-n ends it, S-n is a word of one token (the
            hyphen may be an underscore). A label without a prefix is a word of one token, O too. I, M and E that do
            not go on with a word of the same tag begin one. This covers BIO, BMES, BIES and their mixtures.
"runs"      Labels are bare tags: neighbouring tokens with one tag are one word. Two nouns in a row become one.
"tokens"    Labels are bare tags, and every token is a word.
"auto"      "prefixes" if a label of the model has one, else "runs".

A token that goes on with a written word (##ing) belongs to the token before it, whatever its label, because most models
are trained on the first token of a written word only. White space belongs to the word after it.

A sentence goes through the network alone, so that nothing is padded and its words never depend on its neighbours. One
that is longer than the network can see is read in windows of that length which overlap by half; each token gets its
label in the window in which it stands farther from the cut. Everything is read from the disk, never from the network.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from hengliang.core.engine.cache import passed
from hengliang.core.engine.mapping import available_threads
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.labelling.spans import Labelled, LabelledSpans, labelled_spans
from hengliang.core.labelling.taggers import Tagger, unreadable
from hengliang.core.registry import register
from hengliang.core.signature import Signature, constructor_signature
from hengliang.core.terms import Bilingual
from hengliang.core.text.characters import Offsets
from hengliang.language_models.huggingface.loading import (
    NUMBERS_ONLY,
    SAFELY,
    TOKENIZER_FILES,
    WEIGHT_FILES,
    asks_for_code,
    brings_code,
    quiet_transformers,
    refuse_tokenizer_code,
)
from hengliang.language_models.huggingface.tokens import METASPACE, SpanTokenizer, Tokens, span_tokenizer

Scheme = Literal["auto", "prefixes", "runs", "tokens"]

_PREFIXED = re.compile(r"([BIMES])[-_](.+)")
_CONTINUATION = "##"


@dataclass(frozen=True, slots=True)
class Label:
    """A label of the model: where in a word a token stands (B, I, E, S, or R for a run of one tag), and the tag."""

    position: str
    tag: str


@register("hf")
class TokenClassificationTagger(Tagger):
    """Words and tags by the token-classification model in a folder, `hf:FOLDER`; `scheme` is explained above.

    `tag_map` is the name or the file of the tag map for its tags.
    """

    title = Bilingual("Token classification", "序列标注模型")

    def __init__(
        self, folder: str | Path = "", scheme: Scheme = "auto", name: str = "", *, tag_map: str = "pku"
    ) -> None:
        self.folder = Path(folder) if str(folder) else None
        self.scheme = scheme
        self.name = name or (f"hf:{folder}" if str(folder) else "hf")
        self.tag_map = tag_map

    def tag(self, sentences: Sequence[str]) -> LabelledSpans:
        """Return the words of each sentence as byte spans that cover it, labelled by the model's tags."""
        opened = _open(_folder(self.folder))
        labels = read_labels(opened.labels, self.scheme)
        rows: list[Sequence[Labelled] | str] = [unreadable(sentence, self.name) for sentence in sentences]
        asked = [row for row, problem in enumerate(rows) if not problem and sentences[row].strip()]
        rows = [problem or [] for problem in rows]
        for row, tokens in zip(asked, opened.tokenizer.tokenise([sentences[row] for row in asked]), strict=True):
            rows[row] = tokens.problem or _spans(tokens, opened, labels)
        return labelled_spans(rows)

    def signature(self) -> Signature:
        """Return the arguments and the code, the checksum of the model's files, and the versions of the libraries."""
        _folder(self.folder)
        return constructor_signature(self).and_(
            **{library: metadata.version(library) for library in ("transformers", "tokenizers", "torch")}
        )


# --- from labels to words -------------------------------------------------------------------------------------------


def read_labels(names: Sequence[str], scheme: Scheme = "auto") -> list[Label]:
    """Return what each label of a model means."""
    if scheme not in get_args(Scheme):
        raise unknown_name("scheme of labels", scheme, get_args(Scheme))
    matches = [_PREFIXED.fullmatch(name) for name in names]
    if scheme == "prefixes" or (scheme == "auto" and any(matches)):
        return [
            Label(match[1].replace("M", "I"), match[2]) if match else Label("S", name)
            for name, match in zip(names, matches, strict=True)
        ]
    if set(names) <= set("BIMESO"):
        raise UserError(
            f"The labels of the model ({', '.join(names)}) cut words, but name no tags.",
            valid="Labels such as B-n and I-n, or bare tags such as n and v, are expected.",
        )
    return [Label("S" if scheme == "tokens" else "R", name) for name in names]


def words_of(labels: Sequence[Label], continued: Sequence[bool]) -> list[tuple[int, int, str]]:
    """Return the words of labelled tokens: the first token, the one after the last, and the tag.

    `continued` says of each token whether it belongs to the one before it, whatever its label.
    """
    words: list[tuple[int, int, str]] = []
    tag, unfinished = "", False
    for number, label in enumerate(labels):
        goes_on = unfinished and label.position in "IER" and label.tag == tag
        if words and (goes_on or continued[number]):
            words[-1] = (words[-1][0], number + 1, words[-1][2])
            if continued[number]:
                continue
        else:
            words.append((number, number + 1, label.tag))
        tag, unfinished = label.tag, label.position in "BIR"
    return words


def _spans(tokens: Tokens, opened: _Opened, labels: Sequence[Label]) -> list[Labelled]:
    best = [labels[number] for number in opened.best(tokens.ids.tolist())]
    firsts: dict[int, int] = {}
    for index, unit in enumerate(tokens.units.tolist()):  # a unit is a token, or tokens that share bytes
        if unit not in firsts or opened.tokenizer.tokens[tokens.ids[firsts[unit]]] == METASPACE:
            firsts[unit] = index  # its first token says its label, but for a mere space before it
    written = [opened.tokenizer.tokens[tokens.ids[index]] for index in firsts.values()]
    words = words_of([best[index] for index in firsts.values()], [token.startswith(_CONTINUATION) for token in written])
    return [(int(tokens.starts[first]), int(tokens.ends[after - 1]), tag) for first, after, tag in words]


# --- the network ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Opened:
    """A model with its tokenizer, its labels by number, what stands around a text, and how many tokens fit between."""

    model: Any
    tokenizer: SpanTokenizer
    labels: tuple[str, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    room: int | None

    def best(self, ids: list[int]) -> list[int]:
        """Return the number of the best label of each token; of equal ones the first."""
        labels: list[int] = []
        for start, first, after in windows(len(ids), self.room):
            part = ids[start : start + (self.room or len(ids))]
            labels += self._best(part)[first - start : after - start]
        return labels

    def _best(self, ids: list[int]) -> list[int]:
        import torch

        framed = np.array([[*self.before, *ids, *self.after]], np.int64)

        def compute() -> Offsets:
            inputs = torch.from_numpy(framed)
            with torch.inference_mode(), _threads(torch):
                logits = self.model(input_ids=inputs, attention_mask=torch.ones_like(inputs)).logits[0]
            return np.asarray(logits.argmax(dim=-1).numpy(), np.int64)

        best: list[int] = passed(compute, framed).tolist()
        return best[len(self.before) : len(self.before) + len(ids)]


def windows(length: int, room: int | None) -> list[tuple[int, int, int]]:
    """Return where windows of `room` tokens begin that overlap by half, and which tokens get their label in each."""
    if room is None or length <= room:
        return [(0, 0, length)]
    starts = [*range(0, length - room, max(1, room // 2)), length - room]
    # Of the tokens that are in two windows, the first half belongs to the one and the second half to the other.
    cuts = [(other + start + room) // 2 for start, other in pairwise(starts)]
    return list(zip(starts, [0, *cuts], [*cuts, length], strict=True))


@contextmanager
def _threads(torch: Any) -> Iterator[None]:
    """Use as many threads as are ours, and leave the setting as it was."""
    before = torch.get_num_threads()
    torch.set_num_threads(min(before, available_threads()))
    try:
        yield
    finally:
        torch.set_num_threads(before)


# --- the folder -----------------------------------------------------------------------------------------------------


def _open(folder: Path) -> _Opened:
    """Return the model in a folder; the two used last are kept, as long as their files do not change."""
    files = sorted(file for file in folder.iterdir() if file.is_file())
    return _opened(folder.resolve(), tuple((file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files))


def _folder(folder: Path | None) -> Path:
    """Return a folder if it is there and holds the files of a model, before transformers looks for it elsewhere."""
    valid = "A model is a folder with config.json, weights and a tokenizer, as save_pretrained writes it."
    if folder is None:
        raise UserError("The tagger hf needs a model.", valid=valid, remedy="Name its folder after a colon: hf:FOLDER")
    if not folder.is_dir():
        raise UserError(f"There is no folder {folder}.", valid=valid, remedy="Check the path for a typing mistake.")
    for what, names in (("config", ("config.json",)), ("tokenizer", TOKENIZER_FILES), ("weights", WEIGHT_FILES)):
        if not any(any(folder.glob(name)) for name in names):
            raise UserError(f"The folder {folder} holds no {what}: none of {', '.join(names)}.", valid=valid)
    return folder


@lru_cache(maxsize=2)
def _opened(folder: Path, stamp: tuple[tuple[str, int, int], ...]) -> _Opened:
    try:
        import torch
        import transformers
    except ImportError as error:
        raise UserError(
            f"Models of Hugging Face need the library {error.name}, which is not installed.",
            remedy="Install it with: pip install 'hengliang[neural]'",
        ) from error
    refuse_tokenizer_code(folder)
    with quiet_transformers():
        try:
            wrapper = transformers.AutoTokenizer.from_pretrained(folder, **SAFELY)
            model, report = transformers.AutoModelForTokenClassification.from_pretrained(
                folder, **NUMBERS_ONLY, dtype=torch.float32, output_loading_info=True
            )
        except Exception as error:  # transformers raises whatever its many readers raise
            if asks_for_code(error):
                raise brings_code(folder) from error
            message = " ".join(str(error).split())[:200]
            raise UserError(f"The model in {folder} cannot be read: {message}") from error
    if report["missing_keys"]:
        raise UserError(
            f"The weights in {folder} lack {', '.join(sorted(report['missing_keys'])[:3])}.",
            valid="A model that was trained and saved for token classification has them.",
        )
    numbers = range(model.config.num_labels)
    labels = tuple(str(model.config.id2label.get(number, number)) for number in numbers)
    tokenizer = span_tokenizer(wrapper)
    before, after = _frame(tokenizer)
    seen = _context(model)
    room = None if seen is None else seen - len(before) - len(after)
    if room is not None and room < 1:
        raise UserError(f"The model in {folder} sees {seen} tokens: no room for a text.")
    return _Opened(model.eval().requires_grad_(False), tokenizer, labels, before, after, room)


def _frame(tokenizer: SpanTokenizer) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the tokens that the tokenizer puts before and after a text, such as [CLS] and [SEP]."""
    backend = tokenizer.backend
    backend.no_padding()
    backend.no_truncation()
    encoding = backend.encode("一", add_special_tokens=True)
    text = [position for position, special in enumerate(encoding.special_tokens_mask) if not special]
    if not text:
        return (), ()
    return tuple(encoding.ids[: text[0]]), tuple(encoding.ids[text[-1] + 1 :])


def _context(model: Any) -> int | None:
    """Return how many tokens the model can see; RoBERTa and its kin number places from after the padding's."""
    size = getattr(model.config, "max_position_embeddings", None)
    if not isinstance(size, int) or size < 1:
        return None
    for name, module in model.named_modules():
        padding = getattr(module, "padding_idx", None)
        if name.endswith("position_embeddings") and padding is not None:
            return size - int(padding) - 1
    return size
