"""Training recipes: train a language model from a corpus, store it with its model card, find it again.

A recipe says everything that decides about a model: its kind and size, the corpus, the seed. Training from a recipe
writes the model's folder and, last, its card. The same recipe again goes on where a former training was interrupted,
and returns at once when the model is there.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from hengliang.core.closure import outside_signatures
from hengliang.core.engine.mapping import LOCAL, Engine, available_threads, map_batches
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.learning import model_folder, train_once
from hengliang.core.progress import Lines, Silent, Watcher
from hengliang.core.text.characters import script_of, width_convention
from hengliang.core.text.segmentation import USUAL_SEGMENTER
from hengliang.core.text.segmenters import PKU
from hengliang.corpora.catalogue import DEFAULT_CORPUS
from hengliang.corpora.running_text import LONGEST, read_running_text
from hengliang.corpora.trees.treebanks import GIVEN, TREES
from hengliang.language_models.base import LanguageModel
from hengliang.language_models.manner import word_standard
from hengliang.language_models.perplexity import perplexity
from hengliang.language_models.preprocessing.preprocessing import preprocessing
from hengliang.language_models.training_texts import Corpus, read_corpus
from hengliang.language_models.vocabulary import Vocabulary, build_vocabulary

Kind = Literal["ngram", "lstm", "transformer", "masked", "rnng", "plm"]
KINDS: tuple[Kind, ...] = get_args(Kind)
SIZES: Mapping[Kind, tuple[str, ...]] = {
    "ngram": ("1", "2", "3", "4", "5", "6"),
    "lstm": ("tiny", "small", "paper"),
    "transformer": ("tiny", "small", "paper"),
    "masked": ("small",),
    "rnng": ("tiny", "small", "paper"),
    "plm": ("tiny", "small", "paper"),
}
"""The sizes of each kind; that of an n-gram model is its order."""

USUAL: Mapping[Kind, str] = {"ngram": "5", **dict.fromkeys(KINDS[1:], "small")}
STRUCTURED: tuple[Kind, ...] = ("rnng", "plm")
"""The kinds that learn from trees."""

EPOCHS: tuple[Kind, ...] = ("lstm", "transformer", *STRUCTURED)
"""The kinds of which a recipe may say how long they learn."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that decides about a trained model: an empty size means the usual one.

    With `sentences` only so many of the training part are learned from, the first ones, and a tenth as many are kept
    of the other parts; 0 means all. `trees` says which trees a model with structure learns from: those that belong to
    the corpus ("given") or one of the controls of `hengliang.corpora.trees.treebanks`; other kinds have none.
    `epochs` is how often at most a network goes through the text, for small corpora more often than usual (0).
    """

    kind: Kind
    size: str = ""
    seed: int = 1
    data: str = DEFAULT_CORPUS
    segmenter: str = "rjieba"
    longest: int = LONGEST
    preprocess: str = ""
    sentences: int = 0
    trees: str = ""
    epochs: int = 0

    def settled(self) -> Recipe:
        """Return the recipe with its size filled in; a kind, size or seed that is not possible is refused."""
        if self.kind not in KINDS:
            raise unknown_name("kind of language model", self.kind, KINDS)
        size = self.size or USUAL[self.kind]
        if size not in SIZES[self.kind]:
            raise unknown_name(f"size of {self.kind}", size, SIZES[self.kind])
        if self.seed < 0:
            raise UserError(f"The seed {self.seed} is not possible.", valid="A seed is a whole number from 0.")
        if self.sentences < 0:
            raise UserError(f"{self.sentences} sentences are not possible.", valid="A whole number; 0 means all.")
        self._check_epochs()
        steps = preprocessing(self.preprocess)
        if steps.name and self.kind not in ("ngram", "lstm", "transformer"):
            raise UserError(
                f"A model of the kind {self.kind} cannot be trained with the preprocessing '{self.preprocess}'.",
                valid="Kinds that know symbols in the place of words: ngram, lstm, transformer.",
            )
        return replace(self, size=size, preprocess=steps.name, trees=self._settled_trees())

    def _check_epochs(self) -> None:
        if self.epochs < 0:
            raise UserError(f"{self.epochs} epochs are not possible.", valid="A whole number; 0 means the usual ones.")
        if self.epochs and self.kind not in EPOCHS:
            raise UserError(
                f"How many epochs a model of the kind {self.kind} learns cannot be chosen.",
                valid=f"Kinds of which it can: {', '.join(EPOCHS)}.",
            )

    def _settled_trees(self) -> str:
        if self.kind not in STRUCTURED:
            if self.trees:
                raise UserError(
                    f"A model of the kind {self.kind} learns from no trees.",
                    valid=f"Kinds that do: {', '.join(STRUCTURED)}.",
                )
            return ""
        trees = self.trees or GIVEN
        if trees not in TREES:
            raise unknown_name("kind of trees", trees, TREES)
        return trees

    @property
    def name(self) -> str:
        """The name under which the model is stored; counting draws nothing, so an n-gram model has no seed in it."""
        settled = self.settled()
        parts = [settled.kind, settled.size] + ([] if settled.kind == "ngram" else [str(settled.seed)])
        if settled.data != DEFAULT_CORPUS:
            parts.append(re.sub(r"[^\w.-]+", "-", Path(settled.data).stem))
        if settled.sentences:
            parts.append(f"{settled.sentences}s")
        if settled.epochs:
            parts.append(f"{settled.epochs}e")
        if settled.trees not in ("", GIVEN):
            parts.append(settled.trees)
        if settled.preprocess:
            parts.append(settled.preprocess.replace(":", ".").replace("+", "-").replace("/", "."))
        return "-".join(parts)

    def facts(self) -> dict[str, Any]:
        """Return what must be equal for two trainings to be the same: the recipe with the checksum of its data."""
        settled = self.settled()
        text = read_running_text(settled.data, segmenter=settled.segmenter, longest=settled.longest)
        facts = {**asdict(settled), "data": text.name, "data_sha256": text.checksum, "words": text.segmenter}
        idle = {"seed"} if settled.kind == "ngram" else set()
        idle |= {name for name in ("preprocess", "sentences", "trees", "epochs") if not facts[name]}
        return {name: value for name, value in facts.items() if name not in idle}


FIXED_SET = (
    *(Recipe("ngram", str(order)) for order in (2, 3, 4, 5)),
    Recipe("transformer"),
    Recipe("lstm"),
    Recipe("masked"),
)
"""The small models that the quick studies use; those that take longest come early, so that two cores end together."""


def with_seeds(recipes: Iterable[Recipe], count: int) -> list[Recipe]:
    """Return each recipe with the seeds from 1 to `count`; an n-gram model draws nothing and has one."""
    return [
        replace(recipe, seed=seed)
        for recipe in recipes
        for seed in range(1, 2 if recipe.kind == "ngram" else count + 1)
    ]


@dataclass(frozen=True, slots=True)
class _Made:
    """What a trainer leaves: the model, opened, and what its card must say."""

    model: LanguageModel
    facts: Mapping[str, Any]


@outside_signatures("a trained model is signed by the checksums of its files")
def train(recipe: Recipe, out: Path | None = None, watcher: Watcher | None = None) -> Path:
    """Train the model of a recipe, or go on with it, and return its folder, `out` or that in the store."""
    settled, seen = recipe.settled(), watcher or Silent()
    folder, wanted = out or model_folder(settled.name), settled.facts()

    def learn() -> Mapping[str, Any]:
        corpus = read_corpus(settled.data, segmenter=settled.segmenter, longest=settled.longest)
        if settled.sentences:
            corpus = _first_sentences(corpus, settled.sentences)
        corpus, view = _seen(settled, corpus, folder, seen)
        return {**_card(settled, corpus, _TRAINERS[settled.kind](settled, corpus, folder, seen)), **view}

    return train_once(folder, wanted, learn)


def _first_sentences(corpus: Corpus, count: int) -> Corpus:
    limits = {part: count if part == "train" else max(1, count // 10) for part in corpus.parts}
    parts = {part: texts.take(range(min(limits[part], len(texts)))) for part, texts in corpus.parts.items()}
    return replace(corpus, parts=parts)


def _seen(recipe: Recipe, corpus: Corpus, folder: Path, watcher: Watcher) -> tuple[Corpus, Mapping[str, str]]:
    """Return the corpus as the model will see it; what the representation learns is kept with the model."""
    if not recipe.preprocess:
        return corpus, {}
    from hengliang.language_models.preprocessing.model import preprocessed_corpus, write_learned

    seen = preprocessed_corpus(corpus, recipe.preprocess, watcher)
    write_learned(folder, seen.learned)
    return seen.corpus, {"view": seen.view}


def train_all(recipes: Iterable[Recipe], engine: Engine = LOCAL) -> Iterator[Path]:
    """Train the models of several recipes and yield their folders, in order.

    A second process gains more than a second thread of a small network, so all of them are done sooner on several.
    """
    return map_batches(_train_telling, recipes, engine=engine)


def _train_telling(recipe: Recipe) -> Path:
    return train(recipe, watcher=Lines(recipe.name))


def _card(recipe: Recipe, corpus: Corpus, made: _Made) -> dict[str, Any]:
    source, conventions = corpus.source, made.model.conventions()
    standard = word_standard(source.name, source.segmenter)
    segmenter = PKU if standard == PKU and recipe.segmenter == USUAL_SEGMENTER else recipe.segmenter
    # The model asks its card for its manner, and the card is only being written.
    conventions = replace(conventions, widths=width_convention(corpus.parts["train"].contents.to_list()))
    if conventions.segmenter:
        conventions = replace(conventions, segmenter=segmenter, representation=recipe.preprocess)
    return {
        "kind": recipe.kind,
        "size": recipe.size,
        "seed": None if recipe.kind == "ngram" else recipe.seed,
        **({"preprocess": recipe.preprocess} if recipe.preprocess else {}),
        "data": source.name,
        "licence": source.licence,
        "terms": source.terms,
        "data_sha256": source.checksum,
        "words_of_the_data": source.segmenter,
        "word_standard": standard,
        "segmenter": segmenter,
        "widths": conventions.widths,
        "longest_sentence": source.longest,
        "sentences_left_out": dict(source.dropped),
        "sentences": {part: len(texts) for part, texts in corpus.parts.items()},
        "words": {part: len(texts.words) for part, texts in corpus.parts.items()},
        "script": _script(corpus),
        **made.facts,
        "conventions": dict(conventions.signature().pairs),
    }


def _script(corpus: Corpus) -> str:
    """Return the script of most of the first thousand sentences that are in one script only."""
    contents = corpus.parts["train"].contents[:1000].to_list()
    try:
        scripts = Counter[str](script_of(content) for content in contents)
    except UserError:  # the library that knows is an extra, and a model can do without
        return "not known"
    commonest = max(("simplified", "traditional"), key=scripts.__getitem__)
    return commonest if scripts[commonest] else "not known"


# --- trainers by kind of model ----------------------------------------------------------------------------------------


def _vocabulary(recipe: Recipe, corpus: Corpus) -> Vocabulary:
    texts, steps = corpus.parts["train"], preprocessing(recipe.preprocess)
    return build_vocabulary(texts.words, len(texts), unknown=steps.unknown, least=steps.least)


def _vocabulary_facts(vocabulary: Vocabulary) -> dict[str, Any]:
    return {
        "vocabulary": len(vocabulary),
        "vocabulary_checksum": vocabulary.checksum,
        "unknown_words": vocabulary.unknown,
    }


def _perplexities(model: LanguageModel, corpus: Corpus) -> dict[str, Any]:
    by_part = {}
    for part in ("dev", "test"):
        texts = corpus.parts[part]
        result = perplexity(model.score(texts), texts)
        by_part[part] = {
            "per_word": round(result.per("word"), 4),
            "per_character": round(result.per("character"), 4),
            "unknown_share": round(result.unknown_share, 5),
        }
    return {"perplexity": by_part}


def _train_ngram(recipe: Recipe, corpus: Corpus, folder: Path, watcher: Watcher) -> _Made:
    from hengliang.language_models.ngram.counting import EncodedText
    from hengliang.language_models.ngram.kneser_ney import FALLBACK, estimate
    from hengliang.language_models.ngram.model import NgramModel
    from hengliang.language_models.ngram.store import write_model

    begun = time.monotonic()
    texts, vocabulary = corpus.parts["train"], _vocabulary(recipe, corpus)
    with watcher.watch(f"{recipe.name}: counting n-grams", None):
        ids, _ = vocabulary.encode(texts.words)
        text = EncodedText(vocabulary.symbols, ids, texts.offsets)
        # A text too small for discounts of its own gets the usual ones, and the card says which are not estimated.
        estimated = estimate(text, order=int(recipe.size), fallback=FALLBACK)
        write_model(replace(estimated.tables, counts=vocabulary.counts), folder)
    seconds = time.monotonic() - begun
    model = NgramModel(folder)
    return _Made(
        model,
        {
            **_vocabulary_facts(vocabulary),
            "smoothing": "interpolated modified Kneser–Ney",
            "discounts": [asdict(level) for level in estimated.discounts],
            "parameters": sum(len(level) for level in estimated.tables.levels),
            "training_seconds": round(seconds, 3),
            **_perplexities(model, corpus),
        },
    )


def _train_neural(recipe: Recipe, corpus: Corpus, folder: Path, watcher: Watcher) -> _Made:
    from hengliang.language_models.neural.model import NeuralModel
    from hengliang.language_models.neural.settings import architecture, usual_settings
    from hengliang.language_models.neural.training import train as train_network

    vocabulary = _vocabulary(recipe, corpus)
    built = architecture(recipe.kind, recipe.size, len(vocabulary))  # type: ignore[arg-type]  # lstm or transformer
    usual = usual_settings(built)
    threads = min(usual.threads, available_threads())
    settings = replace(usual, threads=threads, epochs=recipe.epochs or usual.epochs)
    parts = corpus.parts
    trained = train_network(built, vocabulary, parts["train"], parts["dev"], folder, settings, recipe.seed, watcher)
    model = NeuralModel(folder)
    return _Made(
        model,
        {
            **_vocabulary_facts(vocabulary),
            "architecture": built.describe(),
            "settings": asdict(settings),
            "parameters": built.parameters,
            "best_epoch": trained.best_epoch,
            "curve": [asdict(epoch) for epoch in trained.curve],
            "training_seconds": round(trained.seconds, 1),
            **_perplexities(model, corpus),
        },
    )


def _train_masked(recipe: Recipe, corpus: Corpus, folder: Path, watcher: Watcher) -> _Made:
    from hengliang.language_models.huggingface.masked import HuggingFaceMasked
    from hengliang.language_models.neural.masked import MaskedSettings
    from hengliang.language_models.neural.masked_training import UNIT_COUNTS, train_masked

    usual = MaskedSettings()
    settings = replace(usual, threads=min(usual.threads, available_threads()))
    parts = corpus.parts
    trained = train_masked(parts["train"], parts["dev"], folder, settings, seed=recipe.seed, watcher=watcher)
    facts = dict(trained.facts)
    return _Made(
        HuggingFaceMasked(folder, unigrams=folder / UNIT_COUNTS),
        {
            "vocabulary": facts.get("vocabulary"),
            "parameters": facts.get("parameters"),
            "training_seconds": facts.get("seconds"),
            # Whoever passes the model on must see under which terms its encoder came.
            "weights_begin_with": facts.get("start"),
            "training": facts,
        },
    )


def _train_structured(recipe: Recipe, corpus: Corpus, folder: Path, watcher: Watcher) -> _Made:
    from hengliang.language_models.structured.recipe_training import train_from_trees

    model, facts = train_from_trees(recipe, corpus, _vocabulary(recipe, corpus), folder, watcher)
    return _Made(model, facts)


_TRAINERS: Mapping[Kind, Callable[[Recipe, Corpus, Path, Watcher], _Made]] = {
    "ngram": _train_ngram,
    "lstm": _train_neural,
    "transformer": _train_neural,
    "masked": _train_masked,
    "rnng": _train_structured,
    "plm": _train_structured,
}
