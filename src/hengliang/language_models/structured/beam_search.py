"""Word-synchronous beam search: word probabilities and best trees under models of sentences and trees.

The chapter goes from the parts to the whole: the analyses of a batch in columns, the beginnings that sentences share
(lanes), the steps between two words (fringe), and last the search itself, with how probabilities are counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from hengliang.core.engine.cache import passed
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.labelling.texts import edges_of, ranges
from hengliang.core.text.characters import Offsets
from hengliang.language_models.scores import Numbers
from hengliang.language_models.structured.derivations import (
    CLOSE,
    NOTHING,
    SHIFT,
    Allowed,
    Progress,
    Session,
    allowed,
    beginning,
)

# --- analyses in columns ----------------------------------------------------------------------------------------------
# The analyses of all lanes stand in columns, those of a lane next to each other; nothing here goes through them one by
# one. Of equals the earlier one is the better, so what is chosen does not depend on which lanes are read together.


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
        ways = []
        for trail in trails:
            way = []
            while trail != NO_TRAIL:
                way.append(int(steps[trail]))
                trail = int(before[trail])
            ways.append(tuple(reversed(way)))
        return ways


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
    """Return the log-probability of each step after each analysis, one row per analysis; NaN if the model has none.

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
    lane, row, column = np.nonzero(chosen)
    order = np.lexsort((-dense[lane, row, column], lane))  # stable: of equals, the earlier analysis and column
    return (starts[lane] + row)[order], column[order]


def best_of_lanes(analyses: Analyses, most: int) -> Analyses:
    """Return the best analyses of each lane, so many (0: all), best first, and none without probability."""
    if not len(analyses):
        return analyses
    dense, starts = by_lane(analyses.scores[:, None], analyses.lanes)
    chosen = highest(dense[:, :, 0], most) if most else dense[:, :, 0] > -np.inf
    return analyses.take(ranked(dense, starts, chosen[:, :, None])[0])


def lane_masses(scores: Numbers, lanes: Offsets, count: int) -> Numbers:
    """Return the log of the summed probability of each of so many lanes: of their scores, or of each column of these.

    A lane without analyses has none (-inf); one with a score that is NaN is NaN.
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


# --- lanes: beginnings that sentences share ---------------------------------------------------------------------------
# Decides which beginnings are read together.
#
# A lane is a beginning that at least one of the sentences has: all lanes of as many words are a level, and each goes on
# from a lane of the level before it. Sentences that are neighbours in the order of their words share most of their
# beginnings, so they are cut into bundles in that order, and a bundle is read level by level. That way each shared
# beginning of a bundle is read once, no level has more lanes than asked for, and nothing but the level last read has to
# be remembered. (Depth first would need a stack of levels, and its levels would be narrower. What bundles lose is
# little: a beginning that two of them share is read twice.)


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """The lanes of one level: the lane of the level before it from which each goes on, and with which word.

    Before the first level there is one lane, that without any word.
    """

    parents: Offsets
    words: Offsets


@dataclass(frozen=True, slots=True, eq=False)
class Bundle:
    """Some sentences, by their numbers, that are read together.

    `places[i, n]` is the lane of the level of n words that is on the way of the i-th of them, and -1 past its end.
    """

    sentences: Offsets
    lengths: Offsets
    levels: tuple[Level, ...]
    places: Offsets


def bundles(sentences: Sequence[Sequence[int]], lanes: int) -> Iterator[Bundle]:
    """Yield the sentences, given by the numbers of their words, in bundles whose levels have so many lanes at most."""
    group = _Group()
    for number in sorted(range(len(sentences)), key=lambda number: tuple(sentences[number])):
        sentence = sentences[number]
        if group.is_full_for(sentence, lanes):
            yield group.bundle()
            group = _Group()
        group.add(number, sentence)
    if group.numbers:
        yield group.bundle()


class _Group:
    """A bundle in the making."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.last: Sequence[int] = ()
        self.rows: list[list[int]] = [[0]]
        self.parents: list[list[int]] = []
        self.words: list[list[int]] = []

    def _shared(self, sentence: Sequence[int]) -> int:
        """Return how many words a sentence and the last one have in common before they part."""
        pairs = zip(self.last, sentence, strict=False)
        alike = min(len(self.last), len(sentence))
        return next((position for position, (word, other) in enumerate(pairs) if word != other), alike)

    def is_full_for(self, sentence: Sequence[int], lanes: int) -> bool:
        """Tell whether a level would get more lanes than this by one more sentence."""
        return any(len(words) >= lanes for words in self.words[self._shared(sentence) : len(sentence)])

    def add(self, number: int, sentence: Sequence[int]) -> None:
        """Take one more sentence, which is not before the last one in the order of words."""
        shared = self._shared(sentence)
        row = self.rows[-1][: shared + 1]
        for depth in range(shared, len(sentence)):
            if depth == len(self.words):
                self.parents.append([])
                self.words.append([])
            self.parents[depth].append(row[-1])
            self.words[depth].append(sentence[depth])
            row.append(len(self.words[depth]) - 1)
        self.numbers.append(number)
        self.rows.append(row)
        self.last = sentence

    def bundle(self) -> Bundle:
        """Return the bundle of the sentences taken."""
        rows = self.rows[1:]  # the first row is that of no sentence
        places = np.full((len(rows), len(self.words) + 1), -1, np.int64)
        for table_row, row in zip(places, rows, strict=True):
            table_row[: len(row)] = row
        levels = tuple(
            Level(np.array(parents, np.int64), np.array(words, np.int64))
            for parents, words in zip(self.parents, self.words, strict=True)
        )
        lengths = np.array([len(row) - 1 for row in rows], np.int64)
        return Bundle(np.array(self.numbers, np.int64), lengths, levels, places)


