"""Which small models of sentences and trees can be searched to the last analysis?

Both give every state a number that is never used again, and refuse a number whose state was to be forgotten, so a
search that asks about a state it let go is found out. `most_held` is how many states were there at once, and
`asked` how often something was asked.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from functools import cache

import numpy as np
import numpy.typing as npt

from hengliang.core import Offsets
from hengliang.language_models.scores import Numbers
from hengliang.language_models.structured.derivations import CLOSE, NOTHING, OPEN, SHIFT, Limits

TREES = Limits(labels=2, chain=2, depth=3)
SENTENCE, PHRASE = 0, 1

# A little grammar: p(step | innermost open label, what was made last), before the impossible steps are taken out. The
# last thing made is an OPEN, a word or a finished constituent. Columns: CLOSE, SHIFT, OPEN sentence, OPEN phrase.
AT_THE_START = (0.0, 0.0, 0.9, 0.1)
STEPS = {
    (SENTENCE, "open"): (0.0, 0.35, 0.05, 0.6),
    (SENTENCE, "word"): (0.4, 0.15, 0.1, 0.35),
    (SENTENCE, "closed"): (0.5, 0.3, 0.0, 0.2),
    (PHRASE, "open"): (0.0, 0.8, 0.07, 0.13),
    (PHRASE, "word"): (0.65, 0.2, 0.04, 0.11),
    (PHRASE, "closed"): (0.72, 0.17, 0.0, 0.11),
}
# p(word | innermost open label, what was made last) for the words 0, 1, 2; a phrase does not begin with word 2.
WORDS = {
    (SENTENCE, "open"): (0.5, 0.2, 0.3),
    (SENTENCE, "word"): (0.1, 0.3, 0.6),
    (SENTENCE, "closed"): (0.05, 0.15, 0.8),
    (PHRASE, "open"): (0.7, 0.3, 0.0),
    (PHRASE, "word"): (0.25, 0.6, 0.15),
    (PHRASE, "closed"): (0.31, 0.27, 0.42),
}


class StoredSession:
    """A session whose states are derivations: (step, word) after (step, word)."""

    def __init__(self, limits: Limits, words: int) -> None:
        self.limits = limits
        self.words = words
        self.most_held = 0
        self.asked = 0
        self._next = 7  # numbers are not places
        self._held: dict[int, tuple[tuple[int, int], ...]] = {}

    def step_row(self, derivation: tuple[tuple[int, int], ...]) -> Sequence[float]:
        """Return the logits of the steps."""
        raise NotImplementedError

    def word_row(self, derivation: tuple[tuple[int, int], ...]) -> Sequence[float]:
        """Return the log-probabilities of the words."""
        raise NotImplementedError

    def begin(self) -> int:
        return self._add(())

    def _add(self, derivation: tuple[tuple[int, int], ...]) -> int:
        self._next += 1
        self._held[self._next] = derivation
        self.most_held = max(self.most_held, len(self._held))
        return self._next

    def step_logits(self, states: Offsets) -> Numbers:
        self.asked += 1
        return np.array([self.step_row(self._held[state]) for state in states.tolist()])

    def word_distributions(self, states: Offsets) -> Numbers:
        self.asked += 1
        return np.array([self.word_row(self._held[state]) for state in states.tolist()])

    def word_logprobs(self, states: Offsets, words: Offsets) -> Numbers:
        return self.word_distributions(states)[np.arange(len(states)), words]

    def advance(self, states: Offsets, steps: Offsets, words: Offsets) -> Offsets:
        self.asked += 1
        rows = zip(states.tolist(), steps.tolist(), words.tolist(), strict=True)
        return np.array([self.step_from(*row) for row in rows], np.int64)

    def step_from(self, state: int, step: int, word: int) -> int:
        """Return the state after one step."""
        if (step == SHIFT) != (word != NOTHING):
            raise ValueError(f"step {step} with word {word}")
        return self._add((*self._held[state], (step, word)))

    def keep(self, states: Offsets) -> Offsets:
        kept = [self._held[state] for state in states.tolist()]
        self._held = {}
        return np.array([self._add(derivation) for derivation in kept], np.int64)


def situation(derivation: tuple[tuple[int, int], ...]) -> tuple[int, str] | None:
    """Return the label of the innermost open constituent and what was made last; nothing before the first step."""
    if not derivation:
        return None
    stack: list[int] = []
    for step, _ in derivation:
        if step == CLOSE:
            stack.pop()
        elif step >= OPEN:
            stack.append(step - OPEN)
    last = derivation[-1][0]
    return stack[-1], {CLOSE: "closed", SHIFT: "word"}.get(last, "open")


@cache
def logs(probabilities: tuple[float, ...]) -> list[float]:
    """Return the logs of probabilities, which may be 0."""
    return [math.log(each) if each else -math.inf for each in probabilities]


class Grammar(StoredSession):
    """The little grammar; some steps and words have no probability."""

    def __init__(self) -> None:
        super().__init__(TREES, 3)

    def step_row(self, derivation: tuple[tuple[int, int], ...]) -> Sequence[float]:
        place = situation(derivation)
        return logs(AT_THE_START if place is None else STEPS[place])

    def word_row(self, derivation: tuple[tuple[int, int], ...]) -> Sequence[float]:
        place = situation(derivation)
        assert place is not None, "no word is said before something is open"
        return logs(WORDS[place])


# The labels of the open constituents, what was made last and how many were opened in a row; with its probability.
Ways = defaultdict[tuple[tuple[str, ...], str, int], Fraction]


def grammar_probability(words: tuple[int, ...]) -> Fraction:
    """Return the probability of a sentence of the grammar in fractions, by a table over stacks, not derivations."""
    ways: Ways = defaultdict(Fraction)
    ways[("S",), "open", 1] = Fraction(str(AT_THE_START[OPEN + SENTENCE]))
    ways[("P",), "open", 1] = Fraction(str(AT_THE_START[OPEN + PHRASE]))
    for word in words:
        ways = said(ways, word)
    total = Fraction(0)
    for (stack, last, chain), share in ways.items():
        while stack and share:
            share *= step_share(stack, last, chain, CLOSE)
            stack, last, chain = stack[:-1], "closed", 0
        total += share
    return total


def step_share(stack: tuple[str, ...], last: str, chain: int, step: int) -> Fraction:
    """Return the probability of a step among the possible ones."""
    weights = [Fraction(str(each)) for each in STEPS["SP".index(stack[-1]), last]]
    if chain:
        weights[CLOSE] = Fraction(0)
    if len(stack) == TREES.depth or chain == TREES.chain:
        weights[OPEN:] = [Fraction(0)] * 2
    return weights[step] / sum(weights)


def said(ways: Ways, word: int) -> Ways:
    """Return the situations after one more word, with their probabilities."""
    found: Ways = defaultdict(Fraction)
    while ways:
        onward: Ways = defaultdict(Fraction)
        for (stack, last, chain), share in ways.items():
            odds = Fraction(str(WORDS["SP".index(stack[-1]), last][word]))
            found[stack, "word", 0] += share * step_share(stack, last, chain, SHIFT) * odds
            if len(stack) > 1:
                onward[stack[:-1], "closed", 0] += share * step_share(stack, last, chain, CLOSE)
            for place, label in enumerate("SP"):
                opening = share * step_share(stack, last, chain, OPEN + place)
                onward[(*stack, label), "open", chain + 1] += opening
        ways = defaultdict(Fraction, {key: share for key, share in onward.items() if share})
    return found


class EvenSession(StoredSession):
    """All steps are equally probable, and all words: nothing but the order decides between analyses."""

    def __init__(self, limits: Limits = TREES, words: int = 2) -> None:
        super().__init__(limits, words)

    def step_row(self, derivation: tuple[tuple[int, int], ...]) -> Sequence[float]:
        return [0.0] * self.limits.steps

    def word_row(self, derivation: tuple[tuple[int, int], ...]) -> Sequence[float]:
        return [-float(np.log(self.words))] * self.words


class ShortOfBreath(EvenSession):
    """A model that cannot take more than so many steps, as one that has a limit of its own."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def step_from(self, state: int, step: int, word: int) -> int:
        after = super().step_from(state, step, word)
        return -1 if len(self._held[after]) > self.most else after


