"""Which sentences of a corpus are shown to readers: drawn at random, or for their infrequent classifiers?

Both samples follow one published experiment [1, sections 5.1 and 6.1]. A random sample takes sentences as they come. An
infrequent sample takes a few sentences of each classifier that the corpus has fewer than so many times. A seed puts all
sentences into an order, and they are taken from its start; one that is left out, as noise or for its category, gives
its place to the next one, and what was passed over is kept with its reason. The order is that of a hash of seed
and id: neither the order of the file nor further rows change it.

[1] de Bruijn, A. (2023). Human evaluation of automatically generated classifiers in Mandarin Chinese. Master's thesis,
    Utrecht University.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.io.delimited import NAME_THE_ENCODING, read_text_lines
from hengliang.core.signature import digest
from hengliang.core.text.characters import SLOT_MARK
from hengliang.materials.classifier_categories import category_of_use
from hengliang.people.choice_merging import filled_in
from hengliang.systems.classifier_choosers.slots import slots_of

RANDOM, INFREQUENT, ALL = "random", "infrequent", "all"
PER_CLASSIFIER = 3

REPEATED = "the same sentence is there already"
DRAWN = "it is in the random sample already"
OPEN_SLOT = "a second slot of the sentence is empty"
NO_CLASSIFIER = "the corpus's classifier is not known"
UNNAMED = "in the filter file"

LEFT_OUT_SCHEMA: dict[str, pl.DataType] = {
    "item": pl.String(),
    "classifier": pl.String(),
    "sample": pl.String(),
    "reason": pl.String(),
}


@dataclass(frozen=True, slots=True)
class Sample:
    """The sentences that are shown, in the order of the corpus, and what was passed over while they were drawn."""

    items: pl.DataFrame
    left_out: pl.DataFrame

    def reasons(self) -> dict[str, int]:
        """Return how many sentences were left out for each reason, the most frequent reason first."""
        counts = Counter(self.left_out["reason"].to_list())
        return dict(sorted(counts.items(), key=_most_first))


def _most_first(counted: tuple[str, int]) -> tuple[int, str]:
    return -counted[1], counted[0]


# --- what is left out -----------------------------------------------------------------------------------------------


class FilterLine(NamedTuple):
    """A line of a filter file: which sentence is to be left out, and why."""

    line: int
    key: str
    reason: str


def read_filter(path: Path | str, encoding: str = "auto") -> tuple[FilterLine, ...]:
    """Read a filter file: an id or a sentence a line, perhaps a tab and the reason; a line after # is a remark."""
    found = []
    for number, line in enumerate(read_text_lines(Path(path), encoding, remedy=NAME_THE_ENCODING), 1):
        key, _, reason = line.partition("\t")
        if key.strip() and not line.startswith("#"):
            found.append(FilterLine(number, key.strip(), reason.strip() or UNNAMED))
    return tuple(found)


def filtered(items: pl.DataFrame, lines: Iterable[FilterLine], where: Path | str = "the filter file") -> dict[str, str]:
    """Return the ids that the lines leave out, each with the reason; a line about nothing in the items is refused.

    A sentence may stand there as in the corpus, with <CL> or without, segmented or not, or with its own classifier.
    """
    ids = items["id"].to_list()
    known = set(ids)
    sentences: dict[str, list[str]] = {}
    whole = corpus_sentences(items)
    for name, content, text in zip(ids, items["content"].to_list(), whole, strict=True):
        for key in {_plain(content), _plain(text)}:
            sentences.setdefault(key, []).append(name)
    found: dict[str, str] = {}
    for line, key, reason in lines:
        named = [key] if key in known else sentences.get(_plain(key), [])
        if not named:
            raise UserError(
                f"{where}, line {line}: no sentence has the id or the text '{key[:40]}'.",
                valid="An id or a sentence of the corpus, then perhaps a tab and the reason.",
                remedy="Correct the line, or begin it with #.",
            )
        for name in named:
            found.setdefault(name, reason)
    return found


def _plain(sentence: str) -> str:
    return re.sub(r"\s+", "", unicodedata.normalize("NFC", sentence).replace(SLOT_MARK, ""))


