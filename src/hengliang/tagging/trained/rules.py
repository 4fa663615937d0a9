"""Transformation-based correction of taggers (Brill): rules, files of rules, and learning them.

The tagger that applies rules comes first, then their files, and last how rules are learned from what a tagger got
wrong.

A rule names a word, the wrong tag, the right tag, and what must stand beside the word, in the manner of Brill [1]: 过去
tagged t is v when the next word is 的. Rules are applied one after the other; each sees the tags as the rules before it
have left them, and is applied everywhere in a sentence at once. They change tags, never the words. A file of rules is a
tab-separated table, which a linguist may write or edit.

[1] Brill, E. (1995). Transformation-based error-driven learning and natural language processing: a case study in
    part-of-speech tagging. Computational Linguistics, 21(4), 543–565.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, cast, get_args

import numpy as np
import numpy.typing as npt
import polars as pl

from hengliang.core.errors import UserError, file_errors, unknown_name
from hengliang.core.io.files import write_text
from hengliang.core.labelling.spans import LabelledSpans
from hengliang.core.labelling.taggers import Tagger, TaggerCard
from hengliang.core.progress import Watcher
from hengliang.core.records import Attribute
from hengliang.core.signature import Signature, code_checksum, digest, version
from hengliang.core.terms import Bilingual
from hengliang.core.text.characters import Offsets
from hengliang.tagging.sentences import gold_spans

# --- rules and the corrected tagger -----------------------------------------------------------------------------------


Place = Literal["always", "word-1", "word+1", "tag-1", "tag+1", "tags"]
PLACES: tuple[Place, ...] = get_args(Place)
"""Where a rule looks: nowhere, the word or the tag before or behind, or the tags on both sides (`p n`)."""

EDGE = "<edge>"
"""Stands for the word, or the tag, before the first and behind the last word of a sentence."""

COLUMNS = ("word", "wrong", "right", "place", "value", "repaired", "harmed")
_NEEDED = 5

Texts = npt.NDArray[np.object_]


@dataclass(frozen=True, slots=True)
class Rule:
    """A word that is tagged `wrong` is tagged `right` where `value` stands at `place`.

    `repaired` and `harmed` say how many tags it put right and how many it spoilt where it was learned.
    """

    word: str
    wrong: str
    right: str
    place: Place = "always"
    value: str = ""
    repaired: int = field(default=0, compare=False)
    harmed: int = field(default=0, compare=False)

    def __str__(self) -> str:
        where = "" if self.place == "always" else f" if {self.place} is {self.value}"
        return f"{self.word}/{self.wrong} → {self.right}{where}"


class Tokens:
    """The tagged words of many sentences, one after the other; `tags` changes as rules are applied."""

    def __init__(self, words: Texts, tags: Texts, firsts: Offsets) -> None:
        self.words = words
        self.tags = tags
        self.firsts = firsts

    @cached_property
    def places(self) -> Mapping[str, Offsets]:
        """Where each word stands."""
        order = np.argsort(self._codes, kind="stable")
        edges = np.searchsorted(self._codes[order], np.arange(len(self._distinct) + 1))
        return {word: order[edges[code] : edges[code + 1]] for word, code in self._distinct.items()}

    @cached_property
    def _distinct(self) -> dict[str, int]:
        return {word: code for code, word in enumerate(dict.fromkeys(self.words.tolist()))}

    @cached_property
    def _codes(self) -> Offsets:
        return np.array([self._distinct[word] for word in self.words.tolist()], np.int64)

    @cached_property
    def _first(self) -> npt.NDArray[np.bool_]:
        marks = np.zeros(len(self.words) + 1, np.bool_)
        marks[self.firsts] = True
        marks[-1] = True
        return marks

    def context(self, tokens: Offsets, place: Place) -> Texts:
        """Return what stands at the place beside each of these tokens."""
        if place == "always":
            return np.full(len(tokens), "", dtype=object)
        if place == "tags":
            both: Texts = self.context(tokens, "tag-1") + " " + self.context(tokens, "tag+1")
            return both
        column = self.words if place.startswith("word") else self.tags
        step, at_edge = (-1, self._first[tokens]) if place.endswith("-1") else (1, self._first[tokens + 1])
        beside = np.where(at_edge, tokens, tokens + step)
        return np.where(at_edge, EDGE, column[beside]).astype(object)

    def firing(self, rule: Rule) -> Offsets:
        """Return the tokens that a rule would change."""
        tokens = self.places.get(rule.word, np.zeros(0, np.int64))
        tagged: Offsets = tokens[self.tags[tokens] == rule.wrong]
        fired: Offsets = tagged[self.context(tagged, rule.place) == rule.value]
        return fired

    def apply(self, rule: Rule) -> None:
        """Let a rule change the tags."""
        self.tags[self.firing(rule)] = rule.right


class CorrectedTagger(Tagger):
    """A tagger whose tags are corrected by rules; it goes by the tagger's name with `+rules`, unless it is named."""

    def __init__(self, tagger: Tagger, rules: Iterable[Rule], name: str = "") -> None:
        self.tagger = tagger
        self.rules = tuple(rules)
        self.name = name or f"{tagger.name}+rules"
        self.title = Bilingual(f"{tagger.title.en} with rules", f"{tagger.title.zh}加规则")
        self.seed = tagger.seed
        self.batch_size = tagger.batch_size

    @property
    def tag_map(self) -> str:
        """The tag map of the tagger inside."""
        from hengliang.tagging.taggers.mapped import map_name

        return map_name(self.tagger)

    def tag(self, sentences: Sequence[str]) -> LabelledSpans:
        """Return the words that the tagger finds, with corrected tags."""
        tagged = self.tagger.tag(sentences)
        if not len(tagged.labels):
            return tagged
        words = span_words(tagged, sentences)
        tags = np.array(tagged.labels.to_list(), dtype=object)
        tokens = Tokens(words, tags, np.unique(tagged.offsets[:-1][np.diff(tagged.offsets) > 0]))
        for rule in check_rules(self.rules):
            tokens.apply(rule)
        labels = pl.Series(tagged.labels.name, tags.tolist(), dtype=pl.String)
        return LabelledSpans(tagged.offsets, tagged.starts, tagged.ends, labels, tagged.problems)

    def card(self) -> TaggerCard | None:
        """Return what is known about the tagger inside."""
        return self.tagger.card()

    def prepare(self, watcher: Watcher) -> None:
        """Get the tagger inside ready."""
        self.tagger.prepare(watcher)

    def signature(self) -> Signature:
        """Return the tagger's signature and a hash of the rules, in order."""
        return Signature.of(
            **{"class": type(self).__qualname__, "code": code_checksum(type(self)), "hengliang": version()},
            tagger=self.tagger.signature(),
            rules=digest(*map(str, self.rules)),
            name=self.name,
        )

    def traits(self) -> Mapping[str, Attribute]:
        """Return the tagger's traits, with the rules' tags among its tags."""
        traits = self.tagger.traits()
        if "tags" not in traits:
            return traits
        tags = {*str(traits["tags"]).split(), *(rule.right for rule in self.rules)}
        return {**traits, "tags": " ".join(sorted(tags))}


