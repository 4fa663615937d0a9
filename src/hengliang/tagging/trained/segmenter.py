"""Chinese word segmenter `pku`: the word-finding CRF chain alone, by the standard of the default corpus.

The segmenter `pku` is the first half of our tagger `crf`: the chain that finds words, learned from the training part of
the default corpus. Averaged perceptron updates find words as well as the stochastic gradients of `crf` do
(`benchmarks.manner`), in a third of the time, and no tags are learned, so that it is made in about a minute when it is
first needed. It is kept in the store of models. `crf` and `crf:NAME` are the words of a tagger that was trained before.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.learning import card_state, is_trained, model_folder, read_card, train_once
from hengliang.core.progress import Watcher, long_watcher
from hengliang.core.registry import register
from hengliang.core.signature import digest
from hengliang.core.terms import Bilingual
from hengliang.core.text.segmentation import Segmented, spans_of_pieces
from hengliang.core.text.segmenters import PKU, WordSegmenter
from hengliang.corpora import catalogue as sources
from hengliang.tagging.sentences import TaggedSentences
from hengliang.tagging.trained.model import (
    FOLDS,
    LEXICON,
    VERSION,
    WORD_CHAIN,
    ChainSettings,
    Lexicon,
    crfsuite_library,
    fold_numbers,
    learn_lexicon,
    open_chain,
    read_lexicon,
    train_chain,
    word_edges,
    write_lexicon,
)
from hengliang.tagging.trained.tagger import CrfTagger
from hengliang.tagging.trained.training import TrainingSentences, training_sentences, word_sequences

CRF = "crf"
NAME = "segmenter-pku"
KIND = "segmenter"
SETTINGS = ChainSettings("ap", passes=5)
_SEED = 1


@dataclass(frozen=True, eq=False)
class Segmenter:
    """A chain that finds words, read from its folder."""

    lexicon: Lexicon
    chain: Any

    def cut(self, texts: Sequence[str]) -> list[Segmented]:
        """Return each text with its words, as `hengliang.core.text.segmentation.segment` would give them."""
        return [Segmented(text, spans_of_pieces(text, self._pieces(text), PKU)) for text in texts]

    def _pieces(self, text: str) -> list[str]:
        edges = word_edges(text, self.lexicon, self.chain)
        return (
            [text[first:last] for first, last in zip([0, *edges[1:-1]], edges[1:], strict=True)]
            if edges
            else list(text)
        )


def open_segmenter(reference: str, watcher: Watcher | None = None) -> Segmenter:
    """Return the segmenter `pku`, `crf` or `crf:NAME`; `pku` is trained first where the store does not have it."""
    folder = model_folder(NAME) if reference == PKU else _crf(reference).folder
    if reference == PKU and not is_trained(folder):
        train_segmenter(watcher=watcher)
    elif not is_trained(folder):
        _card_of(reference)  # which says how a tagger is trained
    return _read(reference, card_state(folder))


@lru_cache(maxsize=4)
def _read(reference: str, state: tuple[Path, int, int]) -> Segmenter:
    """Read a segmenter, whose files are compared with its card once in a process, not at every batch."""
    folder, *_ = state
    _card_of(reference)
    return Segmenter(read_lexicon(folder / LEXICON), open_chain(folder / WORD_CHAIN))


def _crf(reference: str) -> CrfTagger:
    _, _, name = reference.partition(":")
    return CrfTagger(name) if name else CrfTagger()


def identity(reference: str) -> str:
    """Return what distinguishes segmenters of one name: data, features and settings; `pku` need not be there yet."""
    there = reference != PKU or is_trained(model_folder(NAME))
    recipe = _card_of(reference)["recipe"] if there else _recipe(_corpus_checksum(), SETTINGS)
    return digest(str(sorted(recipe.items())))[:8]


def _card_of(reference: str) -> Mapping[str, Any]:
    return _card(model_folder(NAME)) if reference == PKU else _crf(reference).model_card()


def _card(folder: Path) -> Mapping[str, Any]:
    card = read_card(folder)
    if card.get("kind") != KIND or card["recipe"]["features"] != VERSION:
        raise UserError(
            f"{folder} holds no segmenter of this version of hengliang.",
            remedy=f"Remove it, and it is made again: hengliang models remove {folder.name}",
        )
    return card


def missing() -> str:
    """Say why the segmenter `pku` can be neither found nor made on this machine, and what would help; else nothing."""
    if importlib.util.find_spec("pycrfsuite") is None:
        return "it needs the library python-crfsuite: pip install 'hengliang[taggers]'"
    if is_trained(model_folder(NAME)):
        return ""
    try:
        sources.locate(sources.DEFAULT_CORPUS)
    except UserError as error:
        return f"it is learned from {sources.DEFAULT_CORPUS}: {error.remedy or error.problem}"
    return ""


@register("pku")
class PkuSegmenter(WordSegmenter):
    """Words by the standard of the default corpus; learned when they are first needed."""

    name = PKU
    title = Bilingual("Words of the People's Daily", "《人民日报》标准分词")

    def cut(self, contents: Sequence[str]) -> list[Segmented]:
        """Return raw texts with their words."""
        return open_segmenter(PKU).cut(contents)

    def identity(self) -> str:
        """Return a hash of data, features and settings."""
        return identity(PKU)

    def prepare(self, watcher: Watcher) -> None:
        """Learn to find words where the store of models does not have it yet."""
        open_segmenter(PKU, watcher)

    def missing(self) -> str:
        """Say why it can be neither found nor made on this machine."""
        return missing()


@register("crf")
class CrfSegmenter(WordSegmenter):
    """The words of a tagger that was trained before; without the name of a model, those of the usual one."""

    title = Bilingual("Words of the CRF tagger", "条件随机场标注器的分词")

    def __init__(self, model: str = "") -> None:
        self.model = model
        self.name = f"{CRF}:{model}" if model else CRF

    def cut(self, contents: Sequence[str]) -> list[Segmented]:
        """Return raw texts with their words."""
        return open_segmenter(self.name).cut(contents)

    def identity(self) -> str:
        """Return a hash of what the tagger was trained with."""
        return identity(self.name)

    def prepare(self, watcher: Watcher) -> None:
        """Say how a tagger is trained where there is none of this name."""
        open_segmenter(self.name, watcher)


# --- learning -------------------------------------------------------------------------------------------------------


def train_segmenter(
    sentences: pl.DataFrame | None = None, *, settings: ChainSettings = SETTINGS, watcher: Watcher | None = None
) -> Path:
    """Train the segmenter `pku` unless it is there, and return its folder.

    It learns from the training part of the default corpus, without sentences that stand in the other parts too, or from
    other `sentences` (items of tagged sentences). A second process that needs it meanwhile waits for the first.
    """
    folder = model_folder(NAME)
    if is_trained(folder):
        _card(folder)
        return folder
    crfsuite_library()
    prepared = None if sentences is None else training_sentences(sentences)

    def learn() -> Mapping[str, Any]:
        seen = watcher or long_watcher()
        seen.say("the segmenter pku is learned once, from the default corpus; that takes about a minute")
        return _learn(prepared, folder, settings, seen)

    checksum = _corpus_checksum() if prepared is None else prepared.checksum
    return train_once(folder, _recipe(checksum, settings), learn, wait=True)


def _learn(
    given: TrainingSentences | None, folder: Path, settings: ChainSettings, watcher: Watcher
) -> Mapping[str, Any]:
    data, licence = "", "unclear"
    if given is None:
        whole = TaggedSentences().items()
        inside = pl.col("corpus_part") == "train"
        given = training_sentences(whole.filter(inside), None, [whole.filter(~inside)])
        data, licence = sources.DEFAULT_CORPUS, sources.source(sources.DEFAULT_CORPUS).licence
    folds = fold_numbers(len(given.words))
    lexicon = learn_lexicon(zip(given.words, given.tags, folds, strict=True))
    write_lexicon(folder / LEXICON, lexicon)
    sequences = word_sequences(given, lexicon)
    train_chain(folder / WORD_CHAIN, sequences, settings, _SEED, watcher, "learning to find words")
    return {
        "kind": KIND,
        "data": data,
        "licence": licence,
        "sentences": len(given.contents),
        "left_out": given.left_out,
        "words": sum(map(len, given.words)),
    }


def _corpus_checksum() -> str:
    return digest(*(file.sha256 for file in sources.source(sources.DEFAULT_CORPUS).files))


def _recipe(checksum: str, settings: ChainSettings) -> dict[str, Any]:
    return {"data": checksum, "features": VERSION, "folds": FOLDS, "seed": _SEED, "settings": asdict(settings)}
