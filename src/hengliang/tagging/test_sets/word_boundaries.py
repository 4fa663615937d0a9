"""Chinese word boundaries: heads of constructions, and the upper and lower bounds of what may stand as one word.

Both sections serve the suggestions for error pairs (`building`): heads decide about the tag of a word that joins
others, the bounds about where words are cut.

Nobody knows how long a Chinese word is. Song Rou's answer [1], as the paper on error pairs [2] lists it, is a range: a
segmentation is right when its words lie between an upper and a lower bound.

- **Upper bound**, what may be one word: simple structures of verb and object, verb and complement, adjective and
  object, adjective and complement, modifier and head; reduplications and other forms of verbs and adjectives; phrases
  of time and of place; abbreviations. `joined_structure` names the one that words of a corpus form.
- **Lower bound**, what may be a word of its own: members of such structures that can be expanded, affixes of words of
  two characters and more, 儿, the generic and the proper part of place names of two characters and more, members of a
  reduplication. `pieces_within_bounds` says whether all pieces of a word are of this kind.

What can be expanded is read from the pieces, with rules of prosody in place of a dictionary:

- Two content morphemes of one syllable make a word of two, whose members cannot be expanded (死罪, 涌出). Read by the
  letter, Song's bound would free verb and complement (涌不出); the paper keeps such words, so they are bound here.
- A noun of one syllable does not come loose from the word it is built with (主席国).
- Words of two syllables and more can be parted (职业 道德), and a verb or an adjective of one syllable from a longer
  word after it (小 企业).
- A word of a closed class comes apart where it stands as such: an adverb before a verb (更 是), a classifier after a
  numeral or a pronoun (这 个), a particle after a verb, a word of place after a noun.

[1] Song, R. (1997). 关于分词规范的探讨. 语言文字应用, 1997(3), 113–114.
[2] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
    Information Processing, 34(9), 9–18, section 2.1.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from hengliang.core.errors import UserError

# --- construction heads -----------------------------------------------------------------------------------------------
# A tagger that joins words of the corpus has tagged them right when its word has the class of their head [2]. The head
# is found by construction, not by place:
#
# - A verb is the head of its object and of its complement, and of adverbs and others that stand before it: 降/v 息/Ng,
#   唱/v 出/v and 初/d 露/v are headed by their first verb (or, of d+v, by the only one).
# - A preposition is the head of its phrase (就/p 此/r), unless a verb follows that the phrase modifies.
# - Everything else is headed by its last word: 学术/n 论文/n, 老/a 干部/n, 一/m 番/q, 很/d 好/a, 怎么/r 办/v.
# - An adjective is the head of a directional complement: 好/a 起来/v.
# - Particles (u, y) and prefixes (h) are never heads. 的, 之 and 地 have their head behind them, 得 before it. A suffix
#   (k) makes a noun, 化 a verb.
# - What stands before a word of place (f) becomes a place (s), 手/n 里/f; a time or what is counted becomes a time (t),
#   节/t 前/f and 年/q 内/f.
#
# Morphemes count as their class: Ng as n, Vg as v, Ag as a, Dg as d, Tg as t and so on. vn, an, vd and ad stay classes
# of their own: the paper has items for vn taken for n, so a head vn under a word n is an error too. Names stay classes
# of their own as well, see `agrees`.

NAMES = frozenset(("nr", "ns", "nt", "nz"))
"""The tags of names: of persons, places, organisations, and others."""

NOMINAL = frozenset(("n", "nr", "ns", "nt", "nz", "nx", "vn", "an", "j"))
"""The classes of words that stand where nouns stand."""

DIRECTIONS = frozenset("来去上下进出回过起开") | frozenset(
    way + speaker for way in "上下进出回过起" for speaker in "来去" if way + speaker != "起去"
)
"""The verbs that stand after another verb or an adjective as directional complements."""

_PARTICLES = frozenset("uy")
_LINKS = ("的", "之", "地")
_TIMES = frozenset("tq")


def word_class(tag: str) -> str:
    """Return the class as which a tag counts: a morpheme (Ng, Vg, …) as its class, all others as themselves."""
    return tag[0].lower() if len(tag) == 2 and tag[1] == "g" else tag


def head_class(tags: Sequence[str], words: Sequence[str] = ()) -> str:
    """Return the class of the head of words with these tags.

    The `words` settle what tags leave open: which particle and which suffix it is, and whether a verb after an
    adjective is its complement. Without them a particle is taken for one that follows a verb (了, 着, 过).
    """
    if not tags:
        raise UserError("No tag was given.", valid="A head is looked for among one word or more.")
    if words and len(words) != len(tags):
        raise UserError(f"There are {len(words)} words and {len(tags)} tags.", valid="Each word has one tag.")
    pairs = list(zip(words or [""] * len(tags), (word_class(tag) for tag in tags), strict=True))
    return _head(_core(pairs) or pairs)


def agrees(gold: Sequence[str], predicted: str, words: Sequence[str] = ()) -> bool:
    """Say whether a tagger's one word has the class of the head of the corpus's words.

    A name with the noun or suffix that says what it names is a name: of 广东/ns 省/n, whose head is n, both n and ns
    are right, and nt where a name of any kind is in it (中国/ns 银行/n).
    """
    head, given_class = head_class(gold, words), word_class(predicted)
    if given_class == head:
        return True
    classes = [word_class(tag) for tag in gold]
    named = NAMES.intersection(classes)
    return bool(named) and set(classes) <= NOMINAL | {"k"} and (given_class in named or given_class == "nt")


def _core(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Leave out what is never a head: particles with what they cut off, prefixes, one side of a coordination."""
    for position, (word, tag) in enumerate(pairs):
        if tag == "u" and word in _LINKS and pairs[position + 1 :]:
            return _core(pairs[position + 1 :])
        if tag == "u" and word == "得" and position:
            return _core(pairs[:position])
        if tag == "c" and 0 < position < len(pairs) - 1:
            return _core(pairs[:position])
    return [pair for pair in pairs if pair[1] not in _PARTICLES and pair[1] != "h"]


