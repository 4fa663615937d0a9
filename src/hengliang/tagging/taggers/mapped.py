"""Mapped taggers: a tagger whose tags are translated into the tag set of the corpus; kinds of tagging problems.

Taggers are compared with a corpus, and with each other, in the corpus's tags. A mapped tagger is a tagger with a tag
map around it: the words stay, only the tags are others. Unless it is named, it has the name of the tagger inside.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

import polars as pl

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.labelling.spans import LabelledSpans
from hengliang.core.labelling.taggers import Tagger, TaggerCard, tagger
from hengliang.core.labelling.words import checked_words
from hengliang.core.progress import Watcher
from hengliang.core.records import Attribute
from hengliang.core.signature import Signature, code_checksum, version
from hengliang.core.terms import Bilingual, both
from hengliang.core.text.characters import Offsets
from hengliang.tagging.tag_maps.tables import SAME_TAGS, TAG_SETS, TagMap, TagRow, is_map_file, tag_map, tag_map_names

# --- mapped taggers ---------------------------------------------------------------------------------------------------


class MappedTagger(Tagger):
    """A tagger that answers with the tags of another tag set: pku, ud or ctb.

    `map` names a tag map or the path of a file of one. Without it the tagger says which it has (its attribute
    `tag_map`), or its name does: the map of a tagger has the tagger's name.
    """

    def __init__(self, tagger: Tagger, tags: str = "pku", map: str = "", name: str = "") -> None:
        self.tagger = tagger
        self.tags = tags
        self.map = map
        self.name = name or tagger.name
        self.title = tagger.title
        self.seed = tagger.seed
        self.batch_size = tagger.batch_size

    @cached_property
    def tag_map(self) -> TagMap:
        """The map from the tagger's own tags to those it answers with."""
        return map_to(self.tags, map_name(self.tagger, self.map))

    def tag(self, sentences: Sequence[str]) -> LabelledSpans:
        """Return the words that the tagger finds, labelled by the mapped tags."""
        # Mapping looks words up by their bytes, so these must be bytes of the sentence.
        tagged = checked_words(self.tagger.tag(sentences), sentences, self.tagger.name)
        return LabelledSpans(
            tagged.offsets, tagged.starts, tagged.ends, self._labels(tagged, sentences), tagged.problems
        )

    def _labels(self, found: LabelledSpans, sentences: Sequence[str]) -> pl.Series:
        # Only a few tags depend on the word, and to cut a word out costs more than to map its tag.
        places = self.tag_map.dependent(found.labels)
        words = _words(found, sentences, places.to_numpy()) if len(places) else None
        return self.tag_map.mapped(found.labels, words, places)

    def hurried(self, seconds: float) -> Tagger:
        """Return the same map around the tagger inside, which may have to hurry."""
        return MappedTagger(self.tagger.hurried(seconds), self.tags, self.map, self.name)

    def card(self) -> TaggerCard | None:
        """Return what is known about the tagger inside."""
        return self.tagger.card()

    def prepare(self, watcher: Watcher) -> None:
        """Get the tagger inside ready."""
        self.tagger.prepare(watcher)

    def signature(self) -> Signature:
        """Return the tagger's signature and the map's; under which name the map was given does not count."""
        return Signature.of(
            **{"class": type(self).__qualname__, "code": code_checksum(type(self)), "hengliang": version()},
            tagger=self.tagger.signature(),
            tags=self.tags,
            map=self.tag_map.signature(),
        )

    def traits(self) -> Mapping[str, Attribute]:
        """Return the tagger's traits, with all tags that the map can give: an analysis must not ask for others."""
        traits = self.tagger.traits()
        own = frozenset(str(traits.get("tags") or "").split())
        # A tagger that says which tags it can give (one that was trained here) may not have all that its map names.
        known = {row.target for row in self.tag_map.rows if row.own in own} if own else self.tag_map.targets
        return MappingProxyType({**traits, "tags": " ".join(sorted(known))})


def mapped(reference: str, tags: str = "pku", map: str = "", name: str = "") -> MappedTagger:
    """Return the tagger of this name with its tags mapped, by its own map or by the one that `map` names."""
    made = MappedTagger(tagger(reference), tags, map, name)
    made.tag_map  # noqa: B018  # a missing map is said now, not after an hour of work
    return made


