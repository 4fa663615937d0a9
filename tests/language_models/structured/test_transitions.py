"""Which steps build a tree from the top down, and which of them are possible when?"""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hengliang.language_models.structured.derivations import CLOSE, OPEN, SHIFT, Limits, Progress, allowed, beginning

LIMITS = st.builds(Limits, labels=st.integers(1, 3), chain=st.integers(1, 4), depth=st.integers(1, 5))


def progress(opened: int, chain: int) -> Progress:
    return Progress(np.array([opened]), np.array([chain]))


def possible(opened: int, chain: int, limits: Limits) -> list[int]:
    """Return the steps that are possible so far."""
    return [int(step) for step in np.flatnonzero(allowed(progress(opened, chain), limits)[0])]


def brackets(steps: list[int]) -> str:
    """Return a tree of step codes as brackets with w for a word."""
    return "".join({CLOSE: ")", SHIFT: "w"}.get(step, "(") for step in steps)


def is_tree(steps: list[int], limits: Limits) -> bool:
    """Tell whether steps are those of one whole tree, from its brackets alone."""
    text = brackets(steps)
    depths = list(itertools.accumulate({"(": 1, ")": -1, "w": 0}[sign] for sign in text))
    whole = bool(depths) and text[0] == "(" and depths[-1] == 0 and all(depth > 0 for depth in depths[:-1])
    chains = [len(chain) for chain in text.replace(")", "w").split("w")]
    return whole and "()" not in text and max(depths) <= limits.depth and max(chains) <= limits.chain


def test_codes_of_steps() -> None:
    assert (CLOSE, SHIFT, OPEN) == (0, 1, 2)
    assert Limits(labels=3, chain=2, depth=4).steps == 5


def test_a_tree_begins_with_an_open() -> None:
    assert possible(0, 0, Limits(2, 2, 3)) == [OPEN, OPEN + 1]


def test_a_constituent_has_a_part() -> None:
    # Just opened: a word or one more constituent, and no CLOSE; after a word or a CLOSE everything.
    assert possible(1, 1, Limits(1, 2, 3)) == [SHIFT, OPEN]
    assert possible(1, 0, Limits(1, 2, 3)) == [CLOSE, SHIFT, OPEN]


def test_limits_bar_further_opens() -> None:
    assert possible(2, 2, Limits(1, 2, 3)) == [SHIFT]  # two opened in a row
    assert possible(3, 0, Limits(1, 2, 3)) == [CLOSE, SHIFT]  # three are open


def test_progress_after_steps() -> None:
    before = Progress(np.array([1, 2, 2]), np.array([1, 0, 1]))
    after = before.after(np.array([OPEN + 1, CLOSE, SHIFT]))
    assert after.opened.tolist() == [2, 1, 2]
    assert after.chain.tolist() == [2, 0, 0]
    assert after.take([2, 0]).opened.tolist() == [2, 2]
    assert after.take([2, 0]).chain.tolist() == [0, 2]
    assert beginning(2).opened.tolist() == beginning(2).chain.tolist() == [0, 0]


def test_no_derivations() -> None:
    assert allowed(beginning(0), Limits(2, 2, 2)).shape == (0, 4)
    assert len(beginning(3).take([]).opened) == 0


@given(LIMITS, st.randoms(use_true_random=False), st.integers(1, 30))
def test_possible_steps_never_lead_astray(limits: Limits, random: object, length: int) -> None:
    # Whatever possible steps are taken, the derivation can always be ended, and is then a tree within the limits.
    here, steps = beginning(1), list[int]()
    while not steps or here.opened[0]:
        choices = np.flatnonzero(allowed(here, limits)[0])
        assert len(choices)
        if len(steps) < length:
            step = int(random.choice(choices))  # type: ignore[attr-defined]
        else:
            step = CLOSE if CLOSE in choices else SHIFT if SHIFT in choices else OPEN
        steps.append(step)
        here = here.after(np.array([step]))
        assert 0 <= here.opened[0] <= limits.depth
        assert 0 <= here.chain[0] <= limits.chain
    assert is_tree(steps, limits)


def reached(limits: Limits, length: int) -> set[tuple[int, ...]]:
    """Return all whole trees of so many steps that possible steps lead to."""
    whole, open_ones = set[tuple[int, ...]](), [((), 0, 0)]
    for _ in range(length):
        longer = []
        for steps, opened, chain in open_ones:
            for step in possible(opened, chain, limits):
                after = progress(opened, chain).after(np.array([step]))
                longer.append(((*steps, step), int(after.opened[0]), int(after.chain[0])))
        whole |= {steps for steps, opened, _ in longer if not opened}
        open_ones = [each for each in longer if each[1]]  # type: ignore[misc]
    return {steps for steps in whole if len(steps) == length}


def test_every_tree_within_the_limits_is_reached() -> None:
    # Against all sequences of steps, of which those are trees whose brackets say so.
    for limits, length in itertools.product((Limits(1, 2, 2), Limits(1, 1, 3), Limits(2, 2, 3)), range(1, 7)):
        every = itertools.product(range(limits.steps), repeat=length)
        trees = {steps for steps in every if is_tree(list(steps), limits)}
        assert reached(limits, length) == trees
