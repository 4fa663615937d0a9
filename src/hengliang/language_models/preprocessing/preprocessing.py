"""Preprocessing steps: standard preprocessing (lowercase, <unk>), RNE, tags and word classes, in a fixed order.

A preprocessing is named by its steps: `sp`, `rne:lac`, `sp+rne:spacy`, `pos:lac`, `sp+classes:100`. `sp` is the
standard preprocessing of Lau, Clark and Lappin [1] as used in [2]: lowercase; in training, sentences of fewer than
seven words are left out; words seen fewer than four times become <unk>. The others replace words by symbols: entities
by their types (`rne:RECOGNISER`), all words by their tags (`pos:TAGGER`) or by learned classes (`classes:N`).

Whatever the order in which the steps are named, symbols come first, in the text as it was written; then lowercase; then
unknown words. Length is counted in words of the original, so that models with and without symbols learn from the same
sentences.

[1] Lau, J. H., Clark, A., Lappin, S. (2017). Grammaticality, acceptability, and probability: A probabilistic view of
    linguistic knowledge. Cognitive Science 41.
[2] Daultani, V., Okazaki, N. (2022). Improving automatic evaluation of acceptability based on language models with a
    coarse sentence representation. PACLIC 36.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.labelling.texts import Texts, read_texts
from hengliang.core.signature import Signature, digest
from hengliang.language_models.preprocessing.entities import ReplacedEntities
from hengliang.language_models.preprocessing.representation import Coarse, Representation, symbols, without_reserved
from hengliang.language_models.vocabulary import SEEN_AT_LEAST, Unknown

STANDARD = "sp"
COARSE = ("rne", "pos", "classes")
SHORTEST = 7
STANDARD_LEAST = 4
# Sentences of our own in which a recogniser or tagger finds something to do.
_PROBES = (
    "１９９８年 ３月 ， 王 小明 第一 次 从 上海 坐 火车 去 北京大学 报到 。",
    "这家 公司 去年 的 收入 增长 了 百分之十五 ， 达到 ３０ 亿元 。",
    "长江 边上 的 小 镇 里 ， 三十多 岁 的 李 老师 教 了 两百 名 学生 。",
    "他 不 知道 《 夏天 的 河 》 是 谁 写 的 ， 只 觉得 很 好听 。",
    "In May 1998 Anna Brown flew from Paris to New York for the first time .",
    "The Bank of Norway lent the small firm $ 5 million , or 12 percent of what it had asked for .",
)
_VALID = "sp, rne:RECOGNISER, pos:TAGGER, classes:N; sp and one of the others joined by +"


@dataclass(frozen=True, slots=True)
class Preprocessing:
    """The steps that a name stands for. `shortest` is for training only; `least` and `unknown` make the vocabulary."""

    lowercase: bool = False
    shortest: int = 1
    least: int = SEEN_AT_LEAST
    unknown: Unknown = "classes"
    coarse: str = ""
    """`rne:lac`, `pos:lac`, `classes:100`, or nothing."""

    @property
    def name(self) -> str:
        """The name, its steps in the usual order."""
        return "+".join(step for step in (STANDARD if self.lowercase else "", self.coarse) if step)


def preprocessing(name: str) -> Preprocessing:
    """Return the preprocessing of this name; the empty name does nothing."""
    steps = [step.strip() for step in name.split("+")] if name.strip() else []
    standard = [step for step in steps if step == STANDARD]
    coarse = [step for step in steps if step != STANDARD]
    for step in coarse:
        kind, _, argument = step.partition(":")
        if kind not in COARSE or not argument:
            raise UserError(f"'{step}' is no step of a preprocessing.", valid=f"Steps: {_VALID}.")
        if kind == "classes" and not (argument.isdecimal() and int(argument) > 1):
            raise UserError(f"'{argument}' is no number of word classes.", valid="A whole number from 2: classes:100.")
    if len(standard) > 1 or len(coarse) > 1:
        raise UserError(f"'{name}' names too many steps.", valid=f"Steps: {_VALID}.")
    coarse_only = Preprocessing(coarse=coarse[0] if coarse else "")
    if not standard:
        return coarse_only
    return replace(coarse_only, lowercase=True, shortest=SHORTEST, least=STANDARD_LEAST, unknown="symbol")


def representation(coarse: str, learned: Mapping[str, Any] | None = None) -> Representation | None:
    """Return the representation of a coarse step, with what it learned in training; nothing for no step."""
    kind, _, argument = coarse.partition(":")
    if kind == "rne":
        from hengliang.core.labelling.recognisers import recogniser

        return ReplacedEntities(recogniser(argument))
    if kind == "pos":
        from hengliang.core.labelling.taggers import tagger
        from hengliang.language_models.preprocessing.representation import ReplacedTags

        return ReplacedTags(tagger(argument))
    if kind == "classes":
        from hengliang.language_models.preprocessing.word_classes import WordClasses

        return WordClasses(int(argument), learned or {})
    return None


@dataclass(frozen=True)
class Preprocessor:
    """A preprocessing ready to work: what a model sees of texts, in training and afterwards alike."""

    steps: Preprocessing
    form: Representation | None

    def see(self, texts: Texts) -> Coarse:
        """Return what a model sees of texts, which must carry words."""
        if self.form is None:
            count = pl.Series("words", np.diff(texts.offsets))
            seen = Coarse(without_reserved(texts), ("",) * len(texts), count)
        else:
            seen = self.form.coarsen(texts)
        return replace(seen, texts=lowercased(seen.texts)) if self.steps.lowercase else seen

    def long_enough(self, texts: Texts) -> Texts:
        """Return the texts of a corpus that are long enough to learn from."""
        kept = np.flatnonzero(np.diff(texts.offsets) >= self.steps.shortest)
        return texts if len(kept) == len(texts) else texts.take(kept)

    def fingerprint(self) -> str:
        """Return a hash of what is seen of some sentences: another one means that texts are seen differently now.

        Unlike the signature it does not change with a comment in the code or with a version that finds the same.
        """
        seen = self.see(read_texts(_PROBES).with_words("characters"))
        spans = np.column_stack([seen.texts.starts, seen.texts.ends])
        return digest(*seen.texts.words.to_list(), str(spans.tolist()), *seen.problems)

    def signature(self) -> Signature:
        """Return all that can change what a model sees."""
        signature = Signature.of(lowercase=self.steps.lowercase)
        return signature if self.form is None else signature.and_(form=self.form.signature())


def lowercased(texts: Texts) -> Texts:
    """Return the texts with their words in lower case, and symbols as they are."""
    word, looks = texts.words, symbols(texts.words)
    if looks is None:
        return replace(texts, words=word.str.to_lowercase())
    kept = pl.select(pl.when(looks).then(word).otherwise(word.str.to_lowercase()).alias("word"))
    return replace(texts, words=kept["word"])
