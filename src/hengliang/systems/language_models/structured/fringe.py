"""Which analyses reach the next word, and how does a sentence end?

Between two words an analysis closes and opens constituents; those that are under way are the fringe. A round takes
every possible step from every analysis of the fringe [1]. The best few SHIFTs of a lane leave the fringe whatever
their rank (else the analyses that open one more constituent, which is cheaper than a word, would crowd out those that
say the word); of all the rest the best stay. Of these, the SHIFTs leave the fringe as well, and the others are the next
fringe. The paper stops when a lane has enough analyses; here one is followed as long as it can still be among the best
that reach the word, and only these best go on to say it: asking for a word costs more than all steps before it.

[1] Stern, M., Fried, D., Klein, D. (2017). Effective inference for generative neural parsing. EMNLP 2017.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from hengliang.core.text.characters import Offsets
from hengliang.systems.language_models.scores import Numbers
from hengliang.systems.language_models.structured.analyses import (
    Analyses,
    Trails,
    advanced,
    by_lane,
    highest,
    joined,
    ranked,
    remembered,
    step_logprobs,
)
from hengliang.systems.language_models.structured.sessions import NOTHING, Session
from hengliang.systems.language_models.structured.transitions import CLOSE, SHIFT

Ranking = Literal["step", "word"]

MOST_STATES = 10_000
"""So many states may be made between two words before the session is told to forget those not needed any more."""


@dataclass(frozen=True, slots=True)
class Beam:
    """How many analyses are followed.

    `action` of the fringe stay each round (0: all), and `fast_track` SHIFTs leave it whatever their rank. So many of
    both together say the next word, and `word` of them stay after it (0: all). With the ranking "word" a SHIFT counts
    with the probability of the word that comes, as in the paper; with "step" by the probability of the step alone, so
    that the analyses that reach a word are the same for every word.
    """

    action: int = 100
    word: int = 10
    fast_track: int = 5
    ranking: Ranking = "step"


@dataclass(frozen=True, slots=True, eq=False)
class Collected:
    """The analyses of each lane that say the next word, just before they do so.

    Their scores have the probability of the SHIFT in them and, with the ranking "word", that of the word. Where the
    model gave a score that is no number, the lane is `faulty` and has no analyses.
    """

    analyses: Analyses
    faulty: npt.NDArray[np.bool_]


def collect(
    session: Session, begun: Analyses, count: int, beam: Beam, words: Offsets | None, trails: Trails
) -> Collected:
    """Return the analyses that reach the next word from those begun, which are of so many lanes.

    `words` are the words that come, one a lane, and are given if and only if they are to count in the ranking. The
    session may forget all states but those of what is returned.
    """
    fringe, made = begun, 0
    collected = [begun.take([])]
    best = np.full((count, beam.action), -np.inf)
    faulty = np.zeros(count, np.bool_)
    while len(fringe):
        scores = _successors(session, fringe, words)
        faulty[fringe.lanes[np.isnan(scores).any(axis=1)]] = True
        rows, steps = _survivors(np.where(np.isnan(scores), -np.inf, scores), fringe.lanes, beam)
        survivors = replace(fringe.take(rows), scores=scores[rows, steps])
        collected.append(survivors.take(np.flatnonzero(steps == SHIFT)))
        best = _best(best, collected[-1])
        hopeful = survivors.scores > best[survivors.lanes, -1] if beam.action else True
        onward = np.flatnonzero((steps != SHIFT) & hopeful & ~faulty[survivors.lanes])
        nothing = np.full(len(onward), NOTHING, np.int64)
        fringe = advanced(session, survivors.take(onward), steps[onward], nothing, trails)
        made += len(onward)
        if made > MOST_STATES:
            fringe, *collected = remembered(session, [fringe, *collected])
            made = 0
    together = joined(collected)
    sound = together.take(np.flatnonzero(~faulty[together.lanes]))
    return Collected(_saying(sound, beam), faulty)


def _saying(collected: Analyses, beam: Beam) -> Analyses:
    """Return the analyses that say the next word: the best of each lane, as they came."""
    if not beam.action or not len(collected):
        return collected
    dense, starts = by_lane(collected.scores[:, None], collected.lanes)
    lane, place = np.nonzero(highest(dense[:, :, 0], beam.action + beam.fast_track))
    return collected.take(starts[lane] + place)


def _best(best: Numbers, collected: Analyses) -> Numbers:
    """Return the best scores of each lane, the lowest last, after these were collected."""
    if not len(collected) or not best.shape[1]:
        return best
    dense, starts = by_lane(collected.scores[:, None], collected.lanes)
    lanes = collected.lanes[starts]
    grown = best.copy()
    grown[lanes] = -np.sort(-np.concatenate([best[lanes], dense[:, :, 0]], axis=1), axis=1)[:, : best.shape[1]]
    return grown


def _successors(session: Session, fringe: Analyses, words: Offsets | None) -> Numbers:
    """Return the score of each step from each analysis; a sentence that goes on does not close its root."""
    scores = step_logprobs(session, fringe)
    scores[fringe.progress.opened == 1, CLOSE] = -np.inf
    scores += fringe.scores[:, None]
    if words is not None and len(rows := np.flatnonzero(scores[:, SHIFT] > -np.inf)):
        scores[rows, SHIFT] += session.word_logprobs(fringe.states[rows], words[fringe.lanes[rows]])
    return scores


def _survivors(scores: Numbers, lanes: Offsets, beam: Beam) -> tuple[Offsets, Offsets]:
    """Return the analyses and the steps from them that a round leaves, in the order of the lanes, and best first."""
    dense, starts = by_lane(scores, lanes)
    if not beam.action:
        return ranked(dense, starts, dense > -np.inf)
    fast = highest(dense[:, :, SHIFT], beam.fast_track)
    others = dense.copy()
    others[:, :, SHIFT][fast] = -np.inf
    chosen = highest(others.reshape(len(dense), -1), beam.action).reshape(dense.shape)
    chosen[:, :, SHIFT] |= fast
    return ranked(dense, starts, chosen)


def finished_scores(session: Session, analyses: Analyses) -> Numbers:
    """Return the score of each analysis once all that is open is closed, the only way to end after the last word.

    An analysis that cannot be ended, because nothing was opened or the model does not go on, has -inf.
    """
    found = np.full(len(analyses), -np.inf)
    rows = np.flatnonzero(analyses.progress.opened > 0)
    rest, unnoted = analyses.take(rows), Trails(kept=False)
    rest = replace(rest, trails=rows)  # the row of each, whoever else may fall out
    while len(rest):
        rest = replace(rest, scores=rest.scores + step_logprobs(session, rest)[:, CLOSE])
        last = rest.progress.opened == 1
        found[rest.trails[last]] = rest.scores[last]
        rest = rest.take(np.flatnonzero(~last & ~(rest.scores == -np.inf)))
        steps = np.full(len(rest), CLOSE, np.int64)
        rest = advanced(session, rest, steps, np.full(len(rest), NOTHING, np.int64), unnoted)
    return found
