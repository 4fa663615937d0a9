"""Opening of language models by name, and the surprisal of each word of a sentence under several models.

A model is named by its name in the store, by its folder, by a file or folder that a user brings (`hf:`, `arpa:`,
`kenlm:`), or by the name under which a plug-in registered it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np

from hengliang.core.closure import outside_signatures
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.io.files import read_json
from hengliang.core.labelling.texts import Texts, read_texts
from hengliang.core.learning import is_trained, read_card, stored_models
from hengliang.core.registry import entries
from hengliang.core.text.characters import ByteSpan, byte_offsets, slices
from hengliang.core.text.segmentation import USUAL_SEGMENTER
from hengliang.core.text.segmenters import segmented_by
from hengliang.language_models.base import Conventions, LanguageModel
from hengliang.language_models.manner import folded_counts, manner_of
from hengliang.language_models.perplexity import Perplexity, perplexity
from hengliang.language_models.regions import CROSSED, Regions, region_scores, sentence_logprobs, word_regions
from hengliang.language_models.scores import Scores
from hengliang.language_models.streaming import scores_of_texts

# --- models by name ---------------------------------------------------------------------------------------------------


PREFIXES: Mapping[str, str] = {
    "hf": "a Hugging Face folder or a .gguf file",
    "arpa": "an ARPA file",
    "kenlm": "a KenLM binary or ARPA file",
}


@outside_signatures("a model has a signature of its own")
def model(reference: str, **options: Any) -> LanguageModel:
    """Return the language model of this name; `options` go to its constructor.

    The name is one of `hengliang models list`, the folder of a model, `hf:PATH`, `arpa:FILE`, `kenlm:FILE`, or that of
    a plug-in.
    """
    if not reference.strip():
        raise UserError(
            f"'{reference}' names no language model.",
            valid=f"A name of `hengliang models list`, a folder, {_ways()}, or the name of a plug-in.",
            remedy="See what is there: hengliang models list",
        )
    prefix, colon, rest = reference.partition(":")
    if colon and prefix in PREFIXES:
        return _made(_brought(prefix, rest), reference, {"name": reference, **options}, Path(rest))
    stored = {entry.name: entry.folder for entry in stored_models()}
    folder = stored.get(reference, Path(reference))
    trained = is_trained(folder)
    if (folder / "config.json").is_file() and not trained:
        raise UserError(f"{reference} is a Hugging Face folder.", remedy=f"Name it so: hf:{reference}")
    # Plug-ins are looked at last, for it takes longer to import them than to score a sentence.
    plugins = {} if trained else _registered()
    if folder.is_dir() and reference not in plugins:
        name = reference if reference in stored else folder.name
        return _made(_trained(folder), reference, {"name": name, **options}, folder)
    if reference in plugins:
        return _made(plugins[reference], reference, options)
    raise unknown_name(
        "language model",
        reference,
        [*stored, *plugins],
        remedy=f"Train one with: {_training(reference)}; or bring one: {_ways()}.",
    )


def _training(reference: str) -> str:
    """Return the command that trains a model of this name, or one like it."""
    kind, _, rest = reference.partition("-")
    size = rest.partition("-")[0]
    known = kind in {"ngram", "lstm", "transformer", "masked", "rnng", "plm"} and size
    return f"hengliang lm train {kind} --size {size}" if known else "hengliang lm train lstm"


def names_model(reference: str) -> bool:
    """Say whether the reference is that of a model on disk: stored, in a folder, or brought by a user."""
    prefix, colon, _ = reference.partition(":")
    stored = {entry.name for entry in stored_models()}
    return bool(colon and prefix in PREFIXES) or reference in stored or is_trained(Path(reference))


def _ways() -> str:
    return ", ".join(f"{prefix}:PATH ({what})" for prefix, what in PREFIXES.items())


def _registered() -> dict[str, type[LanguageModel]]:
    return {entry.name: entry.kind for entry in entries("language model")}


def _brought(prefix: str, path: str) -> Callable[..., LanguageModel]:
    if not path:
        raise UserError(f"'{prefix}:' names no file.", valid=f"Ways to bring a model: {_ways()}.")
    if prefix == "arpa":
        from hengliang.language_models.ngram.model import ArpaModel

        return ArpaModel
    if prefix == "kenlm":
        from hengliang.language_models.ngram.kenlm import KenlmModel

        return KenlmModel
    return _hugging_face(masked=_is_masked(Path(path)))


def _is_masked(path: Path) -> bool:
    """Say whether the configuration of a folder names a masked model; whatever is wrong with it shows on loading."""
    file = path / "config.json"
    config = read_json(file) if file.is_file() else {}
    names = config.get("architectures") or [] if isinstance(config, dict) else []
    return any(str(name).endswith(("MaskedLM", "ForPreTraining")) for name in names)


def _hugging_face(*, masked: bool) -> Callable[..., LanguageModel]:
    if masked:
        from hengliang.language_models.huggingface.masked import HuggingFaceMasked

        return HuggingFaceMasked
    from hengliang.language_models.huggingface.causal import HuggingFaceCausal

    return HuggingFaceCausal


def _trained(folder: Path) -> Callable[..., LanguageModel]:
    card = read_card(folder)
    open_words = _of_kind(folder, card.get("kind"))
    return partial(_coarse, open_words, card) if card.get("preprocess") else open_words


def _coarse(
    kind: Callable[..., LanguageModel], card: Mapping[str, Any], folder: Path, name: str = "", fold: bool = True
) -> LanguageModel:
    from hengliang.language_models.preprocessing.model import CoarseModel, read_learned

    words_model = kind(folder, name=name, fold=fold)
    return CoarseModel(words_model, card["preprocess"], read_learned(folder), card.get("view", ""))


def _of_kind(folder: Path, kind: object) -> Callable[..., LanguageModel]:
    if kind == "ngram":
        from hengliang.language_models.ngram.model import NgramModel

        return NgramModel
    if kind in {"lstm", "transformer"}:
        from hengliang.language_models.neural.model import NeuralModel

        return NeuralModel
    if kind == "masked":
        from hengliang.language_models.huggingface.masked import HuggingFaceMasked
        from hengliang.language_models.neural.masked_training import UNIT_COUNTS

        manner, counts = manner_of(folder), folder / UNIT_COUNTS
        return partial(HuggingFaceMasked, unigrams=counts, segmenter=manner.segmenter, widths=manner.widths)
    if kind in {"rnng", "plm"}:
        from hengliang.language_models.structured.model import StructuredModel

        return StructuredModel
    raise UserError(
        f"The model in {folder} is of the kind '{kind}', which this version does not know.",
        valid="Kinds: ngram, lstm, transformer, masked, rnng, plm.",
    )


def _made(kind: Callable[..., LanguageModel], reference: str, options: Mapping[str, Any], *path: Path) -> LanguageModel:
    valid = inspect.signature(kind).parameters
    wrong = [name for name in options if name not in valid]
    if wrong:
        raise UserError(
            f"The language model '{reference}' has no option '{wrong[0]}'.", valid=f"Options: {', '.join(valid)}."
        )
    return kind(*path, **options)


# --- surprisal of the words of one sentence ---------------------------------------------------------------------------
# Scores one sentence with several models and lines up what they say.
#
# Rows are the words of the sentence, the same for all models, so that the models can be compared by eye. A unit of a
# model that crosses the edge between two words is given to neither: one model alone is then shown unit by unit, and of
# several models the words that a unit holds together are shown together.

Division = Literal["words", "units", "joined words"]


@dataclass(frozen=True, slots=True)
class ModelSurprisals:
    """What one model says of a sentence, in nats: one number per row (NaN: none), the end, the total.

    `unknown` marks the rows in which a unit is outside the vocabulary. `end` is NaN where the model does not score the
    end of a sentence. `problem` says why there are no numbers at all. `folded` counts the characters that the model
    looked up in another width than they are written in.
    """

    name: str
    model: LanguageModel
    segmenter: str
    conventions: Conventions
    surprisals: tuple[float, ...]
    unknown: tuple[bool, ...]
    end: float
    total: float
    perplexity: Perplexity
    problem: str
    folded: int

    @property
    def signature(self) -> str:
        """What can change these numbers; to find it takes longer than to score a sentence."""
        return str(self.model.signature().and_(**segmented_by(self.segmenter, "words")))


@dataclass(frozen=True, slots=True)
class SentenceSurprisals:
    """One sentence in rows, and what each model says of them. `crossing` names the models whose units cross words.

    `cut_by` is the segmenter that found the words, empty where the sentence came with them.
    """

    content: str
    rows: tuple[str, ...]
    spans: tuple[ByteSpan, ...]
    division: Division
    crossing: tuple[str, ...]
    models: tuple[ModelSurprisals, ...]
    cut_by: str


def sentence_surprisals(models: Mapping[str, LanguageModel], sentence: str, segmenter: str = "") -> SentenceSurprisals:
    """Score a sentence with every model, each under the name that the user has for it.

    White space in the sentence means that its words stand apart; else they are found by `segmenter`, or where none is
    asked for by that of the first model that names one, or by rjieba. All models get the same words.
    """
    if not sentence.strip():
        raise UserError("The sentence is empty.", valid="A sentence, its words apart or not: '他 来 了 。'")
    segmenter = segmenter or segmenter_of_models(list(models.values()))
    as_typed = read_texts([sentence], segmenter)
    texts = as_typed.with_words(segmenter)
    scores = {name: scores_of_texts(model, texts) for name, model in models.items()}
    words = word_regions(texts)
    crossing = tuple(
        name for name, model_scores in scores.items() if CROSSED in region_scores(model_scores, words).problems
    )
    spans, division = _rows(texts, scores, crossing)
    return SentenceSurprisals(
        texts.contents[0],
        tuple(piece.strip() for piece in slices(texts.contents[0], spans)),
        spans,
        division,
        crossing,
        tuple(_model_surprisals(name, models[name], scores[name], texts, spans, segmenter) for name in models),
        "" if as_typed.segmented.all() else segmenter,
    )


def segmenter_of_models(models: Sequence[LanguageModel]) -> str:
    """Return who finds words for several models alike: the segmenter of the first that names one, or the usual one."""
    return next(filter(None, (model.conventions().segmenter for model in models)), USUAL_SEGMENTER)


def _rows(
    texts: Texts, scores: Mapping[str, Scores], crossing: tuple[str, ...]
) -> tuple[tuple[ByteSpan, ...], Division]:
    words = list(zip(texts.starts.tolist(), texts.ends.tolist(), strict=True))
    if not crossing:
        return tuple(words), "words"
    # Units of bytes may end within a character, which is shown whole.
    edges = {0, *byte_offsets(texts.contents[0]).tolist()}
    for name in crossing:
        edges &= {0, *scores[name].ends.tolist()}
    if len(scores) > 1:
        edges &= {0, *(end for _, end in words)}
    return tuple(pairwise(sorted(edges))), "joined words" if len(scores) > 1 else "units"


def _model_surprisals(
    name: str, model: LanguageModel, scores: Scores, texts: Texts, spans: tuple[ByteSpan, ...], segmenter: str
) -> ModelSurprisals:
    starts, ends = np.array(spans, np.int64).reshape(-1, 2).T
    regions = Regions(np.zeros(len(spans), np.int64), starts, ends)
    unknown = list(zip(scores.starts[scores.unknown].tolist(), scores.ends[scores.unknown].tolist(), strict=True))
    closing = scores.logprobs[scores.starts == scores.ends]
    return ModelSurprisals(
        name,
        model,
        segmenter,
        model.conventions(),
        tuple(region_scores(scores, regions).surprisals.tolist()),
        tuple(any(start <= first and last <= end for first, last in unknown) for start, end in spans),
        float(-closing.sum() + 0.0) if len(closing) else float("nan"),
        float(-sentence_logprobs(scores)[0] + 0.0),
        perplexity(scores, texts),
        scores.problems[0],
        int(folded_counts(texts.contents, model.conventions().widths).sum()),
    )
