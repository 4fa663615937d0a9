"""Of which sentences and words does a description consist, once it is spelled and worded as the grammar expects?

Each word keeps the place in the text from which it comes, so that what is not understood can be handed back as written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, wraps
from typing import Any, TypeVar

from hengliang.materials.scene_domains import Domain
from hengliang.systems.readers.english_patterns import Rule, first_fitting, follow
from hengliang.systems.readers.english_rewriting import ADVERBS, FIRST, KNOWN_WORDS, SECOND
from hengliang.systems.readers.english_spelling import repaired
from hengliang.systems.readers.english_words import NUMBERS, PARTS, Vocabulary, vocabulary

_TOKEN = re.compile(r"\d+\s?/\s?\d+|\d+\s?%|\d+|[^\W\d_]+(?:['’][^\W\d_]+)*|[.,;:!?()&\n，。；：！？]|[-–—]+")
_ENDS = frozenset(".;!?\n。；！？")
_COMMAS = frozenset(",:()，：")
_LISTED = re.compile(r"(?m)^\s*(?:[•*·–-]|\d+[.)])\s+")
_GRAMMAR = """
a additional all among amount an and another any are as at available balance be been being both but can colored
coloured combination combinations compared completely copy different direct distributed divided do does dominance
dominant dominate dominates double each either equal equals every everyone everything exact exactly example except
feature features few fewer final for half has have having if in instance is it just kind kinds last least less like
little lone lonely main many more most neither no none not number odd of on once one ones only opposite opposites or
other others out outnumber over part possible precisely predominance predominant prevailing primary remainder
remainders remaining rest same several shaped single sized slight small solely some sort sorts than that the their
them then there these they those thrice time times tiny to total triple twice type types under unique varying what
whatever where which while who whom whose with
"""
GRAMMAR_WORDS = frozenset(_GRAMMAR.split())


@dataclass(frozen=True, slots=True)
class Token:
    """A word in the form that the grammar knows, and where in the text it comes from."""

    word: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """The words of one sentence, the words of the domain, and what was written."""

    tokens: tuple[Token, ...]
    words: tuple[str, ...]
    vocabulary: Vocabulary
    text: str
    written: str
    memory: dict[tuple[str, int], Any] = field(default_factory=dict, compare=False, repr=False)

    def follow(self, start: int, pattern: str) -> int | None:
        """Return where a pattern ends that fits from a place on, or None."""
        return follow(self.words, start, pattern)

    def at(self, place: int) -> str:
        """Return the word at a place, or nothing beyond the end."""
        return self.words[place] if 0 <= place < len(self.words) else ""


_Found = TypeVar("_Found")


def remembered(read: Callable[[Sentence, int], list[_Found]]) -> Callable[[Sentence, int], list[_Found]]:
    """Make a function that reads from a place on do so once for each place of a sentence."""

    @wraps(read)
    def again(sentence: Sentence, start: int) -> list[_Found]:
        key = (read.__name__, start)
        if key not in sentence.memory:
            sentence.memory[key] = read(sentence, start)
        found: list[_Found] = sentence.memory[key]
        return found

    return again


@lru_cache(maxsize=32)
def known_words(domain: Domain) -> frozenset[str]:
    """Return all words that need no repair."""
    parts = {f"{part}s" for part in PARTS}
    single = {word for words in vocabulary(domain).words for word in words.split()}
    return frozenset({*KNOWN_WORDS, *GRAMMAR_WORDS, *NUMBERS, *PARTS, *parts, "halves", *single})


def sentences(text: str, domain: Domain) -> list[Sentence]:
    """Return the sentences of a description."""
    held = vocabulary(domain)
    found: list[Sentence] = []
    for raw in _split_sentences(_LISTED.sub(lambda mark: " " * len(mark[0]), text)):
        tokens = _joined(_repaired(raw, domain), held)
        for rules in (ADVERBS, FIRST, SECOND):
            tokens = _rewritten(tokens, rules, held)
        written = text[raw[0].start : raw[-1].end].strip()
        kept = tuple(_tidied(tokens))
        found.append(Sentence(kept, tuple(token.word for token in kept), held, text, written))
    return found


def _split_sentences(text: str) -> list[list[Token]]:
    found: list[list[Token]] = [[]]
    for match in _TOKEN.finditer(text):
        word = match[0].lower().replace("’", "'")
        if word in _ENDS:
            found.append([])
        elif word[0] in "-–—":
            spaced = text[match.start() - 1 : match.start()].isspace() or text[match.end() : match.end() + 1].isspace()
            if spaced or len(word) > 1:
                found[-1].append(Token(",", match.start(), match.end()))
        else:
            plain = "," if word in _COMMAS else re.sub(r"\s", "", word)
            found[-1].append(Token(plain, match.start(), match.end()))
    return [raw for raw in found if any(token.word != "," for token in raw)]


def _repaired(raw: list[Token], domain: Domain) -> list[Token]:
    known, likely = known_words(domain), vocabulary(domain).words
    return [Token(word, token.start, token.end) for token in raw for word in _cached_repair(token.word, known, likely)]


@lru_cache(maxsize=65536)
def _cached_repair(word: str, known: frozenset[str], likely: frozenset[str]) -> tuple[str, ...]:
    return repaired(word, known, likely)


def _joined(tokens: list[Token], held: Vocabulary) -> list[Token]:
    """Return the tokens with those words of the domain made one that are written with a space."""
    spaced = sorted((word.split() for word in held.words if " " in word), key=len, reverse=True)
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        words = [token.word for token in tokens[at:]]
        fit = next((parts for parts in spaced if words[: len(parts)] == parts), words[:1])
        found.append(Token(" ".join(fit), tokens[at].start, tokens[at + len(fit) - 1].end))
        at += len(fit)
    return found


def _rewritten(tokens: Sequence[Token], rules: tuple[Rule, ...], held: Vocabulary) -> list[Token]:
    words = [token.word for token in tokens]
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        fitting = first_fitting(words, at, rules)
        # A word of the domain is never taken for one that says nothing.
        if fitting is None or (fitting[1] == at + 1 and (words[at] in held.nouns or words[at] in held.adjectives)):
            found.append(tokens[at])
            at += 1
            continue
        rule, end = fitting
        found += [Token(word, tokens[at].start, tokens[end - 1].end) for word in rule.written]
        at = end
    return found


def _tidied(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens without words that stand there twice, and without commas at the ends."""
    found: list[Token] = []
    for token in tokens:
        # A word typed twice is meant once.
        if found and found[-1].word == token.word and not token.word[0].isdigit():
            continue
        if token.word == "," and not found:
            continue
        found.append(token)
    while found and found[-1].word == ",":
        found.pop()
    return found
