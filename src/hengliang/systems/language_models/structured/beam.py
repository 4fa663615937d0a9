"""How probable are the words of a sentence to a model that also builds its tree?

To know it exactly, the probabilities of all trees of the sentence would have to be summed. Word-synchronous beam
search [1] follows the best analyses only, and compares them where they have said equally many words. Everything is done
for many sentences and analyses at a time; the session (`hengliang.systems.language_models.structured.sessions`) does
the work of the model.

How the probabilities are counted: M(n) is the summed probability of the analyses that said the n-th word, the word
included, before the beam is cut to the best of them; M(0) = 1. The end of a sentence is every constituent closed right
after the last word, and F is the summed probability of all analyses kept after the last word and so ended. Then
log p(word n) = log M(n) - log M(n-1) and log p(end) = log F - log M(last). So the log-probabilities of a sentence add
up to log F, which is never above its exact log-probability, and equal to it if the beam holds all analyses.

[1] Stern, M., Fried, D., Klein, D. (2017). Effective inference for generative neural parsing. EMNLP 2017.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import get_args

import numpy as np
import numpy.typing as npt

from hengliang.core.engine.cache import passed
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.text.characters import Offsets
from hengliang.systems.language_models.scores import Numbers
from hengliang.systems.language_models.structured.analyses import (
    NO_TRAIL,
    Analyses,
    Trails,
    advanced,
    best_of_lanes,
    lane_masses,
    remembered,
)
from hengliang.systems.language_models.structured.fringe import Beam, Collected, Ranking, collect, finished_scores
from hengliang.systems.language_models.structured.lanes import Bundle, Level, bundles
from hengliang.systems.language_models.structured.sessions import Session
from hengliang.systems.language_models.structured.transitions import CLOSE, SHIFT, beginning

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
    (`hengliang.systems.language_models.structured.transitions`), none if it was not asked for or there is a problem.
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
    given = _checked(session, sentences, beam, lanes)
    logprobs = [np.zeros(0) for _ in given]
    problems = [NO_WORDS for _ in given]
    parses: list[tuple[int, ...]] = [() for _ in given]
    worded = [number for number, words in enumerate(given) if words]
    for bundle in bundles([given[number] for number in worded], lanes):
        if parse:
            trails = Trails(parse)
            sums, ends = _sums(bundle, _levels(session, bundle, beam, trails))
            ways = trails.ways([trail for trail, _ in ends])
        else:
            words = np.concatenate([given[worded[place]] for place in bundle.sentences.tolist()])
            sums = passed(partial(_only_sums, session, bundle, beam), words, bundle.lengths)
        for row, place in enumerate(bundle.sentences.tolist()):
            number = worded[place]
            totals = sums[row, : bundle.lengths[row] + 2]
            problems[number] = _problem(totals)
            if not problems[number]:
                # Rounding may put a certain word a hair above probability 1.
                logprobs[number] = np.minimum(np.diff(totals), 0.0)
                parses[number] = (*ways[row], *[CLOSE] * ends[row][1]) if parse else ()
    return Found(tuple(logprobs), tuple(problems), tuple(parses))


def next_words(session: Session, prefixes: Sequence[npt.ArrayLike], beam: Beam, *, lanes: int = 64) -> Numbers:
    """Return the log-probabilities of each word, and last of the end, after each prefix, a row a prefix.

    They are the same numbers that `search` finds. A prefix for which the beam has no analysis left has a row of NaN.
    """
    given = _checked(session, prefixes, beam, lanes)
    if beam.ranking != "step":
        raise UserError(
            f"With the ranking '{beam.ranking}' the analyses depend on the next word, so it has no distribution.",
            valid="With the ranking 'step' it has one.",
        )
    found = np.full((len(given), session.words + 1), np.nan)
    for bundle in bundles(given, lanes):
        for depth, reached in enumerate(_levels(session, bundle, beam, Trails(kept=False), asked=True)):
            rows = np.flatnonzero(bundle.lengths == depth)
            after = np.searchsorted(reached.ended, bundle.places[rows, depth])
            found[bundle.sentences[rows]] = _distributions(session, reached)[after]
    return found


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
        said = collected.analyses.of_lanes(sources)
        if len(said) and not by_word:
            words = session.word_logprobs(said.states, level.words[said.lanes])
            said = replace(said, scores=said.scores + words)
        masses = lane_masses(said.scores, said.lanes, len(level.words))
        masses[collected.faulty[sources]] = np.nan
        kept = _kept(session, said, np.isnan(masses), level.words, beam, trails)
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
    place, count = int(lost[0]), len(totals) - 2
    where = f"at word {place} of {count}" if place <= count else f"at the end, after word {count}"
    if np.isnan(totals[place]):
        return f"the model gives no number {where}"
    return f"{NO_ANALYSIS} {where}"


def _distributions(session: Session, reached: _Reached) -> Numbers:
    """Return the log-probabilities of each word and of the end after each lane where a prefix ends."""
    places = np.searchsorted(reached.seeds, reached.ended)
    analyses = reached.collected.analyses.of_lanes(places)
    found = np.full((len(places), session.words + 1), -np.inf)
    for first in range(0, len(analyses), MOST_DISTRIBUTIONS):
        part = analyses.take(np.arange(first, min(first + MOST_DISTRIBUTIONS, len(analyses))))
        words = np.asarray(session.word_distributions(part.states), np.float64) + part.scores[:, None]
        with np.errstate(invalid="ignore"):  # what is no number stays none
            found[:, :-1] = np.logaddexp(found[:, :-1], lane_masses(words, part.lanes, len(places)))
    found[:, -1] = lane_masses(reached.kept.scores, reached.kept.lanes, len(places))
    masses = reached.masses[reached.ended]
    lost = ~np.isfinite(masses) | reached.collected.faulty[places] | np.isnan(found).any(axis=1)
    lost |= (found == -np.inf).all(axis=1)
    found[lost] = np.nan
    found[~lost] = np.minimum(found[~lost] - masses[~lost, None], 0.0)
    return found


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
        place = int(wrong[0])
        raise UserError(
            f"Word {place + 1} of sentence {row + 1} has the number {numbers[place]}.",
            valid=f"The model knows {known} words, with numbers from 0 on.",
        )
    return [int(number) for number in numbers]