class Scrambled:
    """All logits follow from a hash of the whole derivation and a seed, so no two analyses are alike by accident."""

    def __init__(self, seed: int, limits: Limits = TREES, words: int = 3, spread: float = 4.0) -> None:
        self.seed = seed
        self.limits = limits
        self.words = words
        self.spread = spread
        self.most_held = 0
        self.asked = 0
        self._first = 5
        self._hashes = np.zeros(0, np.uint64)

    def begin(self) -> int:
        return int(self._added(mixed(np.array([self.seed], np.uint64)))[0])

    def _added(self, hashes: npt.NDArray[np.uint64]) -> Offsets:
        place = self._first + len(self._hashes)
        self._hashes = np.concatenate([self._hashes, hashes])
        self.most_held = max(self.most_held, len(self._hashes))
        return np.arange(place, place + len(hashes), dtype=np.int64)

    def _of(self, states: Offsets) -> npt.NDArray[np.uint64]:
        self.asked += 1
        places = states - self._first
        if len(places) and places.min() < 0:
            raise ValueError("a state that was forgotten")
        return self._hashes[places]

    def _drawn(self, states: Offsets, count: int, salt: int) -> Numbers:
        columns = np.arange(count, dtype=np.uint64) + np.uint64(salt)
        drawn: Numbers = mixed(self._of(states)[:, None] + mixed(columns)) / 2.0**64 * self.spread
        return drawn

    def step_logits(self, states: Offsets) -> Numbers:
        return self._drawn(states, self.limits.steps, 1_000)

    def word_distributions(self, states: Offsets) -> Numbers:
        logits = self._drawn(states, self.words, 1_000_000)
        totals: Numbers = np.log(np.exp(logits).sum(axis=1, keepdims=True))
        return logits - totals

    def word_logprobs(self, states: Offsets, words: Offsets) -> Numbers:
        return self.word_distributions(states)[np.arange(len(states)), words]

    def advance(self, states: Offsets, steps: Offsets, words: Offsets) -> Offsets:
        taken = mixed((steps + 50_000 * (words + 1)).astype(np.uint64))
        return self._added(mixed(self._of(states) ^ taken))

    def keep(self, states: Offsets) -> Offsets:
        kept = self._of(states)
        self._first += len(self._hashes)
        self._hashes = np.zeros(0, np.uint64)
        return self._added(kept)


def mixed(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return a number that looks random for each number (SplitMix64)."""
    found = numbers + np.uint64(0x9E3779B97F4A7C15)
    found = (found ^ (found >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    found = (found ^ (found >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return found ^ (found >> np.uint64(31))


class Broken(EvenSession):
    """A model that gives no number once two words are said: for a step, or for a word."""

    def __init__(self, of_words: bool) -> None:
        super().__init__()
        self.of_words = of_words

    def _is_late(self, derivation: tuple[tuple[int, int], ...]) -> bool:
        return sum(step == SHIFT for step, _ in derivation) >= 2

    def step_row(self, derivation: tuple[tuple[int, int], ...]) -> Sequence[float]:
        row = super().step_row(derivation)
        return [float("nan")] * len(row) if self._is_late(derivation) and not self.of_words else row

    def word_row(self, derivation: tuple[tuple[int, int], ...]) -> Sequence[float]:
        row = super().word_row(derivation)
        return [float("nan")] * len(row) if self._is_late(derivation) and self.of_words else row
