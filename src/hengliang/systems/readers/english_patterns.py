"""Does a pattern of words fit at a place in a sentence, and which words stand for others?

A pattern is words with spaces between them: `a|b` is one of several words, a question mark makes it optional. A rule
`pattern -> words` writes what fits with other words, so that the grammar need know only one of several ways to say a
thing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache


@lru_cache(maxsize=4096)
def compiled(pattern: str) -> tuple[tuple[frozenset[str], bool], ...]:
    """Return the places of a pattern: which words fit, and whether one is needed."""
    places = []
    for written in pattern.split():
        needed = not written.endswith("?")
        places.append((frozenset(written.removesuffix("?").split("|")), needed))
    return tuple(places)


def follow(words: Sequence[str], start: int, pattern: str) -> int | None:
    """Return where a pattern ends that fits from a place on, or None; an optional word is taken where it stands.

    >>> follow(["half", "of", "the", "circles"], 0, "half of? the?")
    3
    """
    at = start
    for fitting, needed in compiled(pattern):
        if at < len(words) and words[at] in fitting:
            at += 1
        elif needed:
            return None
    return at


@dataclass(frozen=True, slots=True)
class Rule:
    """What to write in place of what; an empty tuple drops the words."""

    pattern: str
    written: tuple[str, ...]


def read_rules(text: str) -> tuple[Rule, ...]:
    """Return the rules in a text, one on each line."""
    rules = []
    for line in text.strip().splitlines():
        pattern, _, written = line.partition("->")
        if pattern.strip():
            rules.append(Rule(pattern.strip(), tuple(written.split())))
    return tuple(rules)


def rule_words(rules: Sequence[Rule]) -> set[str]:
    """Return all words that rules look for or write."""
    found = {word for rule in rules for fitting, _ in compiled(rule.pattern) for word in fitting}
    return found | {word for rule in rules for word in rule.written}


@lru_cache(maxsize=16)
def _by_first_word(rules: tuple[Rule, ...]) -> dict[str, tuple[Rule, ...]]:
    """Return which rules can begin with a word, in their order."""
    held: dict[str, list[Rule]] = {}
    for rule in rules:
        firsts: set[str] = set()
        for fitting, needed in compiled(rule.pattern):
            firsts |= fitting
            if needed:
                break
        for word in firsts:
            held.setdefault(word, []).append(rule)
    return {word: tuple(found) for word, found in held.items()}


def first_fitting(words: Sequence[str], start: int, rules: tuple[Rule, ...]) -> tuple[Rule, int] | None:
    """Return the first rule that fits at a place, and where what it fits ends."""
    for rule in _by_first_word(rules).get(words[start], ()):
        end = follow(words, start, rule.pattern)
        if end is not None and end > start:
            return rule, end
    return None
