"""Of which class is the head of these words?

A tagger that joins words of the corpus has tagged them right when its word has the class of their head [1]. The head
is found by construction, not by place:

- A verb is the head of its object and of its complement, and of adverbs and others that stand before it: 降/v 息/Ng,
  唱/v 出/v and 初/d 露/v are headed by their first verb (or, of d+v, by the only one).
- A preposition is the head of its phrase (就/p 此/r), unless a verb follows that the phrase modifies.
- Everything else is headed by its last word: 学术/n 论文/n, 老/a 干部/n, 一/m 番/q, 很/d 好/a, 怎么/r 办/v.
- An adjective is the head of a directional complement: 好/a 起来/v.
- Particles (u, y) and prefixes (h) are never heads. 的, 之 and 地 have their head behind them, 得 before it. A suffix
  (k) makes a noun, 化 a verb.
- What stands before a word of place (f) becomes a place (s), 手/n 里/f; a time or what is counted becomes a time (t),
  节/t 前/f and 年/q 内/f.

Morphemes count as their class: Ng as n, Vg as v, Ag as a, Dg as d, Tg as t and so on. vn, an, vd and ad stay classes of
their own: the paper has items for vn taken for n, so a head vn under a word n is an error too. Names stay classes of
their own as well, see `agrees`.

[1] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
    Information Processing, 34(9), 9–18, section 2.1.5.
"""

from __future__ import annotations

from collections.abc import Sequence

from hengliang.core.errors import UserError

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
    head, given = head_class(gold, words), word_class(predicted)
    if given == head:
        return True
    classes = [word_class(tag) for tag in gold]
    named = NAMES.intersection(classes)
    return bool(named) and set(classes) <= NOMINAL | {"k"} and (given in named or given == "nt")


def _core(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Leave out what is never a head: particles with what they cut off, prefixes, one side of a coordination."""
    for place, (word, tag) in enumerate(pairs):
        if tag == "u" and word in _LINKS and pairs[place + 1 :]:
            return _core(pairs[place + 1 :])
        if tag == "u" and word == "得" and place:
            return _core(pairs[:place])
        if tag == "c" and 0 < place < len(pairs) - 1:
            return _core(pairs[:place])
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
