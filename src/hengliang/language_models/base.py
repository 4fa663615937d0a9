"""Interface of language models: the base class, its conventions, and next-unit probabilities.

A language model answers one question: how probable is each unit of these texts? Sentence log-probability, perplexity
and the surprisal of any region follow from that, for every model alike. A model that can also say what comes next
(`next_units`) can be sampled from, and more of its promises can be tested.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import polars as pl

from hengliang.core.base_classes import System, answer_schema
from hengliang.core.closure import outside_signatures
from hengliang.core.conformance import Finding, examine, general_promises
from hengliang.core.errors import UserError
from hengliang.core.labelling.texts import Texts, texts_of_items
from hengliang.core.records import ResponseKind
from hengliang.core.signature import Signature, constructor_signature
from hengliang.core.text.segmenters import segmenter_code, segmenter_identity
from hengliang.language_models.scores import Numbers, Scores

Scoring = Literal["causal", "masked", "beam"]
"""How a unit is scored: given what stands before it; given both sides; before it, by a beam of analyses."""

Unit = Literal["word", "character", "subword", "byte"]

END = "</s>"
"""How the end of a sentence is written among the next units and in ARPA files."""


@dataclass(frozen=True, slots=True)
class Conventions:
    """Everything about a model's log-probabilities that a reader must know to compare them.

    `bos` and `eos` say whether a sentence is scored after a begin symbol and with its end as a unit. `unknown` says
    what happens to a unit outside the vocabulary, `unigrams` where the unigram log-probabilities come from ("none":
    they are not known), `context` how much of the text before a unit it sees. `segmenter` finds the words of raw text;
    it is empty where the model needs no words. `representation` names the preprocessing through which the model sees
    a text (`hengliang.language_models.preprocessing`); it is empty where the model sees the text itself. `widths` are
    those into which words are folded before they are looked up (`digits=full`); it is empty where none is.
    """

    scoring: Scoring
    unit: Unit
    bos: bool
    eos: bool
    unknown: str
    unigrams: str
    context: str
    segmenter: str = ""
    representation: str = ""
    widths: str = ""

    def signature(self) -> Signature:
        """Return the conventions as part of a signature, with the base of the logarithm."""
        signature = Signature.of(
            scoring=self.scoring,
            unit=self.unit,
            bos=self.bos,
            eos=self.eos,
            unknown=self.unknown,
            unigrams=self.unigrams,
            context=self.context,
            segmenter=segmenter_identity(self.segmenter) or "none",
            log="natural",
        )
        code = segmenter_code(self.segmenter)
        more = {"representation": self.representation, "widths": self.widths, "segmenter_code": code}
        return signature.and_(**{name: value for name, value in more.items() if value})


@dataclass(frozen=True, slots=True, eq=False)
class NextUnits:
    """What may come next: the units (the end of a sentence is `END`), and log-probabilities, one row per prefix.

    A row of NaN belongs to a prefix that the model cannot score, as one that is too long for it.
    """

    units: Sequence[str]
    logprobs: Numbers


class LanguageModel(System):
    """A system that scores texts: derive from it, write `conventions` and `score`, and everything else follows."""

    role: ClassVar[str] = "language model"
    kind: ClassVar[ResponseKind] = "units"
    # So that a new prediction, gloss or block of a sentence does not ask for its scores again.
    looks_at: ClassVar[tuple[str, ...] | None] = ()

    @abstractmethod
    def conventions(self) -> Conventions:
        """Return how the log-probabilities are to be read."""

    @abstractmethod
    def score(self, texts: Texts) -> Scores:
        """Return the units of each text, in the order of the texts, with their natural-log probabilities.

        The units of a text follow each other and cover its content; the end of the sentence, if it is scored, is a
        last unit of no width. A text that cannot be scored has a problem and no units.
        """

    def next_units(self, prefixes: Texts) -> NextUnits:
        """Return the distribution of the unit that comes after each prefix, its end included; optional."""
        raise UserError(
            f"The language model '{self.name}' does not say which unit comes next.",
            valid="A model that does overrides next_units(prefixes).",
        )

    @property
    def foretells(self) -> bool:
        """Whether the model says which unit comes next."""
        return type(self).next_units is not LanguageModel.next_units

    def signature(self) -> Signature:
        """Return all that can change a score: class, code, the constructor's arguments and the conventions."""
        return constructor_signature(self).and_(conventions=self.conventions().signature())

    def answer(self, items: pl.DataFrame) -> pl.DataFrame:
        """Return the scored units of each item's content; spans called `word` are its words."""
        scores = self.score(texts_of_items(items))
        if len(scores) != items.height:
            raise UserError(
                f"The language model '{self.name}' returned the scores of {len(scores)} texts for {items.height}.",
                remedy=f"Return the units of every text, in order, then try: hengliang check {self.name}",
            )
        reasons = pl.Series("reason", scores.problems, dtype=pl.String)
        answers = pl.DataFrame({"item": items["id"], "content": scores.content(), "reason": reasons})
        status = pl.when(pl.col("reason") == "").then(pl.lit("ok")).otherwise(pl.lit("failed"))
        return answers.with_columns(status=status).select(list(answer_schema("units")))

    @outside_signatures("a conformance kit tries promises and makes no number")
    def conformance(self) -> Iterator[Finding]:
        """Test the promises of a language model on itself."""
        from hengliang.language_models.conformance import language_model_promises

        return examine([*general_promises(self), *language_model_promises(self)])
