"""Chunks: words and phrases of a kind, and the kind of a single word by its tag and its neighbours.

Words become chunks by their tags, and by their neighbours where the tags do not tell: a set phrase is a noun, an
adverbial or a predicate, 要 is a modal verb or a verb of its own, 前 follows a noun or is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hengliang.corpora.trees import chunk_words as classes
from hengliang.corpora.trees.constituents import Tree

NOUN, TIME, QUANTITY, PLACE = "noun", "time", "quantity", "place"
VERB, MODAL, ADJECTIVE, ADVERB = "verb", "modal", "adjective", "adverb"
PREPOSITION, PREPOSITIONAL, LOCALISER = "preposition", "prepositional", "localiser"
MODIFIER, DE, DI, CONJUNCTION = "modifier", "de", "di", "conjunction"
PARTICLE, REMARK, OTHER = "particle", "remark", "other"
ATTRIBUTE, SUFFIX, IDIOM = "attribute", "suffix", "idiom"
CLASSIFIER, NUMBER, DETERMINER = "classifier", "number", "determiner"

NOMINAL = frozenset((NOUN, TIME, QUANTITY, PLACE))
"""Kinds that can be the subject of a clause or the object of a verb or a preposition."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Words that stand together: what kind of thing they are, their constituent, and the word that decides.

    Without a label the parts stand bare in whatever constituent they come into: the words of a verb with its aspect
    are not a constituent, nor is a modifier of one word.
    """

    kind: str
    label: str
    parts: tuple[Tree | str, ...]
    head: str
    tag: str = ""

    def trees(self) -> tuple[Tree | str, ...]:
        """Return the chunk as parts of a constituent: one constituent, or bare words."""
        return (Tree(self.label, self.parts),) if self.label else self.parts

    def whole(self) -> tuple[Tree | str, ...]:
        """Return the chunk as an argument: a noun phrase of one word is a constituent here."""
        label = self.label
        if not label and self.kind in NOMINAL:
            label = "QP" if self.kind == QUANTITY and self.head[0] not in _DETERMINING else "NP"
        return (Tree(label, self.parts),) if label else self.parts


def as_kind(chunk: Chunk, kind: str) -> Chunk:
    """Return the same words as a chunk of another kind."""
    return Chunk(kind, chunk.label, chunk.parts, chunk.head, chunk.tag)


_DETERMINING = frozenset("这那哪每某各该本此另其别有什何")


def word_chunk(word: str, tag: str) -> Chunk:
    """Return one word as a chunk of the kind that its tag says."""
    return Chunk(_kind(word, tag), "", (word,), word, tag)


def _kind(word: str, tag: str) -> str:
    if tag == "u":
        return _particle_kind(word)
    if tag == "r":
        return _pronoun_kind(word)
    if tag == "f":
        return LOCALISER if word in classes.LOCALISERS else NOUN
    if tag == "w":
        return CONJUNCTION if word == "、" else OTHER
    if word in classes.LOCALISER_NOUNS and tag == "Ng":
        return LOCALISER
    return _KIND_OF_TAG.get(tag, OTHER)


_KIND_OF_TAG: dict[str, str] = {
    **dict.fromkeys(classes.NOUN_TAGS, NOUN),
    **dict.fromkeys(classes.TIME_TAGS, TIME),
    **dict.fromkeys(classes.VERB_TAGS, VERB),
    **dict.fromkeys(classes.ADJECTIVE_TAGS, ADJECTIVE),
    **dict.fromkeys(classes.ATTRIBUTE_TAGS, ATTRIBUTE),
    **dict.fromkeys(classes.ADVERB_TAGS, ADVERB),
    **dict.fromkeys(classes.NUMBER_TAGS, NUMBER),
    **dict.fromkeys(classes.IDIOM_TAGS, IDIOM),
    **dict.fromkeys(classes.PARTICLE_TAGS, PARTICLE),
    "p": PREPOSITION,
    "c": CONJUNCTION,
    "q": CLASSIFIER,
    "k": SUFFIX,
    "Rg": NOUN,
}


def _particle_kind(word: str) -> str:
    if word in {"的", "之"}:
        return DE
    if word in {"地", "似地"}:
        return DI
    if word in {"所", "给"}:
        return ADVERB
    if word == "连":
        return PREPOSITION
    return OTHER


def _pronoun_kind(word: str) -> str:
    if word in classes.TIME_PRONOUNS:
        return TIME
    if word in classes.ADVERBIAL_PRONOUNS:
        return ADVERB
    if word in classes.PRONOUNS and word not in classes.DETERMINERS:
        return NOUN
    if word in classes.DETERMINERS or (len(word) > 1 and word[0] in "这那哪每某各此" and word[-1] not in "里儿"):
        return DETERMINER
    return NOUN


# --- words that depend on their neighbours ----------------------------------------------------------------------------


def settled(chunks: list[Chunk]) -> list[Chunk]:
    """Decide of idioms, modals and localisers what they are, by the words beside them."""
    done: list[Chunk] = []
    for number, chunk in enumerate(chunks):
        before = done[-1] if done else None
        after = chunks[number + 1] if number + 1 < len(chunks) else None
        kind = _neighbourly(chunk, before, after)
        if kind == IDIOM:
            kind = _idiom_kind(chunk, before, after)
        elif kind == LOCALISER:
            kind = _localiser_kind(chunk, before, after)
        elif kind == VERB and chunk.head == "驻" and before is not None and after is not None and after.kind == NOUN:
            kind = ATTRIBUTE if before.kind == NOUN else VERB  # 本报 驻 外 记者
        elif kind == VERB and chunk.head == "是" and _means_above_all(done, after):
            done[-1] = Chunk(CONJUNCTION, "", (*done[-1].parts, *chunk.parts), "特别是", "c")
            continue
        elif kind == VERB and chunk.head in classes.MODALS and after is not None and after.kind in _AFTER_MODAL:
            kind = MODAL
        elif kind == DETERMINER and len(chunk.head) == 1 and (after is None or after.kind not in _AFTER_DETERMINER):
            kind = NOUN  # 这 是 一 本 书
        done.append(chunk if kind == chunk.kind else as_kind(chunk, kind))
    return done


def _neighbourly(chunk: Chunk, before: Chunk | None, after: Chunk | None) -> str:
    """Return the kind of some words that their tags do not tell, by the kinds of their neighbours."""
    following = after.kind if after is not None else ""
    if chunk.kind == ATTRIBUTE and following in {NUMBER, DETERMINER}:
        return DETERMINER  # 上述 四 个 方面
    if chunk.head in {"近", "约", "大约"} and following == NUMBER:
        return NUMBER
    if chunk.head == "多" and following == CLASSIFIER:
        return NUMBER
    if chunk.head == "十分" and following in {ADJECTIVE, VERB, ADVERB, IDIOM}:
        return ADVERB
    if chunk.head == "此" and before is not None and before.kind == PREPOSITION:
        return NOUN
    if chunk.head == "好" and chunk.tag == "a" and before is not None and before.kind == VERB:
        return VERB  # 做 好 工作
    if chunk.tag == "z" and following == VERB:
        return ADVERB  # 高高兴兴 回家
    return chunk.kind


def _localiser_kind(chunk: Chunk, before: Chunk | None, after: Chunk | None) -> str:
    """A localiser follows a noun or a predicate; elsewhere it is a noun: 上 半年, 向 东."""
    if before is None or before.kind in {PREPOSITION, CONJUNCTION, ADVERB, DE}:
        return NOUN
    if before.kind != VERB or after is None:
        return LOCALISER
    return NOUN if after.kind in {NOUN, TIME} or (chunk.head == "前" and after.head in {"去", "来"}) else LOCALISER


def _means_above_all(found: Sequence[Chunk], after: Chunk | None) -> bool:
    """干部 特别 是 青年 干部: a conjunction of nouns."""
    if len(found) < 2 or found[-1].head not in {"特别", "尤其"} or after is None:
        return False
    return found[-2].kind == NOUN and after.kind in {NOUN, ATTRIBUTE}


_AFTER_MODAL = frozenset((VERB, MODAL, ADVERB, PREPOSITION, ADJECTIVE, IDIOM, DI))
_AFTER_DETERMINER = frozenset(
    (NOUN, NUMBER, CLASSIFIER, ATTRIBUTE, ADJECTIVE, TIME, DETERMINER, IDIOM, VERB, DE, PLACE)
)


def _idiom_kind(chunk: Chunk, before: Chunk | None, after: Chunk | None) -> str:
    """Say whether a set phrase is a noun, an adverbial or a predicate."""
    if after is not None and after.kind in {DE, DI}:
        return NOUN if chunk.tag == "l" and before is not None and before.kind == VERB else ADJECTIVE
    if chunk.tag == "l" and chunk.head[-1] in "来上说看":
        return ADVERB
    if after is not None and after.head in {"是", "既"}:
        return NOUN
    beside = {neighbour.kind for neighbour in (before, after) if neighbour is not None and neighbour.tag != "r"}
    if chunk.tag == "l" and (beside & {NOUN, ATTRIBUTE} or (before is not None and before.kind in _BEFORE_NOUN)):
        return NOUN
    if before is not None and before.kind in _BEFORE_NOUN and before.kind != VERB:
        return NOUN
    return ADVERB if after is not None and after.kind in {VERB, MODAL} else ADJECTIVE


_BEFORE_NOUN = frozenset((DE, PREPOSITION, CLASSIFIER, NUMBER, DETERMINER, VERB))