def _head(pairs: list[tuple[str, str]]) -> str:
    words, tags = [word for word, _ in pairs], [tag for _, tag in pairs]
    if tags[-1] == "k":
        return "v" if words[-1] == "化" else "n"
    if "v" in tags:
        first = tags.index("v")
        complement = first and tags[first - 1] == "a" and words[first] in DIRECTIONS
        return "a" if complement else "v"
    if "p" in tags:
        return "p"
    if tags[-1] == "f" and len(tags) > 1 and tags[-2] != "f":
        return "t" if tags[-2] in _TIMES else "s"
    return tags[-1]


# --- structures and affixes -------------------------------------------------------------------------------------------


Structure = Literal[
    "verb and object",
    "verb and complement",
    "adjective and complement",
    "modifier and head",
    "form of a verb or adjective",
    "affixed word",
    "numeral",
    "time",
    "place",
    "name",
]
"""What words may form so that they may also be taken for one word."""

STRUCTURES: tuple[Structure, ...] = get_args(Structure)

SUFFIXES = frozenset("们儿者性化家员式型度率论学界感热法")
PREFIXES = frozenset("阿老小第初非超副总准")
"""Affixes that keep apart from words of two characters and more; a tagger may call them h, k, n, b or otherwise."""

# What kind of place a name is of.
_GENERIC = frozenset("省市县区镇乡村州盟旗屯路街道山河江湖岛港湾海洋城")
_ASPECTS = frozenset("了着过得")
_INFIXES = frozenset("一了不没得")
_PREDICATES = frozenset(("v", "a", "vd", "ad"))
_PREDICATIVE = _PREDICATES | frozenset(("d", "z", "l", "b"))
_CONTENT = NOMINAL | _PREDICATES | frozenset(("b", "z", "t", "s", "g"))
_ADNOMINAL = NOMINAL | frozenset(("a", "b", "m", "r", "t", "s", "f", "z", "l", "i"))
_ADVERBIAL = frozenset(("d", "ad", "vd", "a", "r", "t", "s", "b", "z"))
# Idioms and words of closed classes have no members that could be expanded; adverbs and pronouns do (更是, 这个).
_UNPARTED = frozenset("ipcuyeohkx")


