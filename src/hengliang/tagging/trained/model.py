"""Conditional random field tagger: lexicon, features, CRFsuite chains and the folder of a trained model.

The parts of a model in the order in which text passes through them: known words, features, the chains that label them.
The last sections put them together in a folder that says which sentences were learned from.

A model is a folder: the known words, a chain that finds words (each character begins a word, is in its middle, ends it,
or is a word alone), a chain that tags words, and digests of the sentences from which it learned.
"""

from __future__ import annotations

import ctypes
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from hengliang.core.errors import Failure, UserError, file_errors, unknown_name
from hengliang.core.io.files import whole_file, write_text
from hengliang.core.labelling.spans import Labelled
from hengliang.core.labelling.words import without_bare_spaces
from hengliang.core.progress import Steps, Watcher
from hengliang.core.signature import number_of
from hengliang.core.text.characters import byte_offsets

# --- lexicon ----------------------------------------------------------------------------------------------------------
# The words that the tagger knows from its training sentences, with their tags. A word that was seen shows where words
# begin and end, and which tags it takes. In training every word has been seen, which would teach the tagger to trust
# this knowledge blindly. So the training sentences are cut into folds of neighbours, and while a fold is learned from,
# what was seen there alone counts as unknown: the tagger meets about as many unknown words in training as in new text.

FOLDS = 10
LONGEST_WORD = 6
"""The most characters of a known word that is looked for in a text."""

UNKNOWN = "?"
RARE = 0.02
"""Of a word's occurrences, the share below which a tag is not listed with the word."""