# --- fringe: steps between two words ----------------------------------------------------------------------------------
# Finds the analyses that reach the next word, and those that end the sentence.
#
# Between two words an analysis closes and opens constituents; those that are under way are the fringe. A round takes
# every possible step from every analysis of the fringe [1]. The best few SHIFTs of a lane leave the fringe whatever
# their rank (else the analyses that open one more constituent, which is cheaper than a word, would crowd out those that
# say the word); of all the rest the best stay. Of these, the SHIFTs leave the fringe as well, and the others are the
# next fringe. The paper stops when a lane has enough analyses; here one is followed as long as it can still be among
# the best that reach the word, and only these best go on to say it: asking for a word costs more than all steps before
# it.
#
# [1] Stern, M., Fried, D., Klein, D. (2017). Effective inference for generative neural parsing. EMNLP 2017.

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
    model gave a score that is not a number, the lane is `faulty` and has no analyses.
    """

    analyses: Analyses
    faulty: npt.NDArray[np.bool_]


def collect(
    session: Session, begun: Analyses, count: int, beam: Beam, words: Offsets | None, trails: Trails
) -> Collected:
    """Return the analyses that reach the next word from those begun, which are of so many lanes.

    `words` are the words that come, one per lane, and are given if and only if they are to count in the ranking. The
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
    lane, row = np.nonzero(highest(dense[:, :, 0], beam.action + beam.fast_track))
    return collected.take(starts[lane] + row)


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
    finished = np.full(len(analyses), -np.inf)
    rows = np.flatnonzero(analyses.progress.opened > 0)
    rest, unnoted = analyses.take(rows), Trails(kept=False)
    rest = replace(rest, trails=rows)  # the row of each, whoever else may fall out
    while len(rest):
        rest = replace(rest, scores=rest.scores + step_logprobs(session, rest)[:, CLOSE])
        last = rest.progress.opened == 1
        finished[rest.trails[last]] = rest.scores[last]
        rest = rest.take(np.flatnonzero(~last & ~(rest.scores == -np.inf)))
        steps = np.full(len(rest), CLOSE, np.int64)
        rest = advanced(session, rest, steps, np.full(len(rest), NOTHING, np.int64), unnoted)
    return finished


