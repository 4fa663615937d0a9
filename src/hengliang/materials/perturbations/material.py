"""Are sentences of a corpus told from the same sentences made worse?

The material draws sentences that no model trained on the corpus has seen, keeps each as it is, and adds one changed
version of each kind for which the sentence has a place. The versions of one sentence are a set: same words, same
topic, one of them good. `hengliang.materials.perturbations.sentences` says which sentences are drawn, the module of
each kind what is done to them and why the result is worse, `docs/perturbations.md` how often it is not.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence

import polars as pl

from hengliang.core.base_classes import Material
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import Attribute, Item, Span, items_frame
from hengliang.core.registry import register
from hengliang.core.signature import Signature, code_checksum, file_checksum, version
from hengliang.core.terms import Bilingual
from hengliang.core.text.segmentation import join_words
from hengliang.corpora import catalogue as sources
from hengliang.corpora.parts import Part
from hengliang.materials.classifier_inventory import inventory
from hengliang.materials.perturbations import classifiers, function_words, missing_objects, word_order
from hengliang.materials.perturbations.changes import Change, Finder, changed_spans, in_order_of_lots
from hengliang.materials.perturbations.sentences import (
    Sentence,
    corpus_contents,
    draw,
    plain_sentences,
    read_text,
)

NAME = "perturbed sentences"
ORIGINAL = "original"

FINDERS: Mapping[str, Finder] = {
    "word order": word_order.neighbours,
    "word order (distant)": word_order.distant,
    "word order (shuffled)": word_order.shuffled,
    "classifier": classifiers.wrong,
    "classifier (missing)": classifiers.missing,
    "missing object": missing_objects.missing_objects,
    "function word (missing)": function_words.missing,
    "function word (stray)": function_words.stray,
    "function word (wrong)": function_words.wrong,
}
"""What finds the possible changes of each kind."""
KINDS = tuple(FINDERS)


@register(NAME)
class PerturbedSentences(Material):
    """Sentences of one part of a corpus with PKU tags, and changed versions of them that are worse."""

    name = NAME
    title = Bilingual("Sentences and perturbed versions", "原句与扰动句")

    def __init__(
        self,
        count: int = 500,
        kinds: str | Sequence[str] = KINDS,
        seed: int = 1,
        data: str = sources.DEFAULT_CORPUS,
        part: Part = "test",
        shortest: int = 6,
        longest: int = 30,
    ) -> None:
        self.count = count
        self.kinds = (kinds,) if isinstance(kinds, str) else tuple(kinds)
        self.seed = seed
        self.data = data
        self.part = part
        self.shortest = shortest
        self.longest = longest

    def items(self) -> pl.DataFrame:
        """Return the originals and their changed versions, in the order of the corpus and of the kinds."""
        seen = corpus_contents(self.data)
        return items_frame(item for sentence in self.drawn() for item in self._versions(sentence, seen))

    def drawn(self) -> list[Sentence]:
        """Return the sentences that are changed, in the order of the corpus."""
        for kind in self.kinds:
            if kind not in FINDERS:
                raise unknown_name("kind of perturbation", kind, KINDS)
        if self.count < 1:
            raise UserError(f"{self.count} sentences cannot be drawn.", valid="count is 1 or more.")
        found = plain_sentences(self.data, self.part, self.shortest, self.longest)
        if not found:
            raise UserError(
                f"No plain sentence of {self.data} ({self.part}) has {self.shortest} to {self.longest} words.",
                valid="A whole sentence that ends in 。！？ and is no list, caption or piece of a quotation.",
                remedy="Take another part, or other lengths.",
            )
        return draw(found, self.count, self.seed)

    def _versions(self, sentence: Sentence, seen: Container[str]) -> Iterator[Item]:
        yield self._original(sentence)
        for kind in self.kinds:
            change = chosen(sentence, kind, self.seed, seen)
            if change is not None:
                yield self._changed(sentence, kind, change)

    def _original(self, sentence: Sentence) -> Item:
        spans = tuple(Span("word", start, end) for start, end in join_words(sentence.words).spans)
        held = _attributes(sentence, len(sentence.words))
        return Item(f"{sentence.id}/{ORIGINAL}", sentence.id, NAME, ORIGINAL, sentence.content, spans, attributes=held)

    def _changed(self, sentence: Sentence, kind: str, change: Change) -> Item:
        held = _attributes(sentence, len(change.words)) | {
            "perturbation": kind,
            "acceptable": False,
            "rule": change.rule,
            "detail": change.detail,
            "place": change.touched[0] / (len(sentence.words) - 1),
            "entity_changed": any(sentence.entities[place] for place in change.touched),
        }
        spans = changed_spans(change)
        return Item(f"{sentence.id}/{kind}", sentence.id, NAME, kind, change.content, spans, attributes=held)

    def signature(self) -> Signature:
        """Return what can change the items: the corpora, the code, the draw and the kinds."""
        return Signature.of(
            material=NAME,
            corpus=read_text(self.data).name,
            sha256=read_text(self.data).checksum,
            evidence=file_checksum(sources.locate(sources.DEFAULT_CORPUS)[0])[:16],
            inventory=inventory().signature(),
            part=self.part,
            count=self.count,
            kinds=", ".join(self.kinds),
            seed=self.seed,
            shortest=self.shortest,
            longest=self.longest,
            code=code_checksum(type(self)),
            hengliang=version(),
        )

    def facts(self, items: pl.DataFrame) -> list[tuple[Bilingual, str]]:
        """Return how many sentences there are, how many versions of each kind, and how many had no place for it."""
        text, sets = read_text(self.data), items["set"].n_unique()
        originals = items.filter(pl.col("condition") == ORIGINAL)
        named = int(originals["has_entity"].sum())
        rows = [
            (Bilingual("Corpus", "语料"), f"{text.name} ({text.licence})"),
            (Bilingual("Part", "部分"), self.part),
            (Bilingual("Sentences asked for", "要求的句数"), f"{self.count:,}"),
            (Bilingual("Sentences drawn", "抽取的句数"), f"{sets:,}"),
            (Bilingual("Sentences with a name, a time or digits", "含专名、时间或数字的句子"), f"{named:,}"),
        ]
        for kind in self.kinds:
            made = items.filter(pl.col("condition") == kind).height
            rows.append(
                (Bilingual(f"Kind: {kind}", f"类别：{_CHINESE[kind]}"), f"{made:,} ({sets - made:,} had no place)")
            )
        return rows


_CHINESE = {
    "word order": "语序",
    "word order (distant)": "语序（远距离）",
    "word order (shuffled)": "语序（打乱）",
    "classifier": "量词",
    "classifier (missing)": "量词缺失",
    "missing object": "宾语缺失",
    "function word (missing)": "虚词缺失",
    "function word (stray)": "虚词多余",
    "function word (wrong)": "虚词误用",
}


def perturbed_sentences(
    count: int = 500,
    kinds: str | Sequence[str] = KINDS,
    seed: int = 1,
    data: str = sources.DEFAULT_CORPUS,
    part: Part = "test",
    shortest: int = 6,
    longest: int = 30,
) -> PerturbedSentences:
    """Draw `count` sentences of `shortest` to `longest` words, and change each in every way that it has a place for.

    `data` is a corpus with PKU tags: a name of the catalogue or a file *.pku. Where the part has fewer plain sentences,
    all are taken. The same seed gives the same items; a larger count adds sentences and a further kind adds versions,
    and neither changes what is there.
    """
    return PerturbedSentences(count, kinds, seed, data, part, shortest, longest)


def chosen(sentence: Sentence, kind: str, seed: int, seen: Container[str] = ()) -> Change | None:
    """Return the change of a kind that is made to a sentence, or None where it has no place for one.

    The first by lot is made whose result is neither the original nor a sentence that was `seen` in the corpus.
    """
    for change in in_order_of_lots(FINDERS[kind](sentence), seed, sentence.id, kind):
        content = change.content
        if content != sentence.content and content not in seen:
            return change
    return None


def _attributes(sentence: Sentence, words: int) -> dict[str, Attribute]:
    named = sum(sentence.entities)
    return {
        "perturbation": "",
        "acceptable": True,
        "rule": "",
        "detail": "",
        "place": None,
        "has_entity": named > 0,
        "entity_words": named,
        "entity_changed": False,
        "words": words,
        "block": sentence.block,
    }