def map_name(tagger: Tagger, given: str = "") -> str:
    """Return the name of the map of a tagger: the given one, the one that the tagger names, that of its own name."""
    if given:
        return given
    own = getattr(tagger, "tag_map", "")
    if isinstance(own, str) and own:
        return own
    name = tagger.name.partition(":")[0]
    if name in SAME_TAGS or name in tag_map_names():
        return name
    raise UserError(
        f"There is no tag map for the tagger {tagger.name}.",
        valid=f"Maps: {', '.join(tag_map_names())}, or the path of a file; a tagger with the corpus's tags has pku.",
        remedy="Name one: map='pku', map='FILE', or give the tagger's class an attribute tag_map.",
    )


def map_to(tags: str, name: str) -> TagMap:
    """Return the map of this name (or file), led on to the tag set `tags` where it leads to another."""
    first_map = tag_map(name)
    if first_map.target == tags:  # also a tag set of the user's own, which nobody else knows
        return first_map
    if tags not in TAG_SETS:
        raise unknown_name("tag set", tags, [*TAG_SETS, *({first_map.target} - set(TAG_SETS))])
    if first_map.origin == tags:  # there and back again would lose distinctions
        rows = tuple(TagRow(tag, tag) for tag in sorted(TAG_SETS[tags]))
        return TagMap(tags, rows, tags, tags, first_map.title)
    onward = f"{first_map.target}-{tags}"
    if onward not in tag_map_names():
        raise UserError(
            f"The map {name} leads to {first_map.target} tags, from which no map leads to {tags}.",
            valid=f"Maps: {', '.join(tag_map_names())}." if not is_map_file(name) else "",
        )
    return first_map.composed(tag_map(onward))


def _words(found: LabelledSpans, sentences: Sequence[str], places: Offsets) -> pl.Series:
    """Return the words at these places of the columns; a sentence with a problem has none and may not be UTF-8."""
    texts = pl.Series(
        [sentence if not wrong else "" for sentence, wrong in zip(sentences, found.problems, strict=True)]
    )
    starts = found.starts[places]
    frame = pl.DataFrame(
        {
            "text": texts.cast(pl.String).gather(found.rows[places]).cast(pl.Binary),
            "start": starts,
            "size": found.ends[places] - starts,
        }
    )
    return frame.select(pl.col("text").bin.slice(pl.col("start"), pl.col("size")).cast(pl.String))["text"]


# --- problem kinds ----------------------------------------------------------------------------------------------------
# Sums up in a few lines how many sentences could not be tagged, and why.

_KINDS: tuple[tuple[str, str, str], ...] = (
    (r"gave no answer within ([\d.e+]+) s", "no answer within {} s", "{} 秒内没有回答"),
    (r"(?:process|program) (?:died|ended) \((.*?)\)", "the process died ({})", "进程中断（{}）"),
    (r"returned no words", "no words came back", "没有返回任何词"),
    (r"do not cover the sentence", "the words do not cover the sentence", "返回的词没有覆盖整个句子"),
    (r"failed: (\w+)", "the tagger raised {}", "标注器报错（{}）"),
    (r"half a character", "the text holds half a character", "文本中有半个字符"),
    (r"(?:reads|given) at most", "the text is too long", "文本过长"),
    (r"wrote (?:no|not one|[\d,]+) lines?", "not one line for one sentence", "一句的输出不是一行"),
    (r"wrote more than [\d,]+ bytes", "far too much output", "输出过多"),
    (r"is not UTF-8", "the output is not UTF-8", "输出不是 UTF-8 编码"),
    (r"has no tag|gave the word .* no tag", "a word has no tag", "有的词没有标记"),
    (
        r"the tagger (?:changed the text|left out|added|cut within)",
        "the words are not the text of the sentence",
        "返回的词与原句文字不符",
    ),
)
_PARTICULAR = re.compile(r"'[^']*'|‘[^’]*’|“[^”]*”|[\d,.]*\d")


def problem_summary(problems: Iterable[str]) -> list[tuple[Bilingual, int]]:
    """Return why sentences failed and how many of them, the most frequent reason first; no problem does not count.

    Problems of one kind are counted together; of a kind unknown here, those that differ only in numbers and quotations.
    """
    counts = Counter(_kind(problem) for problem in problems if problem)

    def rank(entry: tuple[Bilingual, int]) -> tuple[int, str]:
        return -entry[1], entry[0].en

    return sorted(counts.items(), key=rank)


def _kind(problem: str) -> Bilingual:
    for pattern, english, chinese in _KINDS:
        if match := re.search(pattern, problem):
            return Bilingual(english.format(*match.groups()), chinese.format(*match.groups()))
    return both(_PARTICULAR.sub("…", problem))
