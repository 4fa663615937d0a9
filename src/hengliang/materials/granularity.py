"""Is this error more than a question of how finely words are cut?

Two principles say so [1], and they are not the same in both directions:

- **Flexibility.** A tagger that cuts finer than the corpus is wrong only when its pieces are not within the bounds of a
  word (`unit_bounds`).
- **Consistency.** A tagger that cuts coarser is wrong when the words it joins are no such unit, and also when its word
  is not of the class of their head (`construction_heads`).

Words cut across each other are an error, unless the tags are the same on both sides. One word for one word is no
question of cutting at all. An error pair is judged by most of the distinct words with which it occurs; the result is a
suggestion, a person decides.

The rules speak of the tags of the People's Daily. Those of Universal Dependencies and of the Penn Chinese Treebank are
read as these (`tag_maps`); of tags of any other kind the rules know nothing, and what they suggest means little.

[1] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
    Information Processing, 34(9), 9–18, section 2.1.5.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual
from hengliang.materials.construction_heads import agrees, head_class
from hengliang.materials.error_pairs import ErrorPair
from hengliang.materials.tag_maps.reading import tag_map
from hengliang.materials.tag_maps.tagsets import TAG_SETS
from hengliang.materials.tagged_sentences import read_gold
from hengliang.materials.unit_bounds import within_bounds

Decision = Literal["keep", "drop"]
"""Whether an error pair becomes an item of the test set."""

DECISIONS: tuple[Decision, ...] = get_args(Decision)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What the principles say of an error pair, why, and of how many of its distinct words they say so."""

    decision: Decision
    reason: Bilingual
    agreeing: int
    words: int


def word_decision(gold: str, predicted: str) -> Decision:
    """Say of one instance, given as words with tags (`就/p 此/r` and `就此/d`), whether it is more than another cut."""
    gold_words, gold_tags = read_gold(gold)
    predicted_words, predicted_tags = read_gold(predicted)
    if len(gold_tags) == len(predicted_tags) == 1:
        return "keep"
    if gold_tags == predicted_tags:
        return "drop"
    gold_tags, predicted_tags = _known_tags(gold_tags, gold_words), _known_tags(predicted_tags, predicted_words)
    if len(gold_tags) == 1:
        only_cut = within_bounds(predicted_words, predicted_tags, gold_tags[0], joined=False)
    elif len(predicted_tags) == 1:
        joinable = within_bounds(gold_words, gold_tags, predicted_tags[0], joined=True)
        only_cut = joinable and agrees(gold_tags, predicted_tags[0], gold_words)
    else:
        only_cut = False
    return "drop" if only_cut else "keep"


def _known_tags(tags: Sequence[str], words: Sequence[str]) -> tuple[str, ...]:
    """Return tags as the rules know them: for universal tags and those of the treebank the ones of the corpus."""
    return tuple(map(_known_tag, tags, words))


@lru_cache(maxsize=65536)
def _known_tag(tag: str, word: str) -> str:
    # The three tag sets have no tag in common.
    origin = next((name for name in ("ud", "ctb") if tag in TAG_SETS[name]), None)
    return tag_map(origin).one(tag, word) if origin else tag


def suggestion(pair: ErrorPair, cases: Iterable[tuple[str, str]]) -> Suggestion:
    """Return what most distinct instances of a pair say; `cases` are `(gold, predicted)`, words with their tags.

    Where as many say the one as the other, the pair is kept: a person sees it.
    """
    distinct = sorted(set(cases))
    if not distinct:
        raise UserError(f"No word was given for {pair}.", valid="A pair is judged by the words with which it occurs.")
    decisions = [word_decision(gold, predicted) for gold, predicted in distinct]
    decision: Decision = "drop" if 2 * decisions.count("drop") > len(distinct) else "keep"
    agreeing = decisions.count(decision)
    example = distinct[decisions.index(decision)]
    return Suggestion(decision, _reason(pair, decision, example, agreeing, len(distinct)), agreeing, len(distinct))


def _reason(pair: ErrorPair, decision: Decision, example: tuple[str, str], agreeing: int, words: int) -> Bilingual:
    if pair.direction == "same":
        return Bilingual("one word for one word: the tag is wrong", "一词对一词，词性标错")
    if pair.gold == pair.predicted:
        return Bilingual("the same tags, only cut elsewhere", "词性相同，只是切分位置不同")
    if pair.direction == "crossing":
        return Bilingual("the words are cut across each other", "两种切分交叉")
    share = Bilingual(
        f" ({agreeing} of {words} {'word' if words == 1 else 'words'})", f"（{words} 项词例中的 {agreeing} 项）"
    )
    said = _principle(pair, decision, *example)
    return Bilingual(said.en + share.en, said.zh + share.zh)


def _principle(pair: ErrorPair, decision: Decision, gold: str, predicted: str) -> Bilingual:
    """Return which principle decides; `gold` and `predicted` are an instance for which it does."""
    if pair.direction == "finer":
        if decision == "drop":
            return Bilingual("flexibility: the pieces may be words", "灵活性原则：切出的成分可以成为分词单位")
        return Bilingual("flexibility: the pieces are less than words", "灵活性原则：切出的成分小于分词单位的下界")
    (words, tags), (given_words, given_tags) = read_gold(gold), read_gold(predicted)
    known, given = _known_tags(tags, words), _known_tags(given_tags, given_words)[0]
    head = head_class(known)
    if decision == "drop":
        return Bilingual(
            f"flexibility and consistency: may be one word, and its head {head} fits {given}",
            f"灵活性原则与一致性原则：可以成为一个分词单位，中心语 {head} 与 {given} 一致",
        )
    if agrees(known, given):
        return Bilingual(
            f"flexibility: too much for one word, though its head {head} fits {given}",
            f"灵活性原则：超出分词单位的上界，虽然中心语 {head} 与 {given} 一致",
        )
    return Bilingual(f"consistency: the head is {head}, not {given}", f"一致性原则：中心语为 {head}，而不是 {given}")
