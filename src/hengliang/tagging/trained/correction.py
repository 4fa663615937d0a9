"""Targeted retraining of a tagger: how much it gains from sentences and rules chosen by its diagnosis (mending).

The loop of diagnosis [1, section 5]: a tagger learns from a share of the training part (base). It is put to the
sentences of the test set that come from the dev part; of the error pairs where it does worst, the words it misses are
looked up in the rest of the training part, and the tagger learns again with these sentences added (targeted). Beside it
stand sentences with as many words drawn blindly (random), all that is left (everything), and rules learned from the
same targeted sentences without new training (rules). What is gained is measured on sentences of the test part, which
nobody has looked at. No sentence of the dev and test parts, and none near a sentence of the test set, is learned from.

[1] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
    Information Processing, 34(9), 9–18.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.labelling.spans import LabelledSpans
from hengliang.core.labelling.taggers import Tagger
from hengliang.core.learning import is_trained
from hengliang.core.progress import Silent, Watcher
from hengliang.core.records import Attribute
from hengliang.core.registry import register
from hengliang.core.signature import Signature, constructor_signature, digest, number_of
from hengliang.core.terms import Bilingual
from hengliang.core.text.characters import utf8
from hengliang.corpora import catalogue as sources
from hengliang.materials.portions import portion
from hengliang.tagging.sentences import TaggedSentences, gold_spans, tagged_sentences
from hengliang.tagging.test_sets.items import DEFAULT_SET, TaggingItems, tagging_items
from hengliang.tagging.test_sets.selection import PER_WORD, near_duplicate_groups, targeted_sentences
from hengliang.tagging.test_sets.test_set import TaggingSet
from hengliang.tagging.trained.model import FOLDS, VERSION, crfsuite_library, sentence_digests, widened
from hengliang.tagging.trained.rules import CorrectedTagger, Rule, learn_rules
from hengliang.tagging.trained.tagger import CrfTagger
from hengliang.tagging.trained.training import TaggerSettings, train_tagger

Mending = Literal["base", "targeted", "random", "everything", "rules"]
MENDINGS: tuple[Mending, ...] = get_args(Mending)

DIAGNOSED, MEASURED = "dev", "test"
"""The part of the corpus whose sentences say what is missed, and the one whose sentences say what was gained."""

TITLES: Mapping[str, Bilingual] = {
    "base": Bilingual("before mending", "改进前"),
    "targeted": Bilingual("with targeted sentences", "加入针对性句子"),
    "random": Bilingual("with random sentences of as many words", "加入词数相当的随机句子"),
    "everything": Bilingual("with all sentences", "加入全部句子"),
    "rules": Bilingual("with learned rules", "加入习得的规则"),
}


@dataclass(frozen=True, slots=True)
class MendingPlan:
    """All that decides which sentences are learned from.

    The base learns from the `share` of the training part of the `corpus`. Of the error pairs with at least `least`
    sentences of dev in the `tagging_set`, the `worst` are mended, by up to `per_word` sentences of either kind for each
    word that is missed. `seed` draws the share, the sentences and their order in training.
    """

    tagging_set: str | Path | TaggingSet = DEFAULT_SET
    corpus: str | Path = sources.DEFAULT_CORPUS
    share: float = 0.25
    worst: int = 20
    least: int = 5
    per_word: int = PER_WORD
    seed: int = 1

    @property
    def asked(self) -> TaggingItems:
        """The test set, dev and test sentences alike."""
        return tagging_items(self.tagging_set, [self.corpus])

    @property
    def training(self) -> TaggedSentences:
        """The training part of the corpus."""
        return tagged_sentences(self.corpus, ("train",))

    def signature(self) -> Signature:
        """Return the settings, the content of the test set and the corpus, and what chooses and learns."""
        return Signature.of(
            set=self.asked.signature(),
            data=self.training.signature(),
            features=VERSION,
            crfsuite=_crfsuite_version(),
            **{name: getattr(self, name) for name in ("share", "worst", "least", "per_word", "seed")},
        )


USUAL_PLAN = MendingPlan()


@register("mended")
class MendedTagger(Tagger):
    """Our own tagger before mending, or after it in one of several ways; it is trained when it is first asked."""

    tag_map = "pku"

    def __init__(self, how: Mending = "base", plan: MendingPlan = USUAL_PLAN, name: str = "") -> None:
        self.how = how
        self.plan = plan
        self.name = name or f"mended:{how}"
        self.title = TITLES.get(how, Bilingual(how, how))
        self.seed = plan.seed

    def prepare(self, watcher: Watcher) -> None:
        """Train what is needed, or find it in the store."""
        if "_made" not in self.__dict__:
            self.__dict__["_made"] = made_tagger(self.how, self.plan, watcher)

    @cached_property
    def _made(self) -> Tagger:
        return made_tagger(self.how, self.plan, Silent())

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the trained tagger over, which reads its model from the store; where that lacks it, it is made anew."""
        made = state.get("_made")
        inner = made.tagger if isinstance(made, CorrectedTagger) else made
        if isinstance(inner, CrfTagger) and not is_trained(inner.folder):
            state = {name: value for name, value in state.items() if name != "_made"}
        self.__dict__.update(state)

    def tag(self, sentences: Sequence[str]) -> LabelledSpans:
        """Return the words of each sentence with their tags."""
        return self._made.tag(sentences)

    def signature(self) -> Signature:
        """Return the way of mending and the plan, with the code of the tagger and of what it learns from."""
        return constructor_signature(self)

    def traits(self) -> Mapping[str, Attribute]:
        """Return how it is mended, the tags that it can give, and once it is trained, from how many words.

        When it is mended, any tag of the training part may be one of them.
        """
        tags = _tags(self.plan, str(self.plan.signature()), self.how == "base")
        known: dict[str, Attribute] = {"mending": self.how, "tags": tags}
        made = self.__dict__.get("_made")
        inner = made.tagger if isinstance(made, CorrectedTagger) else made
        return known if inner is None else {**known, "training_words": inner.traits()["training_words"]}


