"""Which words does a tagger find, when it names their classes as the corpus does?

Taggers are compared with a corpus, and with each other, in the corpus's tags. A mapped tagger is a tagger with a tag
map around it: the words stay, only the tags are others. Unless it is named, it has the name of the tagger inside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from hengliang.core.text.characters import Offsets
from hengliang.materials.tag_maps.reading import SAME_TAGS, is_map_file, tag_map, tag_map_names
from hengliang.materials.tag_maps.tables import TagMap, TagRow
from hengliang.materials.tag_maps.tagsets import TAG_SETS


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
        found = checked_words(self.tagger.tag(sentences), sentences, self.tagger.name)
        return LabelledSpans(found.offsets, found.starts, found.ends, self._labels(found, sentences), found.problems)

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
        held = self.tagger.traits()
        own = frozenset(str(held.get("tags") or "").split())
        # A tagger that says which tags it can give (one that was trained here) may not have all that its map names.
        known = {row.target for row in self.tag_map.rows if row.own in own} if own else self.tag_map.targets
        return MappingProxyType({**held, "tags": " ".join(sorted(known))})


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
    found = tag_map(name)
    if found.target == tags:  # also a tag set of the user's own, which nobody else knows
        return found
    if tags not in TAG_SETS:
        raise unknown_name("tag set", tags, [*TAG_SETS, *({found.target} - set(TAG_SETS))])
    if found.origin == tags:  # there and back again would lose distinctions
        rows = tuple(TagRow(tag, tag) for tag in sorted(TAG_SETS[tags]))
        return TagMap(tags, rows, tags, tags, found.title)
    onward = f"{found.target}-{tags}"
    if onward not in tag_map_names():
        raise UserError(
            f"The map {name} leads to {found.target} tags, from which no map leads to {tags}.",
            valid=f"Maps: {', '.join(tag_map_names())}." if not is_map_file(name) else "",
        )
    return found.composed(tag_map(onward))


def _words(found: LabelledSpans, sentences: Sequence[str], places: Offsets) -> pl.Series:
    """Return the words at these places of the columns; a sentence with a problem has none and may not be UTF-8."""
    texts = pl.Series([said if not wrong else "" for said, wrong in zip(sentences, found.problems, strict=True)])
    starts = found.starts[places]
    frame = pl.DataFrame(
        {
            "text": texts.cast(pl.String).gather(found.rows[places]).cast(pl.Binary),
            "start": starts,
            "size": found.ends[places] - starts,
        }
    )
    return frame.select(pl.col("text").bin.slice(pl.col("start"), pl.col("size")).cast(pl.String))["text"]
