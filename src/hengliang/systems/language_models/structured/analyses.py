"""What is known of each analysis, which are the best of a lane, and how probable are all of them together?

The analyses of all lanes stand in columns, those of a lane next to each other; nothing here goes through them one by
one. Of equals the earlier one is the better, so what is chosen does not depend on which lanes are read together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from hengliang.core.labelling.texts import edges_of, ranges
from hengliang.core.text.characters import Offsets
from hengliang.systems.language_models.scores import Numbers
from hengliang.systems.language_models.structured.sessions import Session
from hengliang.systems.language_models.structured.transitions import Allowed, Progress, allowed

NO_TRAIL = -1
"""The trail of an analysis without any step."""


@dataclass(frozen=True, slots=True, eq=False)
class Analyses:
    """The analyses of some lanes, in the order of the lanes.

    `states` are those of the session, `scores` log-probabilities of all steps and words so far, `trails` the numbers
    of the last steps in `Trails`.
    """

    lanes: Offsets
    states: Offsets
    scores: Numbers
    progress: Progress
    trails: Offsets

    def __len__(self) -> int:
        return len(self.lanes)

    def take(self, rows: npt.ArrayLike) -> Analyses:
        """Return the analyses of these row numbers, in this order."""
        wanted = np.asarray(rows, np.int64)
        return Analyses(
            self.lanes[wanted],
            self.states[wanted],
            self.scores[wanted],
            self.progress.take(wanted),
            self.trails[wanted],
        )

    def of_lanes(self, wanted: Offsets) -> Analyses:
        """Return the analyses of some lanes, in this order, with the lanes numbered anew; a lane may be there twice."""
        starts = np.searchsorted(self.lanes, wanted, "left")
        counts = np.searchsorted(self.lanes, wanted, "right") - starts
        taken = self.take(ranges(starts, counts))
        return replace(taken, lanes=np.repeat(np.arange(len(wanted), dtype=np.int64), counts))


def joined(parts: Sequence[Analyses]) -> Analyses:
    """Return the analyses of all parts in the order of their lanes, and within a lane in the order of the parts."""
    lanes = np.concatenate([part.lanes for part in parts])
    together = Analyses(
        lanes,
        np.concatenate([part.states for part in parts]),
        np.concatenate([part.scores for part in parts]),
        Progress(
            np.concatenate([part.progress.opened for part in parts]),
            np.concatenate([part.progress.chain for part in parts]),
        ),
        np.concatenate([part.trails for part in parts]),
    )
    return together.take(np.argsort(lanes, kind="stable"))


class Trails:
    """The steps of analyses, each with the number of the step before it, so that the way to an analysis is found again.

    Where nobody will ask for a way, nothing is `kept`.
    """

    def __init__(self, kept: bool) -> None:
        self.kept = kept
        self._count = 0
        self._before: list[Offsets] = []
        self._steps: list[Offsets] = []

    def add(self, before: Offsets, steps: Offsets) -> Offsets:
        """Note one more step on each of these trails, and return the numbers of the longer ones."""
        if not self.kept:
            return before
        self._before.append(before)
        self._steps.append(steps)
        self._count += len(steps)
        return np.arange(self._count - len(steps), self._count, dtype=np.int64)

    def ways(self, trails: Sequence[int]) -> list[tuple[int, ...]]:
        """Return all steps of each of these trails, from the first to the last."""
        before = np.concatenate([np.zeros(0, np.int64), *self._before])
        steps = np.concatenate([np.zeros(0, np.int64), *self._steps])
        found = []
        for trail in trails:
            way = []
            while trail != NO_TRAIL:
                way.append(int(steps[trail]))
                trail = int(before[trail])
            found.append(tuple(reversed(way)))
        return found


def advanced(session: Session, analyses: Analyses, steps: Offsets, words: Offsets, trails: Trails) -> Analyses:
    """Return the analyses after one more step each, without those that the model cannot go on with."""
    if not len(analyses):
        return analyses
    after = Analyses(
        analyses.lanes,
        session.advance(analyses.states, steps, words),
        analyses.scores,
        analyses.progress.after(steps),
        trails.add(analyses.trails, steps),
    )
    return after.take(np.flatnonzero(after.states >= 0))


def remembered(session: Session, parts: Sequence[Analyses]) -> list[Analyses]:
    """Let the session forget the states of all analyses but these, and return these with their new states."""
    states = np.concatenate([np.zeros(0, np.int64), *(part.states for part in parts)])
    wanted, rows = np.unique(states, return_inverse=True)
    numbers = session.keep(wanted)[rows]
    edges = edges_of([len(part) for part in parts])
    return [
        replace(part, states=numbers[first:last])
        for part, first, last in zip(parts, edges[:-1], edges[1:], strict=True)
    ]


def step_logprobs(session: Session, analyses: Analyses) -> Numbers:
    """Return the log-probability of each step after each analysis, a row an analysis; NaN if the model has no number.

    Only the possible steps share in the probability; where none of them has any, all are -inf.
    """
    possible = allowed(analyses.progress, session.limits)
    if not len(analyses):
        return np.zeros(possible.shape)
    logits = np.where(possible, np.asarray(session.step_logits(analyses.states), np.float64), -np.inf)
    with np.errstate(invalid="ignore", divide="ignore"):  # inf - inf is the NaN that we want
        top = logits.max(axis=1, keepdims=True)
        logits -= np.where(top == -np.inf, 0.0, top)
        total = np.log(np.exp(logits).sum(axis=1, keepdims=True))
        return logits - np.where(total == -np.inf, 0.0, total)


def by_lane(scores: Numbers, lanes: Offsets) -> tuple[Numbers, Offsets]:
    """Return scores (analyses × columns) as (lanes × analyses of a lane × columns), and each lane's first analysis.

    Only lanes with analyses are there; where one has fewer than another, the rest is -inf.
    """
    starts, counts = _runs(lanes)
    dense = np.full((len(starts), counts.max(initial=0), scores.shape[1]), -np.inf)
    dense[np.repeat(np.arange(len(starts)), counts), ranges(np.zeros_like(starts), counts)] = scores
    return dense, starts


def highest(scores: Numbers, most: int) -> Allowed:
    """Return which are the highest scores of each row, `most` of them; of equals the first, and never -inf."""
    possible = scores > -np.inf
    columns = scores.shape[1]
    if most >= columns:
        return possible
    if most == 0:
        return np.zeros_like(possible)
    bar = np.partition(scores, columns - most, axis=1)[:, columns - most, None]
    above = scores > bar
    level = possible & (scores == bar)
    room = most - above.sum(axis=1, keepdims=True)
    chosen: Allowed = above | (level & (np.cumsum(level, axis=1) <= room))
    return chosen


def ranked(dense: Numbers, starts: Offsets, chosen: Allowed) -> tuple[Offsets, Offsets]:
    """Return analysis and column of each chosen score of `by_lane`, in the order of the lanes, and best first."""
    lane, place, column = np.nonzero(chosen)
    order = np.lexsort((-dense[lane, place, column], lane))  # stable: of equals, the earlier analysis and column
    return (starts[lane] + place)[order], column[order]


def best_of_lanes(analyses: Analyses, most: int) -> Analyses:
    """Return the best analyses of each lane, so many (0: all), best first, and none without probability."""
    if not len(analyses):
        return analyses
    dense, starts = by_lane(analyses.scores[:, None], analyses.lanes)
    chosen = highest(dense[:, :, 0], most) if most else dense[:, :, 0] > -np.inf
    return analyses.take(ranked(dense, starts, chosen[:, :, None])[0])


def lane_masses(scores: Numbers, lanes: Offsets, count: int) -> Numbers:
    """Return the log of the summed probability of each of so many lanes: of their scores, or of each column of these.

    A lane without analyses has none (-inf); one with a score that is no number has no number.
    """
    masses = np.full((count, *scores.shape[1:]), -np.inf)
    if not len(lanes):
        return masses
    starts, counts = _runs(lanes)
    top = np.maximum.reduceat(scores, starts)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        masses[lanes[starts]] = np.log(np.add.reduceat(np.exp(scores - np.repeat(top, counts, axis=0)), starts)) + top
    return masses


def _runs(lanes: Offsets) -> tuple[Offsets, Offsets]:
    """Return where each lane's analyses begin, and how many they are."""
    starts = np.flatnonzero(np.diff(lanes, prepend=-1))
    return starts, np.diff(starts, append=len(lanes))