def made_tagger(how: Mending, plan: MendingPlan, watcher: Watcher) -> Tagger:
    """Return the tagger of this kind of mending, trained now or found in the store."""
    if how not in MENDINGS:
        raise unknown_name("way of mending", how, MENDINGS)
    if how == "rules":
        rules = learned_rules(plan, watcher)
        return CorrectedTagger(_trained("base", plan, watcher), rules)
    return _trained(how, plan, watcher)


# --- what is learned from -------------------------------------------------------------------------------------------


def split_training(plan: MendingPlan) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the sentences that the base learns from, those of whole blocks, and the pool of the others."""
    return _split(plan, str(plan.signature()))


# The signatures are arguments so that a file that has changed is read again.


@lru_cache(maxsize=4)
def _split(plan: MendingPlan, signature: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    whole = plan.training.items()
    mine = pl.col("id").is_in(portion(plan.training, plan.share, plan.seed).items()["id"].to_list())
    allowed = pl.Series(_apart(whole["content"].to_list(), plan), dtype=pl.Boolean)
    base, pool = whole.filter(mine & allowed), whole.filter(~mine & allowed)
    if not base.height or not pool.height:
        raise UserError(
            f"With a share of {plan.share} nothing is left to {'mend' if base.height else 'learn'} from.",
            valid="A share above 0 and below 1, for example 0.25; whole blocks of about fifty paragraphs are drawn.",
        )
    return base, pool


def _apart(contents: Sequence[str], plan: MendingPlan) -> list[bool]:
    """Say of each sentence whether it may be learned from: it is none of dev and test, and near none that is asked."""
    held_out = tagged_sentences(plan.corpus, ("dev", "test")).items()["content"].to_list()
    same = np.isin(sentence_digests(contents), sentence_digests(held_out))
    asked = [widened(text) for text in dict.fromkeys(plan.asked.items()["content"].to_list())]
    groups = near_duplicate_groups([*asked, *map(widened, contents)])[len(asked) :]
    allowed: list[bool] = (~same & (groups >= len(asked))).tolist()
    return allowed


def added_sentences(how: Mending, plan: MendingPlan, watcher: Watcher) -> pl.DataFrame:
    """Return the sentences of the pool from which the tagger learns besides, in their order."""
    _, pool = split_training(plan)
    if how == "everything":
        return pool
    if how in {"base", "rules"}:
        return pool.clear()
    chosen = targeted_places(plan, watcher)["item"].unique().to_list()
    targeted = pool.filter(pl.col("id").is_in(chosen))
    return _drawn(pool, int(targeted["words"].sum()), plan.seed) if how == "random" else targeted


def _drawn(pool: pl.DataFrame, words: int, seed: int) -> pl.DataFrame:
    """Return sentences that together have this number of words, or a few more, drawn blindly.

    It is words that must be as many: sentences in which a given word stands are longer than others.
    """
    numbers = pl.Series([number_of(f"{seed} {name}") for name in pool["id"].to_list()], dtype=pl.UInt64)
    order = pool.select("id", "words").with_columns(number=numbers).sort("number")
    before = order["words"].cum_sum() - order["words"]
    return pool.filter(pl.col("id").is_in(order.filter(before < words)["id"].to_list()))


def _trained(how: Mending, plan: MendingPlan, watcher: Watcher) -> CrfTagger:
    """Train a tagger, or find it: it is named by all that it learns from and with."""
    base, _ = split_training(plan)
    added = added_sentences(how, plan, watcher)
    means = (VERSION, FOLDS, TaggerSettings(), _crfsuite_version(), plan.seed)
    name = f"tagger-crf-{how}-{digest(*map(str, means), *base['gold'].to_list(), *added['gold'].to_list())[:12]}"
    facts = {
        "data": str(plan.training.signature()),
        "licence": plan.training.licence,
        "mending": how,
        "added": added.height,
    }
    train_tagger(base, name, seed=plan.seed, added=added, facts=facts, watcher=watcher)
    return CrfTagger(name)


def _crfsuite_version() -> str:
    crfsuite_library()
    return metadata.version("python-crfsuite")


@lru_cache(maxsize=8)
def _tags(plan: MendingPlan, signature: str, only_base: bool) -> str:
    base, pool = split_training(plan)
    golds = base["gold"] if only_base else pl.concat([base["gold"], pool["gold"]])
    return " ".join(golds.str.split(" ").explode().str.extract(r"/([^/]*)$").drop_nulls().unique().sort().to_list())


# --- what is missed -------------------------------------------------------------------------------------------------


def targeted_places(plan: MendingPlan, watcher: Watcher) -> pl.DataFrame:
    """Return the places in the pool that teach what the base tagger misses in the dev part of the test set."""
    _diagnosed(plan)  # a set without such sentences is said before an hour of training
    return _places(plan, str(plan.signature()), _trained("base", plan, watcher).model)


@lru_cache(maxsize=4)
def _places(plan: MendingPlan, signature: str, model: str) -> pl.DataFrame:
    asked = _diagnosed(plan)
    right = right_targets(asked, CrfTagger(model).tag(asked["content"].to_list()))
    missed = worst_words(asked, right, plan.worst, plan.least)
    _, pool = split_training(plan)
    places = targeted_sentences(missed, pool, per_word=plan.per_word, seed=plan.seed)
    if not places.height:
        words = ", ".join(missed["word"].unique().sort().to_list()[:5])
        raise UserError(
            f"No sentence that could be added has one of the missed words with the right tags: {words}.",
            remedy="Mend more error pairs (worst), leave more to mend from (share), or take a larger corpus.",
        )
    return places


def _diagnosed(plan: MendingPlan) -> pl.DataFrame:
    items = plan.asked.items()
    asked = items.filter(pl.col("corpus_part") == DIAGNOSED)
    if not asked.height:
        parts = ", ".join(items["corpus_part"].drop_nulls().unique().sort().to_list())
        raise UserError(
            f"The test set has no sentence of the {DIAGNOSED} part, from which one sees what the tagger misses.",
            valid=f"Parts of its sentences: {parts or 'none is known'}.",
            remedy="Build a set from the dev and the test part of a corpus: see hengliang taggers build --help",
        )
    return asked


def right_targets(items: pl.DataFrame, found: LabelledSpans) -> list[bool]:
    """Say of each item whether the tagger cut and tagged its target exactly as the annotators did."""
    right = []
    for row, (content, spans, gold) in enumerate(items.select("content", "spans", "gold").iter_rows()):
        text, start, end = utf8(content), spans[0]["start"], spans[0]["end"]
        # A space before a word belongs to it, whether the target begins with the space or behind it.
        start += text.startswith(b" ", start)
        wanted = [(start + first, start + last, tag) for first, last, tag in gold_spans(gold)]
        inside = [word for word in found.of(row) if word[1] > start and word[0] < end]
        answered = [(first + text.startswith(b" ", first), last, tag) for first, last, tag in inside[:1]] + inside[1:]
        right.append(answered == wanted)
    return right


def worst_words(items: pl.DataFrame, right: Sequence[bool], worst: int, least: int) -> pl.DataFrame:
    """Return the words that are missed, of the `worst` pairs with at least `least` sentences: pair, word."""
    if worst < 1 or least < 1:
        raise UserError(f"The {worst} worst error pairs with {least} sentences are asked for.", valid="One or more.")
    rows = items.select("pair", "word").with_columns(right=pl.Series(list(right), dtype=pl.Boolean))
    scores = rows.group_by("pair").agg(score=pl.col("right").mean(), n=pl.len())
    # A pair without a single right answer may be out of reach; the training part says whether it can be learned.
    chosen = scores.filter((pl.col("n") >= least) & (pl.col("score") < 1)).sort("score", "pair").head(worst)
    if not chosen.height:
        raise UserError(
            f"The tagger misses nothing in the error pairs with {least} or more sentences of the {DIAGNOSED} part.",
            remedy="Begin with less (share), or ask for error pairs with fewer sentences (least).",
        )
    missed = rows.filter(~pl.col("right")).join(chosen, on="pair", how="semi")
    return missed.select("pair", "word").unique().sort("pair", "word")


def learned_rules(plan: MendingPlan, watcher: Watcher) -> tuple[Rule, ...]:
    """Return rules that put right what the base tagger gets wrong in the targeted sentences, for the missed words."""
    words = targeted_places(plan, watcher)["word"].unique().to_list()
    sentences = added_sentences("targeted", plan, watcher)
    return learn_rules(sentences, _trained("base", plan, watcher).answer(sentences), words=words)