def not_true(items: pl.DataFrame) -> dict[str, str]:
    """Return the ids of sentences whose classifier is no true classifier with its noun, each with what it is."""
    nouns = slots_of(items)["noun"].fill_null("").to_list()
    found: dict[str, str] = {}
    for name, gold, noun in zip(items["id"].to_list(), items["gold"].to_list(), nouns, strict=True):
        category = category_of_use(unicodedata.normalize("NFC", gold or ""), noun)
        if category != "true":
            found[name] = f"no true classifier: {category}"
    return found


def unusable(items: pl.DataFrame) -> dict[str, str]:
    """Return the ids of sentences that cannot be shown, each with the reason."""
    problems = slots_of(items)["problem"].to_list()
    still_open = items["spans"].list.eval(pl.element().struct.field("name") == "open").list.any().fill_null(False)
    found: dict[str, str] = {}
    rows = zip(items["id"].to_list(), problems, still_open.to_list(), items["gold"].to_list(), strict=True)
    for name, problem, is_open, gold in rows:
        reason = problem or (OPEN_SLOT if is_open else "") or ("" if gold else NO_CLASSIFIER)
        if reason:
            found[name] = reason
    return found


# --- drawing --------------------------------------------------------------------------------------------------------


def corpus_sentences(items: pl.DataFrame) -> list[str]:
    """Return each sentence as the corpus has it, with its own classifier in the slot."""
    held = slots_of(items).with_columns(gold=items["gold"].fill_null("").str.normalize("NFC"))
    before, after = filled_in(pl.col("gold"))
    return held.select(text=pl.concat_str(before, "gold", after).fill_null(""))["text"].to_list()


def whole_sample(items: pl.DataFrame, without: Mapping[str, str] | None = None) -> Sample:
    """Take every sentence but those of `without`, and of a sentence that is there twice the first."""
    drawing = _Drawing(items, without, ALL)
    for row in range(items.height):
        drawing.take(row)
    return drawing.sample()


def random_sample(items: pl.DataFrame, size: int, seed: int = 1, without: Mapping[str, str] | None = None) -> Sample:
    """Draw `size` sentences at random, none of `without`, which maps ids to reasons, and no sentence twice."""
    _check_size(items, size)
    drawing = _Drawing(items, without, RANDOM)
    for row in _order(items["id"].to_list(), seed):
        if len(drawing.taken) == size:
            break
        drawing.take(row)
    if len(drawing.taken) < size:
        raise UserError(
            f"A sample of {size} is wanted, but {len(drawing.taken)} of {items.height} sentences can be drawn.",
            valid="The others are left out: " + _told(drawing.sample().reasons()) + ".",
            remedy="Ask for fewer, or filter less.",
        )
    return drawing.sample()


def infrequent_sample(
    items: pl.DataFrame,
    threshold: int,
    size: int | None = None,
    seed: int = 1,
    *,
    per_classifier: int = PER_CLASSIFIER,
    uses: Mapping[str, int] | None = None,
    without: Mapping[str, str] | None = None,
) -> Sample:
    """Draw up to `per_classifier` sentences of each classifier with fewer than `threshold` uses.

    `uses` are the counts of the corpus; left out, those of the items. With `size` classifiers take turns, a sentence
    each, until there are so many: a few sentences of many classifiers, not many of a few.
    """
    if size is not None:
        _check_size(items, size)
    queues = _queues(items, threshold, seed, uses)
    drawing = _Drawing(items, without, INFREQUENT)
    for _ in range(per_classifier):
        for queue in queues:
            if size is None or len(drawing.taken) < size:
                # One that is left out gives its place to the next sentence of the same classifier.
                next((row for row in queue if drawing.take(row)), None)
    if not drawing.taken or (size is not None and len(drawing.taken) < size):
        wanted = "Sentences" if size is None else f"{size} sentences"
        raise UserError(
            f"{wanted} with infrequent classifiers are wanted, but {len(drawing.taken)} can be drawn: {len(queues)} "
            f"classifiers have fewer than {threshold} uses, and at most {per_classifier} sentences of each are taken.",
            valid=f"Left out: {_told(drawing.sample().reasons())}.",
            remedy="Raise the threshold or the number for each classifier, or ask for fewer.",
        )
    return drawing.sample()


