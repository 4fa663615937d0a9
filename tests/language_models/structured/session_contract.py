"""Does a session keep what it promises?"""

from __future__ import annotations

import numpy as np

from hengliang.core import Offsets
from hengliang.language_models.structured.derivations import NOTHING, SHIFT, Progress, Session, allowed, beginning


def wandered(session: Session, seed: int, count: int = 6, steps: int = 12) -> tuple[Offsets, Progress, set[int]]:
    """Return the states of some random derivations, how far they are, and all states that were made on the way."""
    generator = np.random.default_rng(seed)
    begun = session.begin()
    states, progress, made = np.full(count, begun, np.int64), beginning(count), {begun}
    for _ in range(steps):
        possible = allowed(progress, session.limits)
        possible[progress.opened == 1, 0] = False  # no derivation ends
        chances = np.where(possible, generator.random(possible.shape), -1.0)
        taken = chances.argmax(axis=1).astype(np.int64)
        words = np.where(taken == SHIFT, generator.integers(0, session.words, count), NOTHING)
        after = session.advance(states, taken, words)
        if (after < 0).any():
            break
        states, progress = after, progress.after(taken)
        made |= set(states.tolist())
    return states, progress, made


def contract_faults(session: Session, seed: int = 0, closeness: float = 1e-6) -> list[str]:
    """Return which promises a session breaks on the way of some random derivations."""
    begun = session.begin()
    at_first = session.step_logits(np.array([begun]))
    states, progress, _ = wandered(session, seed)
    faults = []
    logits, words = session.step_logits(states), session.word_distributions(states)
    if logits.shape != (len(states), session.limits.steps) or words.shape != (len(states), session.words):
        faults.append(f"logits {logits.shape}, words {words.shape}")
    if not np.allclose(np.exp(words).sum(axis=1), 1.0, atol=closeness):
        faults.append("the words of a state do not share the probability 1")
    if not np.allclose(session.step_logits(np.array([begun])), at_first, atol=closeness):
        faults.append("a state changed when others were made")
    picked = np.arange(len(states)) % session.words
    one_by_one = session.word_logprobs(states, picked)
    if not np.allclose(one_by_one, words[np.arange(len(states)), picked], atol=closeness):
        faults.append("one word and all words do not agree")
    alone = np.concatenate([session.step_logits(states[row : row + 1]) for row in range(len(states))])
    possible = allowed(progress, session.limits)
    if not np.allclose(alone[possible], logits[possible], atol=closeness):
        faults.append("a state answers differently when it is asked about alone")
    order = np.array([3, 0, 4])
    kept = session.keep(states[order])
    if not np.allclose(session.step_logits(kept)[possible[order]], logits[order][possible[order]], atol=closeness):
        faults.append("a state changed when others were forgotten")
    if not np.allclose(session.word_distributions(kept), words[order], atol=closeness):
        faults.append("the words of a state changed when others were forgotten")
    shifted = session.advance(kept, np.full(3, SHIFT, np.int64), np.zeros(3, np.int64))
    if len(set(shifted.tolist()) & set(kept.tolist())):
        faults.append("a new state has the number of an old one")
    if len(session.keep(np.zeros(0, np.int64))):
        faults.append("something is left when all is forgotten")
    return faults