# --- the search -------------------------------------------------------------------------------------------------------
# Computes the probability of the words of a sentence under a model that also builds its tree.
#
# To know it exactly, the probabilities of all trees of the sentence would have to be summed. Word-synchronous beam
# search [1] follows the best analyses only, and compares them where they have said equally many words. Everything is
# done for many sentences and analyses at a time; the session (`hengliang.language_models.structured.derivations`)
# does the work of the model.
#
# How the probabilities are counted: M(n) is the summed probability of the analyses that said the n-th word, the word
# included, before the beam is cut to the best of them; M(0) = 1. The end of a sentence is every constituent closed
# right after the last word, and F is the summed probability of all analyses kept after the last word and so ended. Then
# log p(word n) = log M(n) - log M(n-1) and log p(end) = log F - log M(last). So the log-probabilities of a sentence add
# up to log F, which is never above its exact log-probability, and equal to it if the beam holds all analyses.
#
# [1] Stern, M., Fried, D., Klein, D. (2017). Effective inference for generative neural parsing. EMNLP 2017.

__all__ = ["Beam", "Found", "next_words", "search"]

NO_WORDS = "it has no words, and a tree has at least one"
NO_ANALYSIS = "no analysis is left"
MOST_DISTRIBUTIONS = 512
"""So many distributions over all words are asked for at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What a search found of each sentence.

    `logprobs` are the log-probabilities of its words and of its end, none if there is a problem; `problems` say why a
    sentence has no score, and are empty where it has one; `parses` are the steps of its best analysis
    (`hengliang.language_models.structured.derivations`), none if it was not asked for or there is a problem.
    """

    logprobs: tuple[Numbers, ...]
    problems: tuple[str, ...]
    parses: tuple[tuple[int, ...], ...]


def search(
    session: Session,
    sentences: Sequence[npt.ArrayLike],
    beam: Beam,
    *,
    parse: bool = False,
    lanes: int = 64,
) -> Found:
    """Return the log-probabilities of sentences given by the numbers of their words, and their best analyses if asked.

    `lanes` is how many beginnings of sentences are searched at a time: each has up to `beam.action` analyses, so more
    are faster and need more memory. The session forgets what it held before.
    """
    checked = _checked(session, sentences, beam, lanes)
    logprobs = [np.zeros(0) for _ in checked]
    problems = [NO_WORDS for _ in checked]
    parses: list[tuple[int, ...]] = [() for _ in checked]
    worded = [number for number, words in enumerate(checked) if words]
    for bundle in bundles([checked[number] for number in worded], lanes):
        if parse:
            trails = Trails(parse)
            sums, ends = _sums(bundle, _levels(session, bundle, beam, trails))
            ways = trails.ways([trail for trail, _ in ends])
        else:
            words = np.concatenate([checked[worded[member]] for member in bundle.sentences.tolist()])
            sums = passed(partial(_only_sums, session, bundle, beam), words, bundle.lengths)
        for row, member in enumerate(bundle.sentences.tolist()):
            number = worded[member]
            totals = sums[row, : bundle.lengths[row] + 2]
            problems[number] = _problem(totals)
            if not problems[number]:
                # Rounding may put a certain word a hair above probability 1.
                logprobs[number] = np.minimum(np.diff(totals), 0.0)
                parses[number] = (*ways[row], *[CLOSE] * ends[row][1]) if parse else ()
    return Found(tuple(logprobs), tuple(problems), tuple(parses))