def drawn_samples(
    items: pl.DataFrame,
    size: int | None = None,
    threshold: int | None = None,
    infrequent_size: int | None = None,
    seed: int = 1,
    *,
    per_classifier: int = PER_CLASSIFIER,
    uses: Mapping[str, int] | None = None,
    without: Mapping[str, str] | None = None,
) -> Sample:
    """Draw a random sample of `size`, an infrequent one under `threshold`, both or, with neither asked for, all.

    What is in the random sample is not drawn again. The attribute `sample` of the items says which they are of.
    """
    if size is None and threshold is None:
        return whole_sample(items, without)
    parts = [] if size is None else [random_sample(items, size, seed, without)]
    if threshold is not None:
        names = dict(zip(items["id"].to_list(), corpus_sentences(items), strict=True))
        shown = {sentence for part in parts for sentence in corpus_sentences(part.items)}
        drawn = {name: DRAWN for name, sentence in names.items() if sentence in shown}
        parts.append(
            infrequent_sample(
                items,
                threshold,
                infrequent_size,
                seed,
                per_classifier=per_classifier,
                uses=uses,
                without={**drawn, **(without or {})},
            )
        )
    return Sample(pl.concat(part.items for part in parts), pl.concat(part.left_out for part in parts))


def _queues(items: pl.DataFrame, threshold: int, seed: int, uses: Mapping[str, int] | None) -> list[Iterator[int]]:
    """Return the rows of each infrequent classifier in the seed's order, the classifiers in such an order too."""
    gold = items["gold"].fill_null("").str.normalize("NFC").to_list()
    counts = Counter(gold) if uses is None else uses
    rows: dict[str, list[int]] = {}
    for row in _order(items["id"].to_list(), seed):
        if gold[row] and counts.get(gold[row], 0) < threshold:
            rows.setdefault(gold[row], []).append(row)
    forms = list(rows)
    return [iter(rows[forms[place]]) for place in _order(forms, seed)]


def _order(names: Sequence[str], seed: int) -> list[int]:
    """Return the places of the names in a random order that follows from names and seed alone."""
    keys = [digest(str(seed), name) for name in names]
    return sorted(range(len(names)), key=keys.__getitem__)


class _Drawing:
    """Sentences that are taken one by one, and those that are passed over."""

    def __init__(self, items: pl.DataFrame, without: Mapping[str, str] | None, sample: str) -> None:
        self.items = items
        self.without = {**unusable(items), **(without or {})}
        self.name = sample
        self.taken: list[int] = []
        self.passed: list[tuple[str, str, str, str]] = []
        self._ids: list[str] = items["id"].to_list()
        self._gold: list[str | None] = items["gold"].to_list()
        self._sentences = corpus_sentences(items)
        self._seen: set[str] = set()

    def take(self, row: int) -> bool:
        """Take a sentence, or pass it over with the reason, and say which."""
        name, sentence = self._ids[row], self._sentences[row]
        reason = self.without.get(name) or (REPEATED if sentence in self._seen else "")
        if reason:
            self.passed.append((name, self._gold[row] or "", self.name, reason))
            return False
        self._seen.add(sentence)
        self.taken.append(row)
        return True

    def sample(self) -> Sample:
        """Return what was taken, in the order of the corpus."""
        held = self.items[sorted(self.taken)].with_columns(sample=pl.lit(self.name))
        return Sample(held, pl.DataFrame(self.passed, schema=LEFT_OUT_SCHEMA, orient="row"))


def _check_size(items: pl.DataFrame, size: int) -> None:
    if size < 1:
        raise UserError(f"A sample of {size} sentences is not possible.", valid="A whole number from 1.")
    if size > items.height:
        raise UserError(
            f"A sample of {size} sentences is wanted, but there are {items.height}.",
            valid=f"A number from 1 to {items.height}.",
        )


def _told(reasons: Mapping[str, int]) -> str:
    return "; ".join(f"{count} ({reason})" for reason, count in reasons.items()) or "nothing"
