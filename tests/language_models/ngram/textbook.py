"""What does the textbook say of modified Kneser–Ney smoothing, in dictionaries and fractions?

Written from the formulas alone, n-gram by n-gram, and far too slow for a corpus: the independent derivation that the
vectorised estimation is compared with.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import chain

from hengliang.language_models.ngram.lookup import NgramTables

Ngram = tuple[str, ...]
Sentences = list[list[str]]
Entries = dict[Ngram, tuple[float, float]]
Exact = dict[Ngram, tuple[Fraction, Fraction]]
Triple = tuple[Fraction, Fraction, Fraction]


def occurrences(sentences: Sentences, length: int) -> Counter[Ngram]:
    """Return how often each n-gram of this length occurs, in sentences that begin with <s> and end with </s>."""
    edged = [["<s>", *words, "</s>"] for words in sentences]
    return Counter(tuple(words[start : start + length]) for words in edged for start in range(len(words) - length + 1))


def adjusted_counts(sentences: Sentences, length: int, order: int) -> Counter[Ngram]:
    """Return how many different words precede each n-gram, or its occurrences if it begins with <s> or is longest."""
    found = occurrences(sentences, length)
    if length < order:
        preceded = Counter(longer[1:] for longer in occurrences(sentences, length + 1))
        found = Counter({ngram: count if ngram[0] == "<s>" else preceded[ngram] for ngram, count in found.items()})
    found[("<s>",)] = 0
    return +found


def last_ngram(sentences: Sentences, order: int) -> Ngram:
    """Return the n-gram that lmplz meets last: it sorts by the last word first, words by first appearance."""
    first_seen = {word: place for place, word in enumerate(dict.fromkeys(["<s>", "</s>", *chain(*sentences)]))}
    padded = [["<s>"] * (order - 1) + words + ["</s>"] for words in sentences]
    every = [tuple(words[end - order : end]) for words in padded for end in range(order, len(words) + 1)]

    def backwards(ngram: Ngram) -> list[int]:
        return [first_seen[word] for word in reversed(ngram)]

    return max(every, key=backwards)


def closed_form(sentences: Sentences, length: int, order: int) -> Triple | None:
    """Return the discounts of Chen and Goodman's equation 26, or None where they do not exist or make no sense.

    As in lmplz the last n-gram enters by its occurrences, unless it is of the highest length.
    """
    adjusted = adjusted_counts(sentences, length, order)
    last = last_ngram(sentences, order)[order - length :]
    if length < order and last in adjusted:
        adjusted[last] = occurrences(sentences, length)[last]
    having = Counter(adjusted.values())
    if not (having[1] and having[2] and having[3]):
        return None
    y = Fraction(having[1], having[1] + 2 * having[2])
    one, two, three = (k - (k + 1) * y * Fraction(having[k + 1], having[k]) for k in (1, 2, 3))
    return (one, two, three) if 0 <= one <= 1 and 0 <= two <= 2 and 0 <= three <= 3 else None


def textbook(
    sentences: Sentences, order: int, limits: list[int], fallback: Triple
) -> tuple[Exact, list[Triple], list[bool]]:
    """Return probability and back-off weight of each n-gram, the discounts, and where they are the closed form."""
    entries: Exact = {}
    used: list[Triple] = []
    estimated: list[bool] = []
    words = {word for (word,), count in occurrences(sentences, 1).items() if count > limits[0]}
    uniform = Fraction(1, len((words | {"<unk>", "</s>"}) - {"<s>"}))
    for length in range(1, order + 1):
        raw = occurrences(sentences, length)
        adjusted = adjusted_counts(sentences, length, order)
        form = closed_form(sentences, length, order)
        estimated.append(form is not None)
        used.append(form or fallback)
        taken = {ngram: used[-1][min(count, 3) - 1] for ngram, count in adjusted.items()}
        kept = {ngram for ngram in adjusted if raw[ngram] > limits[length - 1] or ngram == ("<unk>",)}
        totals: Counter[Ngram] = Counter()
        left: dict[Ngram, Fraction] = {}
        for ngram, count in adjusted.items():
            totals[ngram[:-1]] += count
            left[ngram[:-1]] = left.get(ngram[:-1], Fraction(0)) + (taken[ngram] if ngram in kept else count)
        for ngram in kept:
            context = ngram[:-1]
            below = entries[ngram[1:]][0] if length > 1 else uniform
            share = left[context] / totals[context]
            entries[ngram] = ((adjusted[ngram] - taken[ngram]) / totals[context] + share * below, Fraction(1))
        if length == 1:
            entries.setdefault(("<unk>",), (left[()] / totals[()] * uniform, Fraction(1)))
            entries[("<s>",)] = (Fraction(0), Fraction(1))
        for context, weight in left.items():
            if context in entries:
                entries[context] = (entries[context][0], weight / totals[context])
    return entries, used, estimated


def log10(fraction: Fraction) -> float:
    return math.log10(fraction.numerator) - math.log10(fraction.denominator) if fraction else -math.inf


def logs(entries: Exact) -> Entries:
    """Return the entries as an ARPA file has them, with minus infinity for <s>."""
    return {ngram: (log10(chance), log10(weight)) for ngram, (chance, weight) in entries.items()}


def entries_of(tables: NgramTables) -> Entries:
    """Return the entries of a model, base ten."""
    words = tables.words.to_list()
    entries: Entries = {}
    names: list[Ngram] = [()]
    for level in tables.levels:
        rows = zip(level.prefixes.tolist(), level.words.tolist(), strict=True)
        names = [(*names[prefix], words[word]) for prefix, word in rows]
        values = zip(level.logprobs.tolist(), level.backoffs.tolist(), strict=True)
        scale = math.log(10)
        entries.update({name: (p / scale, b / scale) for name, (p, b) in zip(names, values, strict=True)})
    return entries


def arpa_entries(arpa: str) -> Entries:
    """Return the entries of an ARPA file, with minus infinity for <s> as in our tables."""
    entries: Entries = {}
    for line in arpa.split("\n"):
        fields = line.split("\t")
        if len(fields) > 1:
            entries[tuple(fields[1].split(" "))] = (float(fields[0]), float(fields[2]) if len(fields) > 2 else 0.0)
    entries[("<s>",)] = (-math.inf, entries[("<s>",)][1])
    return entries