def next_words(session: Session, prefixes: Sequence[npt.ArrayLike], beam: Beam, *, lanes: int = 64) -> Numbers:
    """Return the log-probabilities of each word, and last of the end, after each prefix, one row per prefix.

    They are the same numbers that `search` finds. A prefix for which the beam has no analysis left has a row of NaN.
    """
    checked = _checked(session, prefixes, beam, lanes)
    if beam.ranking != "step":
        raise UserError(
            f"With the ranking '{beam.ranking}' the analyses depend on the next word, so it has no distribution.",
            valid="With the ranking 'step' it has one.",
        )
    logprobs = np.full((len(checked), session.words + 1), np.nan)
    for bundle in bundles(checked, lanes):
        for depth, reached in enumerate(_levels(session, bundle, beam, Trails(kept=False), asked=True)):
            rows = np.flatnonzero(bundle.lengths == depth)
            after = np.searchsorted(reached.ended, bundle.places[rows, depth])
            logprobs[bundle.sentences[rows]] = _distributions(session, reached)[after]
    return logprobs


@dataclass(frozen=True, slots=True, eq=False)
class _Reached:
    """What is known of a level once it is read.

    `masses` are those of its lanes; `ended` are the lanes where sentences end, and `kept` their analyses with the
    scores they have once ended; `seeds` are the lanes that go on, or are asked about, and `collected` their analyses.
    """

    masses: Numbers
    ended: Offsets
    kept: Analyses
    seeds: Offsets
    collected: Collected


def _levels(session: Session, bundle: Bundle, beam: Beam, trails: Trails, asked: bool = False) -> Iterator[_Reached]:
    """Read a bundle level by level; analyses are collected also where sentences end if it is asked what comes next."""
    nothing = np.zeros(0, np.int64)
    session.keep(nothing)
    first = np.zeros(1, np.int64)
    kept = Analyses(first, np.array([session.begin()]), np.zeros(1), beginning(1), np.full(1, NO_TRAIL, np.int64))
    masses = np.zeros(1)
    for depth, level in enumerate((*bundle.levels, Level(nothing, nothing))):
        ended = np.unique(bundle.places[bundle.lengths == depth, depth])
        endings = kept.of_lanes(ended)
        endings = replace(endings, scores=finished_scores(session, endings))
        by_word = beam.ranking == "word"
        seeds = level.parents if by_word else np.unique(np.concatenate([level.parents, ended if asked else nothing]))
        begun = kept.of_lanes(seeds)
        collected = collect(session, begun, len(seeds), beam, level.words if by_word else None, trails)
        yield _Reached(masses, ended, endings, seeds, collected)
        sources = np.arange(len(seeds)) if by_word else np.searchsorted(seeds, level.parents)
        shifted = collected.analyses.of_lanes(sources)
        if len(shifted) and not by_word:
            words = session.word_logprobs(shifted.states, level.words[shifted.lanes])
            shifted = replace(shifted, scores=shifted.scores + words)
        masses = lane_masses(shifted.scores, shifted.lanes, len(level.words))
        masses[collected.faulty[sources]] = np.nan
        kept = _kept(session, shifted, np.isnan(masses), level.words, beam, trails)
    session.keep(nothing)


def _kept(
    session: Session, said: Analyses, faulty: npt.NDArray[np.bool_], words: Offsets, beam: Beam, trails: Trails
) -> Analyses:
    """Return the best analyses of each lane, after their SHIFT; the session forgets all others."""
    best = best_of_lanes(said.take(np.flatnonzero(~faulty[said.lanes])), beam.word)
    shifts = np.full(len(best), SHIFT, np.int64)
    (kept,) = remembered(session, [advanced(session, best, shifts, words[best.lanes], trails)])
    return kept


def _only_sums(session: Session, bundle: Bundle, beam: Beam) -> Numbers:
    return _sums(bundle, _levels(session, bundle, beam, Trails(kept=False)))[0]


