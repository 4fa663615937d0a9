from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hengliang.people.pages.rate_limiting import CLIENTS, GuessLimit


def test_some_wrong_guesses_at_once_and_then_one_a_while() -> None:
    limit = GuessLimit(burst=3, pause=10.0)
    for _ in range(3):
        assert limit.allows("a", 100.0)
        limit.wrong("a", 100.0)
    assert not limit.allows("a", 100.0)
    assert not limit.allows("a", 109.9)
    # After ten seconds one of three is forgotten.
    assert limit.allows("a", 110.0)
    limit.wrong("a", 110.0)
    assert not limit.allows("a", 110.0)
    assert limit.allows("b", 110.0)


def test_many_addresses_together_have_a_limit_too() -> None:
    limit = GuessLimit(burst_of_all=5, pause_of_all=1.0)
    for number in range(5):
        assert limit.allows(str(number), 0.0)
        limit.wrong(str(number), 0.0)
    assert not limit.allows("new", 0.0)
    assert limit.allows("new", 1.0)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.floats(0, 100)), max_size=200))
def test_nobody_ever_tries_more_often_than_allowed(tries: list[tuple[str, float]]) -> None:
    limit = GuessLimit(burst=3, pause=10.0, burst_of_all=10**6)
    allowed: dict[str, list[float]] = {"a": [], "b": []}
    for client, now in sorted(tries, key=lambda each: each[1]):
        if limit.allows(client, now):
            limit.wrong(client, now)
            allowed[client].append(now)
    for times in allowed.values():
        for first in range(len(times)):
            # In any stretch of time: the burst, and one for every ten seconds.
            for last in range(first, len(times)):
                assert last - first + 1 <= 3 + (times[last] - times[first]) / 10.0 + 1e-6


def test_addresses_are_forgotten_when_there_are_too_many() -> None:
    limit = GuessLimit(burst_of_all=10**6)
    for number in range(CLIENTS + 10):
        limit.wrong(str(number), 0.0)
    assert len(limit.forgotten_at) == CLIENTS
