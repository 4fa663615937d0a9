"""Training of RNNG and PLM from a recipe: treebank, perplexity by beam search, parsing F1 for the card.

Sentences and words come from the corpus, as for all other kinds of model, and their trees from the treebank that
belongs to it. The perplexity of the sentences alone takes a search of each, so the card gives it, and how well the best
trees agree with the given ones, for some sentences of the test part that lie evenly spread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from hengliang.core.engine.mapping import available_threads
from hengliang.core.labelling.texts import Texts
from hengliang.core.progress import Watcher
from hengliang.core.signature import digest
from hengliang.corpora.running_text import spread_rows
from hengliang.corpora.trees.bracketing import Bracketing, compare_brackets
from hengliang.corpora.trees.brackets import write_brackets
from hengliang.corpora.trees.constituents import Tree
from hengliang.corpora.trees.treebanks import read_treebank
from hengliang.language_models.neural.settings import Settings
from hengliang.language_models.perplexity import perplexity
from hengliang.language_models.structured.architectures import Kind, StructuredArchitecture
from hengliang.language_models.structured.model import StructuredModel
from hengliang.language_models.training_texts import Corpus
from hengliang.language_models.vocabulary import Vocabulary

if TYPE_CHECKING:
    from hengliang.language_models.recipes import Recipe

SAMPLE = 100
"""How many sentences of the test part the card's perplexity and parsing are found on."""

_SETTINGS: Mapping[tuple[str, str], Settings] = {
    ("rnng", "tiny"): Settings(epochs=4, tokens=1024, learning_rate=1e-2, dropout=0.1, threads=1),
    ("plm", "tiny"): Settings(epochs=4, tokens=1024, learning_rate=1e-2, dropout=0.1, threads=1),
    ("rnng", "small"): Settings(epochs=4, tokens=2048, learning_rate=4e-3, dropout=0.2, candidates=2000),
    ("rnng", "paper"): Settings(epochs=8, tokens=4096, learning_rate=4e-3, dropout=0.3, candidates=2000),
    ("plm", "small"): Settings(epochs=4, tokens=2048, learning_rate=2e-3, dropout=0.15, candidates=2000),
    ("plm", "paper"): Settings(epochs=8, tokens=4096, learning_rate=2.5e-4, dropout=0.3),
}


def structured_settings(kind: str, size: str, epochs: int = 0) -> Settings:
    """Return the settings with which a network of this kind and size is trained; no epochs are the usual ones."""
    usual = _SETTINGS[kind, size]
    return replace(usual, threads=min(usual.threads, available_threads()), epochs=epochs or usual.epochs)


def train_from_trees(
    recipe: Recipe, corpus: Corpus, vocabulary: Vocabulary, folder: Path, watcher: Watcher
) -> tuple[StructuredModel, Mapping[str, Any]]:
    """Train the network of a recipe into a folder, and return it with what its card must say."""
    from hengliang.language_models.structured.training import train

    bank = read_treebank(
        recipe.data,
        recipe.trees,
        segmenter=recipe.segmenter,
        longest=recipe.longest,
        seed=recipe.seed,
        # A recipe may learn from the first sentences only, and deriving trees takes longer than learning from few.
        first={part: len(texts) for part, texts in corpus.parts.items()},
    )
    trees = bank.trees
    settings = structured_settings(recipe.kind, recipe.size, recipe.epochs)
    kind = cast(Kind, recipe.kind)
    pairs = [(corpus.parts[part], trees[part]) for part in ("train", "dev")]
    trained = train(kind, recipe.size, vocabulary, pairs[0], pairs[1], folder, settings, recipe.seed, watcher)
    model, built = StructuredModel(folder), StructuredArchitecture.read(folder)
    facts = {
        "vocabulary": len(vocabulary),
        "vocabulary_checksum": vocabulary.checksum,
        "unknown_words": vocabulary.unknown,
        "architecture": built.describe(),
        "settings": asdict(settings),
        "parameters": built.parameters,
        "trees": _facts_of_trees(bank.kind, trees["train"], built),
        "best_epoch": trained.best_epoch,
        "curve": [asdict(epoch) for epoch in trained.curve],
        "joint_dev_perplexity": round(trained.dev_perplexity, 4),
        "training_seconds": round(trained.seconds, 1),
    }
    return model, {**facts, **judged(model, corpus.parts["test"], trees["test"], watcher)}


def _facts_of_trees(kind: str, trees: Sequence[Tree], built: StructuredArchitecture) -> Mapping[str, Any]:
    # Trees that were derived may change with the rules that derive them, although the corpus has not.
    checksum = digest(write_brackets(trees))
    return {
        "kind": kind,
        "checksum": checksum,
        "labels": list(built.labels),
        "chain": built.chain,
        "depth": built.depth,
    }


def judged(
    model: StructuredModel, texts: Texts, trees: Sequence[Tree], watcher: Watcher, sentences: int = SAMPLE
) -> Mapping[str, Any]:
    """Return perplexity by word and agreement with the given trees on some sentences of the test part."""
    rows = spread_rows(len(texts), sentences)
    chosen = texts.take(rows)
    with watcher.watch(f"{model.name}: perplexity and parsing of {len(rows)} sentences of test", None):
        scores, parses = model.score_and_parse(chosen)
    result = perplexity(scores, chosen)
    brackets = bracketing([trees[row] for row in rows.tolist()], parses)
    numbers = {
        "per_word": round(result.per("word"), 4),
        "per_character": round(result.per("character"), 4),
        "unknown_share": round(result.unknown_share, 5),
        "sentences": len(rows),
        "unscored": result.unscored,
    }
    parsing = {
        "labelled_f1": round(brackets.f1, 4),
        "unlabelled_f1": round(brackets.unlabelled_f1, 4),
        "sentences": len(rows),
    }
    return {"perplexity": {"test": numbers}, "parsing": {"test": parsing}}


def bracketing(given: Sequence[Tree], found: Sequence[Tree | None]) -> Bracketing:
    """Return how far trees that were found agree with the given ones; a sentence without a tree counts as flat."""
    flat = [Tree(tree.label, tree.words()) for tree in given]
    return compare_brackets(given, [tree or plain for tree, plain in zip(found, flat, strict=True)])