def span_words(found: LabelledSpans, sentences: Sequence[str]) -> Texts:
    """Return the words at the spans without the white space that belongs to them."""
    words: list[str] = []
    for row, sentence in enumerate(sentences):
        if found.problems[row]:
            continue
        raw = sentence.encode()
        words += [raw[start:end].decode().strip() for start, end, _ in found.of(row)]
    return np.array(words, dtype=object)


# --- files of rules -------------------------------------------------------------------------------------------------


def check_rules(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Return the rules when each can be applied, else say what is wrong with one."""
    listed = tuple(rules)
    for rule in listed:
        if rule.place not in PLACES:
            raise unknown_name("place of a rule", rule.place, PLACES)
        fault = _fault(rule)
        if fault:
            raise UserError(f"The rule {rule} {fault}.", valid="A rule is: word, wrong tag, right tag, place, value.")
    return listed


def _fault(rule: Rule) -> str:
    if not rule.word or not rule.wrong or not rule.right:
        return "lacks its word or a tag"
    if rule.wrong == rule.right:
        return "changes nothing"
    if (rule.place == "always") != (not rule.value):
        return "has a value but no place" if rule.place == "always" else "lacks the value that it looks for"
    if rule.place == "tags" and len(rule.value.split(" ")) != 2:
        return "looks at the tags on both sides, and its value is not two tags"
    return ""


def write_rules(path: Path, rules: Iterable[Rule]) -> None:
    """Write rules as a table with tabs, in the order in which they are applied."""
    rows = [tuple(str(getattr(rule, name)) for name in COLUMNS) for rule in check_rules(rules)]
    write_text(path, "".join("\t".join(row) + "\n" for row in (COLUMNS, *rows)))


def read_rules(path: Path) -> tuple[Rule, ...]:
    """Read a table of rules; empty lines and lines that begin with # say nothing, the last two columns may be left out.

    A word that begins with # is not lost: only a line whose first field is # and a space, or # alone, is a remark.
    """
    with file_errors(path, "read"):
        text = path.read_text(encoding="utf-8")
    lines = [(number, line.split("\t")) for number, line in enumerate(text.split("\n"), start=1)]
    rows = [(number, row) for number, row in lines if row[0].strip() and not row[0].startswith("# ") and row[0] != "#"]
    if not rows or tuple(rows[0][1][:_NEEDED]) != COLUMNS[:_NEEDED]:
        raise UserError(f"{path} is no table of rules.", valid=f"Its first line is: {' '.join(COLUMNS)}, with tabs.")
    return tuple(_read_rule(path, number, [cell.strip() for cell in row]) for number, row in rows[1:])


def _read_rule(path: Path, number: int, cells: list[str]) -> Rule:
    counts: list[Any] = cells[_NEEDED:]
    if not _NEEDED <= len(cells) <= len(COLUMNS) or not all(count.isdecimal() for count in counts):
        raise UserError(
            f"{path}, line {number} has {len(cells)} columns, or a count that is no number.",
            valid=f"The columns are: {', '.join(COLUMNS)}; the last two may be left out.",
        )
    word, wrong, right, place, value = cells[:_NEEDED]
    rule = Rule(word, wrong, right, cast(Place, place), value, *map(int, counts))
    try:
        return check_rules([rule])[0]
    except UserError as error:
        raise UserError(f"{path}, line {number}: {error}") from error


# --- rule learning ----------------------------------------------------------------------------------------------------
# Transformation-based learning [1], word by word. Of each word that is tagged wrongly, every rule that would repair one
# of its mistakes is a candidate. The one that repairs most, less what it spoils, is taken and applied; then the
# mistakes that remain are looked at again, until no rule repairs enough with enough precision.
#
# A tagger makes few mistakes on the sentences it was trained on, and others than on new ones. So rules are best learned
# on sentences that were neither trained on nor are tested on.

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
        candidates = [rule for word in open_words for rule in _candidates(tokens, right, word, least, precision)]
        best = {rule.word: rule for rule in sorted(candidates, key=_rank, reverse=True)}
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
        positions = known[tokens.tags[known] == tag]
        wanted = right[positions].tolist()
        if sum(tag_wanted != tag for tag_wanted in wanted) < least:
            continue
        for place in PLACES:
            values = tokens.context(positions, place).tolist()
            judged, together = Counter(values), Counter(zip(values, wanted, strict=True))
            for (value, target), repaired in together.items():
                rule = Rule(word, tag, target, place, value, repaired, together[value, tag])
                if target != tag and _serves(rule, judged[value], least, precision):
                    yield rule


# --- answers beside the gold ------------------------------------------------------------------------------------------


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
