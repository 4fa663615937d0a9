"""Exact enumeration of analyses, and the beam search one analysis at a time: references for the fast search.

Everything here is written for being right, not for being fast: plain lists and plain numbers, one analysis per call of
the session. It shares nothing with the search of `hengliang.language_models.structured.beam_search` but its settings,
and so can say whether that search is right, and how much it gains from going in batches.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from hengliang.language_models.structured.beam_search import Beam
from hengliang.language_models.structured.derivations import (
    CLOSE,
    NOTHING,
    OPEN,
    SHIFT,
    Limits,
    Progress,
    Session,
    allowed,
)

MOST = 200_000
"""So many derivations of a sentence are tried at most, unless one asks for more."""
MOST_STATES = 20_000
"""So many states are made before the session is told to forget those not needed any more."""


def count_derivations(limits: Limits, words: int) -> int:
    """Return how many trees a sentence of so many words has within the limits.

    An analysis with m constituents open after a word goes on to the next one by closing j of them (not the root) and
    opening k more, each with any of the labels; after the last word there is one way to the end.
    """
    if words < 1:
        return 0
    chain = range(min(limits.chain, limits.depth) + 1)
    ways = {opened: limits.labels**opened for opened in chain if opened}
    for _ in range(words - 1):
        before, ways = ways, {}
        for opened, count in before.items():
            for left in range(1, opened + 1):
                for more in chain:
                    if left + more <= limits.depth:
                        ways[left + more] = ways.get(left + more, 0) + count * limits.labels**more
    return sum(ways.values())


@dataclass(frozen=True, slots=True)
class Derivation:
    """One derivation: its state, its log-probability, how far it is, and its steps."""

    state: int
    score: float
    opened: int
    chain: int
    said: int
    steps: tuple[int, ...]


def all_derivations(session: Session, words: Sequence[int]) -> Iterator[Derivation]:
    """Yield each derivation of the sentence or of a beginning of it that has just said a word or ended the sentence.

    One that has ended the sentence has nothing open. Derivations without any probability are left out.
    """
    waiting = [_before_the_first_step(session)]
    made = 0
    while waiting:
        if made > MOST_STATES:
            waiting, made = _remembered(session, waiting), 0
        here = waiting.pop()
        for step, logprob in _step_logprobs(session, here):
            ends = step == CLOSE and here.opened == 1
            all_said = here.said == len(words)
            if (ends and not all_said) or (step != CLOSE and all_said):
                continue
            score = here.score + logprob
            if step == SHIFT:
                score += _word_logprob(session, here, words[here.said])
            if score == -math.inf:
                continue
            # No state is needed after the last step; a model that has none after another step does not go on.
            after = _after(session, here, step, score, NOTHING if step != SHIFT else words[here.said], made=not ends)
            made += 1
            if ends or step == SHIFT:
                yield after
            if after.state >= 0:
                waiting.append(after)


def exact_logprob(session: Session, words: Sequence[int], most: int = MOST) -> float:
    """Return the log of the summed probability of all trees of a sentence; NaN if they are more than `most`."""
    if count_derivations(session.limits, len(words)) > most:
        return math.nan
    return _log_sum([each.score for each in all_derivations(session, words) if not each.opened])


def exact_prefix_logprobs(session: Session, words: Sequence[int], most: int = MOST) -> list[float]:
    """Return the log-probability that a sentence begins with the first word, with the first two, and so on.

    NaN for all if a sentence of these words has more than `most` trees.
    """
    if count_derivations(session.limits, len(words)) > most:
        return [math.nan] * len(words)
    scores: list[list[float]] = [[] for _ in words]
    for each in all_derivations(session, words):
        if each.opened:
            scores[each.said - 1].append(each.score)
    return [_log_sum(each) for each in scores]


def one_at_a_time(session: Session, words: Sequence[int], beam: Beam) -> list[float]:
    """Return the log-probability of each word and of the end by beam search; NaN from where no analysis is left."""
    kept, before = [_before_the_first_step(session)], 0.0
    logprobs: list[float] = []
    for word in words:
        reaching = _reaching(session, kept, word, beam)
        mass = _log_sum([score for score, _ in reaching])
        if not math.isfinite(mass):
            break
        logprobs.append(mass - before)
        best = sorted(reaching, key=_best_first)[: beam.word or None]
        shifted = [_after(session, here, SHIFT, score, word) for score, here in best if score > -math.inf]
        kept, before = _remembered(session, [each for each in shifted if each.state >= 0]), mass
    else:
        end = _log_sum([_ended(session, each) for each in kept])
        if words and math.isfinite(end):
            return [*logprobs, end - before]
    return logprobs + [math.nan] * (len(words) + 1 - len(logprobs))


def _reaching(session: Session, kept: list[Derivation], word: int, beam: Beam) -> list[tuple[float, Derivation]]:
    """Return the analyses that reach the next word, just before they say it, with their scores once they have."""
    fringe, reaching = kept, list[tuple[float, Derivation]]()
    while fringe:
        candidates = []
        for here in fringe:
            for step, logprob in _step_logprobs(session, here):
                if step == CLOSE and here.opened == 1:
                    continue
                rank = here.score + logprob
                if step == SHIFT and beam.ranking == "word":
                    rank += _word_logprob(session, here, word)
                candidates.append((rank, here, step))
        if any(math.isnan(rank) for rank, _, _ in candidates):
            return [(math.nan, kept[0])]
        candidates = sorted((each for each in candidates if each[0] > -math.inf), key=_best_first)
        shifts = [index for index, (_, _, step) in enumerate(candidates) if step == SHIFT]
        fast = set(shifts[: beam.fast_track])
        others = [index for index in range(len(candidates)) if index not in fast]
        staying = sorted(fast.union(others[: beam.action or None]))
        fringe = []
        for rank, here, step in (candidates[index] for index in staying):
            if step == SHIFT:
                reaching.append((rank, here))
            else:
                fringe.append(_after(session, here, step, rank, NOTHING))
        # Scores only fall, so who is not above the last of the best now will never be among them.
        best = sorted((score for score, _ in reaching), reverse=True)
        full = beam.action and len(best) >= beam.action
        fringe = [each for each in fringe if each.state >= 0 and not (full and each.score <= best[beam.action - 1])]
    if beam.action:
        ranked = sorted(range(len(reaching)), key=[-score for score, _ in reaching].__getitem__)
        reaching = [reaching[index] for index in sorted(ranked[: beam.action + beam.fast_track])]
    if beam.ranking == "step":
        reaching = [(score + _word_logprob(session, here, word), here) for score, here in reaching]
    return reaching


def _ended(session: Session, here: Derivation) -> float:
    """Return the log-probability of a derivation once all that it has open is closed; -inf if it cannot be."""
    while here.state >= 0:
        score = here.score + dict(_step_logprobs(session, here)).get(CLOSE, -math.inf)
        if here.opened == 1 or score == -math.inf:
            return score
        here = _after(session, here, CLOSE, score, NOTHING)
    return -math.inf


def _before_the_first_step(session: Session) -> Derivation:
    return Derivation(session.begin(), 0.0, 0, 0, 0, ())


def _after(session: Session, here: Derivation, step: int, score: float, word: int, *, made: bool = True) -> Derivation:
    """Return a derivation after one more step, with the score that it has then; the state may be left unmade."""
    arrays = (np.array([number], np.int64) for number in (here.state, step, word))
    state = int(session.advance(*arrays)[0]) if made else -1
    opened = here.opened + (step >= OPEN) - (step == CLOSE)
    chain = here.chain + 1 if step >= OPEN else 0
    return Derivation(state, score, opened, chain, here.said + (step == SHIFT), (*here.steps, step))


def _remembered(session: Session, wanted: list[Derivation]) -> list[Derivation]:
    """Let the session forget all states but those of these derivations, and return these with their new states."""
    states = session.keep(np.array([each.state for each in wanted], np.int64)).tolist()
    return [replace(each, state=state) for each, state in zip(wanted, states, strict=True)]


@cache
def _possible(opened: int, chain: int, limits: Limits) -> list[int]:
    progress = Progress(np.array([opened], np.int64), np.array([chain], np.int64))
    return [int(step) for step in np.flatnonzero(allowed(progress, limits)[0])]


def _step_logprobs(session: Session, here: Derivation) -> list[tuple[int, float]]:
    """Return the possible steps, each with its log-probability among them."""
    logits = session.step_logits(np.array([here.state], np.int64))[0]
    possible = [(step, float(logits[step])) for step in _possible(here.opened, here.chain, session.limits)]
    total = _log_sum([logit for _, logit in possible])
    return [] if total == -math.inf else [(step, logit - total) for step, logit in possible]


def _word_logprob(session: Session, here: Derivation, word: int) -> float:
    return float(session.word_logprobs(np.array([here.state], np.int64), np.array([word], np.int64))[0])


def _best_first(candidate: tuple[float, *tuple[object, ...]]) -> float:
    return -candidate[0]


def _log_sum(logs: Sequence[float]) -> float:
    """Return the log of the sum of numbers given by their logs; -inf if there are none."""
    top = max(logs, default=-math.inf)
    if top == -math.inf:
        return top
    return top + math.log(math.fsum(math.exp(each - top) for each in logs))