# --- the upper bound ------------------------------------------------------------------------------------------------


def joined_structure(words: Sequence[str], tags: Sequence[str]) -> Structure | None:
    """Return the structure of several words that may be taken for one, None where they form no such structure."""
    _check(words, tags)
    classes = [word_class(tag) for tag in tags]
    if len(words) < 2:
        return None
    return _special(words, classes) or (_simple(words, classes) if len(words) == 2 else None)


def _special(words: Sequence[str], classes: Sequence[str]) -> Structure | None:
    """Return a structure that does not depend on there being two words."""
    kinds = set(classes)
    if _reduplicated(words) or _inflected(words, classes):
        return "form of a verb or adjective"
    if kinds == {"m"}:
        return "numeral"
    if "t" in kinds and kinds <= {"t", "m", "q", "f"}:
        return "time"
    if kinds == {"nr"}:
        return "name"
    generic = "ns" in kinds and words[-1][-1:] in _GENERIC
    if kinds <= {"ns", "nz", "n", "s", "f"} and (generic or classes[-1] in {"ns", "s", "f"}):
        return "place"
    return None


def _simple(words: Sequence[str], classes: Sequence[str]) -> Structure | None:
    """Return the structure of two words."""
    first, second = classes
    if first == "h" or second == "k":
        return "affixed word"
    if first == "v" and second in {"v", "a", "f", "z", "vd"}:
        return "verb and complement"
    if first == "v" and (second in NOMINAL or second in {"r", "m", "q", "t", "s"}):
        return "verb and object"
    if first == "a" and second in {"v", "f"}:
        # 私/a 设/v is a modifier with its head, 好/a 起来/v an adjective with its complement; either may be one word.
        return "modifier and head" if len(words[1]) == 1 else "adjective and complement"
    adnominal = first in _ADNOMINAL and second in NOMINAL
    adverbial = first in _ADVERBIAL and second in _PREDICATES | {"d", "z", "vn"}
    counted = first in {"m", "r", "q"} and second in {"q", "m"}
    located = first in _ADNOMINAL | {"q"} and second in {"s", "f", "t"}
    return "modifier and head" if adnominal or adverbial or counted or located else None


def _reduplicated(words: Sequence[str]) -> bool:
    """Say whether words repeat, also with something between them: 试 试, 看 一 看, 去 不 去, 高兴 不 高兴."""
    if len(words) == 2:
        return words[0] == words[1]
    return len(words) == 3 and words[1] in _INFIXES and words[2].startswith(words[0])


def _inflected(words: Sequence[str], classes: Sequence[str]) -> bool:
    """Say whether this is a verb or an adjective with its aspect (穿 着) or its potential complement (看 不 见)."""
    if classes[0] not in {"v", "a", "z"}:
        return False
    if len(words) == 2:
        return classes[1] == "u" and words[1] in _ASPECTS
    return len(words) == 3 and words[1] in {"不", "得"} and classes[2] in {"v", "a", "f"}


# --- the lower bound ------------------------------------------------------------------------------------------------


def pieces_within_bounds(pieces: Sequence[str], tags: Sequence[str], whole: str) -> bool:
    """Say whether the pieces into which a tagger cut a word may each be a word.

    `tags` are those of the pieces, `whole` is the tag of the word in the corpus.
    """
    _check(pieces, tags)
    if len(pieces) < 2:
        return True
    if word_class(whole) in _UNPARTED:
        return False
    classes = [word_class(tag) for tag in tags]
    if len(set(pieces)) == 1 or _is_name(pieces, classes):
        return True
    return all(_is_unit(_Place(pieces, classes, position, word_class(whole))) for position in range(len(pieces)))