SEVERAL = -1


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Known words. `folds` says in which fold alone each was seen (`SEVERAL`: more than one); `tags` which it takes.

    `without` has, for each fold, the words of that fold that take other tags elsewhere; it is there in training only.
    """

    folds: Mapping[str, int]
    tags: Mapping[str, str]
    without: Sequence[Mapping[str, str]] = field(default=())

    def tags_of(self, word: str, fold: int | None = None) -> str:
        """Return the tags that a word takes, the most frequent first (`v n`), as far as the other folds show."""
        if fold is not None:
            known = self.without[fold].get(word)
            if known is not None:
                return known
        return self.tags.get(word, UNKNOWN)


def fold_numbers(sentences: int) -> list[int]:
    """Return the fold of each sentence: neighbours, which repeat each other's rare words, share one."""
    return [row * FOLDS // sentences for row in range(sentences)]


def learn_lexicon(sentences: Iterable[tuple[Sequence[str], Sequence[str], int]]) -> Lexicon:
    """Return the words of tagged sentences, each given as widened words, tags and the number of its fold."""
    counts: dict[str, Counter[tuple[str, int]]] = {}
    for words, tags, fold in sentences:
        for word, tag in zip(words, tags, strict=True):
            counts.setdefault(word, Counter())[tag, fold] += 1
    folds: dict[str, int] = {}
    known: dict[str, str] = {}
    without: list[dict[str, str]] = [{} for _ in range(FOLDS)]
    for word in sorted(counts):
        seen = counts[word]
        inside = {fold for _, fold in seen}
        folds[word] = inside.pop() if len(inside) == 1 else SEVERAL
        known[word] = _listed(seen, None)
        for fold in {fold for _, fold in seen}:
            elsewhere = _listed(seen, fold)
            if elsewhere != known[word]:
                without[fold][word] = elsewhere
    return Lexicon(folds, known, tuple(without))


def _listed(seen: Counter[tuple[str, int]], left_out: int | None) -> str:
    totals: Counter[str] = Counter()
    for (tag, fold), count in seen.items():
        if fold != left_out:
            totals[tag] += count
    least = RARE * totals.total()
    ranked = sorted((-count, tag) for tag, count in totals.items() if count >= least)
    return " ".join(tag for _, tag in ranked) or UNKNOWN


def write_lexicon(path: Path, lexicon: Lexicon) -> None:
    """Write the known words with their tags, one per line, in order."""
    write_text(path, "".join(f"{word}\t{tags}\n" for word, tags in sorted(lexicon.tags.items())))


def read_lexicon(path: Path) -> Lexicon:
    """Read what `write_lexicon` wrote; folds are not kept, for they matter in training only."""
    with file_errors(path, "read"):
        lines = path.read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t") for line in lines]
    if not pairs or any(len(pair) != 2 for pair in pairs):
        raise UserError(f"{path} is no list of known words.", remedy="Train the tagger again.")
    tags = {pair[0]: pair[1] for pair in pairs}
    return Lexicon(dict.fromkeys(tags, SEVERAL), tags)


# --- features ---------------------------------------------------------------------------------------------------------
# What the tagger looks at to find words and to tag them: two sequences, two sets of features, in the manner of Ng and
# Low [1]. A character is seen with its neighbours, the kinds of characters around it, whether it is repeated, and the
# longest known words that begin, end or run on there. A word is seen with its neighbours, its first and last
# characters, its shape, and the tags it is known to take. Narrow letters, digits and marks count as their wide forms,
# which is how the newspaper writes them.
#
# [1] Ng, H. T., & Low, J. K. (2004). Chinese part-of-speech tagging: one-at-a-time or all-at-once? Word-based or
#     character-based? EMNLP 2004, 277–284.

VERSION = 1
"""Raised when the same sentence has other features than before: a model fits one version only."""

Features = list[list[str]]
"""One list of features for each character or word of a sentence."""

_WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
_OUTSIDE = "\x02"
_NUMERALS = frozenset("〇零一二三四五六七八九十百千万亿两")
_TIMES = frozenset("年月日时分秒")
_LONGEST_SHAPE = 4


def widened(text: str) -> str:
    """Return the text with narrow letters, digits and marks in their wide forms; no character is added or lost."""
    return text.translate(_WIDE)


class _Kinds(dict[str, str]):
    """The kind of each character that was ever asked for."""

    def __missing__(self, character: str) -> str:
        kind = self[character] = _kind(character)
        return kind


def _kind(character: str) -> str:
    if character == _OUTSIDE:
        return "O"
    if character in _NUMERALS:
        return "N"
    if character in _TIMES:
        return "T"
    category = unicodedata.category(character)
    if category[0] in "PSZ":
        return "P"
    if category[0] == "N":
        return "D"
    return "H" if category == "Lo" else "A" if category[0] == "L" else "X"


_KINDS = _Kinds()


def character_features(text: str, lexicon: Lexicon, fold: int | None = None) -> Features:
    """Return the features of each character of a widened text without white space.

    `fold` is the part of the training sentences to which the text belongs; words known from there alone do not count.
    """
    padded = f"{_OUTSIDE}{_OUTSIDE}{text}{_OUTSIDE}{_OUTSIDE}"
    kinds = "".join([_KINDS[character] for character in padded])
    begins, ends, runs = _known_stretches(text, lexicon, fold)
    features = []
    for at, here in enumerate(text):
        earlier, before, after, later = padded[at], padded[at + 1], padded[at + 3], padded[at + 4]
        begin, end, run = begins[at], ends[at], runs[at]
        repeated = f"{'r' if here == before else ''}{'s' if here == earlier else ''}{'t' if here == after else ''}"
        features.append(
            [
                *(f"1{here}", f"2{before}", f"3{after}", f"4{earlier}", f"5{later}"),
                *(
                    f"6{before}{here}",
                    f"7{here}{after}",
                    f"8{before}{after}",
                    f"9{earlier}{before}",
                    f"a{after}{later}",
                ),
                *(f"b{kinds[at + 1 : at + 4]}", f"c{kinds[at : at + 5]}", f"d{repeated}"),
                *(f"e{begin}{end}{run}", f"f{begin}{here}", f"g{end}{here}", f"h{end}{begin}{before}"),
            ]
        )
    return features


def _known_stretches(text: str, lexicon: Lexicon, fold: int | None) -> tuple[list[int], list[int], list[int]]:
    """Return the lengths of the longest known words of two characters and more that begin, end and run on at each."""
    size = len(text)
    begins, ends, runs = [0] * size, [0] * size, [0] * size
    fold_of = lexicon.folds.get
    for first in range(size - 1):
        for length in range(min(LONGEST_WORD, size - first), 1, -1):
            only = fold_of(text[first : first + length])
            if only is None or only == fold:
                continue
            if not begins[first]:
                begins[first] = length
            last = first + length - 1
            if length > ends[last]:
                ends[last] = length
            for edge in range(first + 1, last):
                if length > runs[edge]:
                    runs[edge] = length
    return begins, ends, runs


def word_features(words: Sequence[str], lexicon: Lexicon, fold: int | None = None) -> Features:
    """Return the features of each word of a sentence; the words are widened and hold no white space."""
    known = [lexicon.tags_of(word, fold) for word in words]
    padded = [_OUTSIDE, _OUTSIDE, *words, _OUTSIDE, _OUTSIDE]
    classes = [_OUTSIDE, _OUTSIDE, *known, _OUTSIDE, _OUTSIDE]
    features = []
    for position, word in enumerate(words, start=2):
        before, after = padded[position - 1], padded[position + 1]
        tags, left, right = classes[position], classes[position - 1], classes[position + 1]
        row = [
            *(f"1{word}", f"2{before}", f"3{after}", f"4{padded[position - 2]}", f"5{padded[position + 2]}"),
            *(f"6{before} {word}", f"7{word} {after}", f"8{tags}", f"9{left} {tags}", f"a{tags} {right}"),
            *(f"b{left} {right}", f"c{word} {left}", f"d{word} {right}", f"e{classes[position - 2]} {left}"),
            *(f"f{right} {classes[position + 2]}", f"g{_shape(word)}"),
            *(f"h{before[-1]}", f"i{after[0]}"),
        ]
        if len(word) > 1 or tags == UNKNOWN:
            row += [f"j{word[0]}", f"k{word[-1]}", f"l{len(word)}"]
        if len(word) > 2:
            row += [f"m{word[:2]}", f"n{word[-2:]}"]
        if tags == UNKNOWN:
            row += [f"o{word[0]}{len(word)}", f"p{word[-1]}{len(word)}"]
            # In the order of the word: the order of a set would differ from process to process, and the model with it.
            row += [f"q{character}" for character in dict.fromkeys(word[:6])]
        features.append(row)
    return features


def _shape(word: str) -> str:
    """Return the kinds of characters in a word, a run of one kind counted once, and the length of a short word."""
    shape = ""
    for character in word[:32]:
        kind = _KINDS[character]
        if not shape.endswith(kind):
            shape += kind
    return shape[:_LONGEST_SHAPE] + str(min(len(word), 5))


# --- linear chains ----------------------------------------------------------------------------------------------------
# A linear chain is learned from labelled sequences and asked for the labels of new ones. It is a conditional random
# field [2] as the library CRFsuite [3] trains and decodes it. The library draws the order of the training sequences
# from the C library's one generator of random numbers. We set that generator before every training, so that equal
# sequences, settings and seed give the same model, byte for byte, whatever was done before.
#
# [2] Lafferty, J., McCallum, A., & Pereira, F. (2001). Conditional random fields. ICML 2001, 282–289.
# [3] Okazaki, N. (2007). CRFsuite: a fast implementation of conditional random fields.
#     http://www.chokkan.org/software/crfsuite/

Algorithm = Literal["l2sgd", "lbfgs", "ap", "pa"]
ALGORITHMS: tuple[Algorithm, ...] = get_args(Algorithm)
"""How weights are found: stochastic gradients, L-BFGS, the averaged perceptron, passive-aggressive updates."""

_PENALISED = ("l2sgd", "lbfgs")


@dataclass(frozen=True, slots=True)
class ChainSettings:
    """How a chain is learned: passes over the sequences, the penalty, and how often a feature must occur with a label.

    The penalty does not count where weights are found by updates alone (`ap`, `pa`).
    """

    algorithm: Algorithm = "l2sgd"
    passes: int = 15
    penalty: float = 0.5
    least: int = 2

    def parameters(self) -> dict[str, float]:
        """Return the settings under the library's names, or say which of them cannot be."""
        if self.algorithm not in ALGORITHMS:
            raise unknown_name("algorithm", self.algorithm, ALGORITHMS)
        for name, value, lowest in (("passes", self.passes, 1), ("penalty", self.penalty, 0), ("least", self.least, 0)):
            if not lowest <= value < float("inf"):
                raise UserError(f"The setting {name} is {value}.", valid=f"{name} is a number from {lowest} on.")
        parameters = {"max_iterations": self.passes, "feature.minfreq": float(self.least)}
        return {**parameters, "c2": self.penalty} if self.algorithm in _PENALISED else parameters


def train_chain(
    path: Path,
    sequences: Iterable[tuple[Features, list[str]]],
    settings: ChainSettings,
    seed: int,
    watcher: Watcher,
    what: str,
) -> None:
    """Learn from sequences of features with their labels, and write the model; `what` is shown while it is learned."""
    crfsuite = crfsuite_library()
    with watcher.watch(what, settings.passes) as steps:
        trainer = _trainer(crfsuite, settings, steps)
        for features, labels in sequences:
            trainer.append(features, labels)
        ctypes.CDLL(None).srand(seed)
        beside = path.with_name(f".{path.name}.tmp")
        with file_errors(path, "write"):
            path.parent.mkdir(parents=True, exist_ok=True)
            beside.unlink(missing_ok=True)
            trainer.train(str(beside))
            if not beside.is_file():
                raise Failure(f"CRFsuite wrote no model to {path.parent}.")
            beside.replace(path)


def _trainer(crfsuite: ModuleType, settings: ChainSettings, steps: Steps) -> Any:
    class WatchedTrainer(crfsuite.Trainer):  # type: ignore[misc, name-defined]
        """Counts the passes by what the library says."""

        def message(self, message: str) -> None:
            """Hear one line of the library's log."""
            if message.startswith(("***** Epoch #", "***** Iteration #")):
                steps.advance()

    return WatchedTrainer(algorithm=settings.algorithm, params=settings.parameters(), verbose=False)


def open_chain(path: Path) -> Any:
    """Return the library's decoder for a model file: `tag(features)` gives the best labels."""
    crfsuite = crfsuite_library()
    opened = crfsuite.Tagger()
    with file_errors(path, "read"):
        path.stat()
    try:
        opened.open(str(path))
    except ValueError as error:
        raise UserError(f"{path} is no model of CRFsuite.", remedy="Train the tagger again.") from error
    return opened


def crfsuite_library() -> ModuleType:
    """Return the library, or say how to install it."""
    try:
        import pycrfsuite
    except ImportError as error:
        raise UserError(
            "The tagger crf needs the library python-crfsuite, which is not installed.",
            remedy="Install it with: pip install 'hengliang[taggers]'",
        ) from error
    library: ModuleType = pycrfsuite
    return library


# --- the model and its folder -----------------------------------------------------------------------------------------


LEXICON = "words.tsv"
WORD_CHAIN = "words.crfsuite"
TAG_CHAIN = "tags.crfsuite"
SENTENCES = "sentences.npy"

Digests = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class TaggerModel:
    """A model that was read from its folder."""

    lexicon: Lexicon
    word_chain: Any
    tag_chain: Any

    def tagged(self, sentence: str) -> list[Labelled]:
        """Return the words of a sentence as byte spans that cover it, labelled by tag; white space alone has none."""
        edges = word_edges(sentence, self.lexicon, self.word_chain)
        if not edges:
            return []
        words = ["".join(widened(sentence[first:last]).split()) for first, last in pairwise(edges)]
        tags: list[str] = self.tag_chain.tag(word_features(words, self.lexicon))
        offsets: list[int] = byte_offsets(sentence)[edges].tolist()
        return list(zip(offsets[:-1], offsets[1:], tags, strict=True))


def word_edges(sentence: str, lexicon: Lexicon, word_chain: Any) -> list[int]:
    """Return the characters at which words begin, and the length of the sentence; white space alone has no words.

    A word begins after white space, whatever the chain says.
    """
    places = [position for position, character in enumerate(sentence) if not character.isspace()]
    if not places:
        return []
    text = widened("".join(sentence.split()))
    labels = word_chain.tag(character_features(text, lexicon))
    begun = [
        position
        for before, position, label in zip([-2, *places], places, labels, strict=False)
        if label in "BS" or before + 1 != position
    ]
    # Marks begin no word, and white space belongs to the word after it.
    starts, _ = without_bare_spaces(sentence, [*begun, len(sentence)], [""] * len(begun))
    return [*starts, len(sentence)]


def word_labels(words: Iterable[str]) -> list[str]:
    """Return the label of each character of the words: B, M and E for begin, middle and end, S for a word alone."""
    return [label for word in words for label in ("S" if len(word) == 1 else f"B{'M' * (len(word) - 2)}E")]


def read_model(folder: Path) -> TaggerModel:
    """Read a model from its folder."""
    lexicon = read_lexicon(folder / LEXICON)
    return TaggerModel(lexicon, open_chain(folder / WORD_CHAIN), open_chain(folder / TAG_CHAIN))


# --- the sentences from which it learned ----------------------------------------------------------------------------


def sentence_digests(sentences: Iterable[str]) -> Digests:
    """Return a number for each sentence that is the same for the same text, white space and width not counted."""
    return np.array([number_of(widened("".join(sentence.split()))) for sentence in sentences], np.uint64)


def write_digests(folder: Path, digests: Digests) -> None:
    """Write the digests of the training sentences, each once, in order."""
    with whole_file(folder / SENTENCES) as stream:
        np.save(stream, np.unique(digests))


def seen_sentences(folder: Path, sentences: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Say of each sentence whether the model in the folder has learned from one with the same text."""
    path = folder / SENTENCES
    try:
        with file_errors(path, "read"):
            digests: Digests = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise UserError(f"{path} holds no digests of sentences.", remedy="Train the tagger again.") from error
    return np.isin(sentence_digests(sentences), digests)
