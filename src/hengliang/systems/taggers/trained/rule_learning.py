"""Which rules would put a tagger's mistakes right, and spoil little?

Transformation-based learning [1], word by word. Of each word that is tagged wrongly, every rule that would repair one
of its mistakes is a candidate. The one that repairs most, less what it spoils, is taken and applied; then the mistakes
that remain are looked at again, until no rule repairs enough with enough precision.

A tagger makes few mistakes on the sentences it was trained on, and others than on new ones. So rules are best learned
on sentences that were neither trained on nor are tested on.

[1] Brill, E. (1995). Transformation-based error-driven learning and natural language processing: a case study in
    part-of-speech tagging. Computational Linguistics, 21(4), 543–565.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import replace

import numpy as np
import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.text.characters import Offsets
from hengliang.materials.tagged_sentences import gold_spans
from hengliang.systems.taggers.trained.rules import PLACES, Rule, Texts, Tokens

UNKNOWN = ""
"""The right tag of a word that the annotators have cut otherwise."""


def learn_rules(
    items: pl.DataFrame,
    responses: pl.DataFrame,
    least: int = 3,
    precision: float = 0.9,
    words: Collection[str] | None = None,
) -> tuple[Rule, ...]:
    """Return rules, in the order in which they are applied, learned from what one tagger answered about gold items.

    A rule repairs at least `least` tags more than it harms, and of the tags that it changes and whose right tag is
    known at least the share `precision` come out right. `words` are those that may have rules; None means all.
    """
    if least < 1 or not 0 < precision <= 1:
        raise UserError(
            f"Rules cannot be learned with least = {least} and precision = {precision}.",
            valid="least is a whole number from 1 on, precision lies between 0 and 1.",
        )
    tokens, right = _compared(items, responses)
    rules: list[Rule] = []
    while True:
        mistaken = set(tokens.words[(right != UNKNOWN) & (tokens.tags != right)].tolist())
        open_words = sorted(mistaken if words is None else mistaken & set(words))
        found = [rule for word in open_words for rule in _candidates(tokens, right, word, least, precision)]
        best = {rule.word: rule for rule in sorted(found, key=_rank, reverse=True)}
        if not best:
            return tuple(rules)
        for rule in sorted(best.values(), key=_rank):
            # A rule before it may have changed the tags beside this word: what was counted then is counted again.
            now = _counted(tokens, right, rule)
            if _serves(now, len(_judged(tokens, right, rule)), least, precision):
                tokens.apply(now)
                rules.append(now)


def _rank(rule: Rule) -> tuple[int, int, int, str]:
    """The best first: most gained, least harmed, looking at least; the rest only keeps the order the same each time."""
    looked = PLACES.index(rule.place)
    return (rule.harmed - rule.repaired, rule.harmed, looked, f"{rule.word}\t{rule.wrong}\t{rule.right}\t{rule.value}")


def _serves(rule: Rule, judged: int, least: int, precision: float) -> bool:
    return rule.repaired - rule.harmed >= least and rule.repaired >= precision * judged


def _judged(tokens: Tokens, right: Texts, rule: Rule) -> Offsets:
    """Return the tokens that a rule would change and whose right tag is known."""
    fired = tokens.firing(rule)
    known: Offsets = fired[right[fired] != UNKNOWN]
    return known


def _counted(tokens: Tokens, right: Texts, rule: Rule) -> Rule:
    """Return the rule with what it would repair and harm as the tags stand."""
    wanted = right[_judged(tokens, right, rule)]
    return replace(rule, repaired=int((wanted == rule.right).sum()), harmed=int((wanted == rule.wrong).sum()))


def _candidates(tokens: Tokens, right: Texts, word: str, least: int, precision: float) -> Iterator[Rule]:
    """Yield the rules for one word that would serve, with what they would repair and harm."""
    known = tokens.places[word][right[tokens.places[word]] != UNKNOWN]
    for tag in sorted(set(tokens.tags[known].tolist())):
        held = known[tokens.tags[known] == tag]
        wanted = right[held].tolist()
        if sum(one != tag for one in wanted) < least:
            continue
        for place in PLACES:
            values = tokens.context(held, place).tolist()
            judged, together = Counter(values), Counter(zip(values, wanted, strict=True))
            for (value, target), repaired in together.items():
                rule = Rule(word, tag, target, place, value, repaired, together[value, tag])
                if target != tag and _serves(rule, judged[value], least, precision):
                    yield rule


# --- what the tagger answered beside what is right ------------------------------------------------------------------


def _compared(items: pl.DataFrame, responses: pl.DataFrame) -> tuple[Tokens, Texts]:
    """Return the tagger's words and tags, and the right tag of each word that the annotators have cut alike."""
    systems = responses["system"].unique().sort().to_list() if "system" in responses.columns else []
    if len(systems) > 1:
        raise UserError(
            f"Rules are learned for one tagger, and the answers are of {len(systems)}.",
            valid=f"Taggers: {', '.join(map(str, systems))}.",
        )
    answers = responses.filter(pl.col("status") == "ok").select("item", answered="content")
    both = items.select("id", "content", "gold").join(answers, left_on="id", right_on="item", maintain_order="left")
    words: list[str] = []
    tags: list[str] = []
    right: list[str] = []
    firsts: list[int] = []
    for content, gold, answered in both.select("content", "gold", "answered").iter_rows():
        raw, wanted = content.encode(), {(start, end): tag for start, end, tag in gold_spans(gold)}
        firsts += [len(words)] if answered else []
        for word in answered:
            words.append(raw[word["start"] : word["end"]].decode().strip())
            tags.append(word["tag"])
            right.append(wanted.get((word["start"], word["end"]), UNKNOWN))
    texts = [np.array(column, dtype=object) for column in (words, tags, right)]
    return Tokens(texts[0], texts[1], np.array(firsts, np.int64)), texts[2]