def _is_name(pieces: Sequence[str], classes: Sequence[str]) -> bool:
    """Say whether this is surname and given name, or a place name of two characters and more with its generic part."""
    if set(classes) == {"nr"}:
        return True
    return classes[0] == "ns" and len(pieces[0]) > 1 and set(classes[1:]) <= {"ns", "n"}


@dataclass(frozen=True, slots=True)
class _Place:
    """One of the pieces of a word, with what stands around it."""

    pieces: Sequence[str]
    classes: Sequence[str]
    place: int
    whole: str

    @property
    def piece(self) -> str:
        return self.pieces[self.place]

    @property
    def own(self) -> str:
        return self.classes[self.place]

    @property
    def before(self) -> str:
        return self.pieces[self.place - 1] if self.place else ""

    @property
    def after(self) -> str:
        return self.pieces[self.place + 1] if self.place + 1 < len(self.pieces) else ""

    @property
    def class_before(self) -> str:
        return self.classes[self.place - 1] if self.place else ""

    @property
    def class_after(self) -> str:
        return self.classes[self.place + 1] if self.place + 1 < len(self.classes) else ""


def _is_unit(at: _Place) -> bool:
    """Say whether a piece can be expanded, or is an affix of a word of two characters and more."""
    if at.piece == "儿" and at.before:
        return True
    if at.own in {"h", "k"} or at.piece in (PREFIXES if not at.before else SUFFIXES if not at.after else ()):
        affixed = at.before if at.own == "k" or not at.after else at.after
        return len(affixed) > 1 or (at.own not in {"h", "k"} and _is_free(at))
    return _is_free(at)


def _is_free(at: _Place) -> bool:
    """Say whether a piece can be expanded where it stands."""
    match at.own:
        case "d":  # an adverb modifies what is said of something, and is not part of a noun
            modified = set(at.classes[at.place + 1 :]) & (_PREDICATES | {"d", "z"})
            return at.whole in _PREDICATIVE and bool(modified or at.class_before == "d")
        case "m":
            return at.whole == "t" or bool({at.class_before, at.class_after} & {"m", "q", "t"})
        case "q":
            return at.class_before in {"m", "r", "q", "a"}
        case "f":
            return bool(at.before) or len(at.after) > 1
        case "u" | "y":
            return at.whole in _PREDICATIVE and at.class_before in _PREDICATES | {"z"}
        case "p" | "c" | "w":
            return len(at.before) != 1 and len(at.after) != 1 and at.own != "w"
    return len(at.piece) > 1 or at.own == "r" or _is_loose(at)


def _is_loose(at: _Place) -> bool:
    """Say whether a content morpheme of one syllable comes apart from the pieces around it."""
    if at.own == "nr":
        return len(at.before) > 1 or len(at.after) > 1
    if at.own in _PREDICATES | {"b"} and at.after:
        return len(at.after) > 1 or at.class_after not in _CONTENT
    if at.own == "v" and at.class_before == "v":
        return len(at.before) > 1
    return at.class_before not in _CONTENT and at.class_after not in _CONTENT


def within_bounds(words: Sequence[str], tags: Sequence[str], whole: str, *, joined: bool) -> bool:
    """Say whether a cut that differs from the corpus is within the bounds of a word.

    With `joined` the words and tags are those of the corpus that a tagger took for one word tagged `whole`; without,
    they are the tagger's pieces of one word of the corpus tagged `whole`.
    """
    return joined_structure(words, tags) is not None if joined else pieces_within_bounds(words, tags, whole)


def _check(words: Sequence[str], tags: Sequence[str]) -> None:
    if len(words) != len(tags) or not words:
        raise UserError(f"There are {len(words)} words and {len(tags)} tags.", valid="Each word has one tag.")