def _sums(bundle: Bundle, levels: Iterator[_Reached]) -> tuple[Numbers, list[tuple[int, int]]]:
    """Return log M(0), log M(1) … and log F of each sentence, and trail and open constituents of its best analysis."""
    sums = np.full((len(bundle.sentences), len(bundle.levels) + 2), np.nan)
    ends = [(NO_TRAIL, 0)] * len(sums)
    for depth, reached in enumerate(levels):
        passing = np.flatnonzero(bundle.lengths >= depth)
        sums[passing, depth] = reached.masses[bundle.places[passing, depth]]
        rows = np.flatnonzero(bundle.lengths == depth)
        here = np.searchsorted(reached.ended, bundle.places[rows, depth])
        sums[rows, depth + 1] = lane_masses(reached.kept.scores, reached.kept.lanes, len(reached.ended))[here]
        best = best_of_lanes(reached.kept, 1)
        of_lane = dict(
            zip(best.lanes.tolist(), zip(best.trails.tolist(), best.progress.opened.tolist(), strict=True), strict=True)
        )
        for row, lane in zip(rows.tolist(), here.tolist(), strict=True):
            ends[row] = of_lane.get(lane, (NO_TRAIL, 0))
    return sums, ends


def _problem(totals: Numbers) -> str:
    """Return at which word the search came to its end, from log M(0), log M(1) … and log F; nothing if it did not."""
    lost = np.flatnonzero(~np.isfinite(totals))
    if not len(lost):
        return ""
    position, count = int(lost[0]), len(totals) - 2
    where = f"at word {position} of {count}" if position <= count else f"at the end, after word {count}"
    if np.isnan(totals[position]):
        return f"the model gives no number {where}"
    return f"{NO_ANALYSIS} {where}"


def _distributions(session: Session, reached: _Reached) -> Numbers:
    """Return the log-probabilities of each word and of the end after each lane where a prefix ends."""
    places = np.searchsorted(reached.seeds, reached.ended)
    analyses = reached.collected.analyses.of_lanes(places)
    logprobs = np.full((len(places), session.words + 1), -np.inf)
    for first in range(0, len(analyses), MOST_DISTRIBUTIONS):
        part = analyses.take(np.arange(first, min(first + MOST_DISTRIBUTIONS, len(analyses))))
        words = np.asarray(session.word_distributions(part.states), np.float64) + part.scores[:, None]
        with np.errstate(invalid="ignore"):  # NaN stays NaN
            logprobs[:, :-1] = np.logaddexp(logprobs[:, :-1], lane_masses(words, part.lanes, len(places)))
    logprobs[:, -1] = lane_masses(reached.kept.scores, reached.kept.lanes, len(places))
    masses = reached.masses[reached.ended]
    lost = ~np.isfinite(masses) | reached.collected.faulty[places] | np.isnan(logprobs).any(axis=1)
    lost |= (logprobs == -np.inf).all(axis=1)
    logprobs[lost] = np.nan
    logprobs[~lost] = np.minimum(logprobs[~lost] - masses[~lost, None], 0.0)
    return logprobs


def _checked(session: Session, sentences: Sequence[npt.ArrayLike], beam: Beam, lanes: int) -> list[list[int]]:
    """Return the sentences as lists of the numbers of words; a setting or number that does not exist is refused."""
    widths = {"action": beam.action, "word": beam.word, "fast_track": beam.fast_track}
    for name, width in widths.items():
        if width < 0:
            raise UserError(f"The beam's {name} is {width}.", valid="Numbers from 0 on; for action and word, 0 is all.")
    if beam.ranking not in get_args(Ranking):
        raise unknown_name("ranking", beam.ranking, get_args(Ranking))
    if lanes < 1:
        raise UserError(f"The search is to have {lanes} lanes.", valid="Numbers from 1 on.")
    return [_numbers_of_words(words, row, session.words) for row, words in enumerate(sentences)]


def _numbers_of_words(words: npt.ArrayLike, row: int, known: int) -> list[int]:
    numbers = np.asarray(words, np.int64)
    wrong = np.flatnonzero((numbers < 0) | (numbers >= known))
    if len(wrong):
        position = int(wrong[0])
        raise UserError(
            f"Word {position + 1} of sentence {row + 1} has the number {numbers[position]}.",
            valid=f"The model knows {known} words, with numbers from 0 on.",
        )
    return [int(number) for number in numbers]
