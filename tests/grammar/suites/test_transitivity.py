"""Are the uses of a verb sorted by what stands around it?"""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.corpora import DEFAULT_CORPUS, TaggedParagraph, is_here
from hengliang.grammar.suites.verbs import TransitivityTable, VerbUses, corpus_transitivity, count_uses, verb_uses

needs_corpus = pytest.mark.skipif(
    not is_here(DEFAULT_CORPUS),
    reason="the default corpus is not installed: pip install 'hengliang[corpus]'",
)


def uses(line: str) -> list[tuple[str, str]]:
    tokens = [token.rpartition("/") for token in line.split()]
    return list(verb_uses([word for word, _, _ in tokens], [tag for _, _, tag in tokens]))


@pytest.mark.parametrize(
    ("line", "use"),
    [
        ("她/r 修理/v 机器/n 。/w", "with"),
        ("她/r 修理/v 了/u 机器/n 。/w", "with"),
        ("她/r 修理/v 。/w", "without"),
        ("她/r 修理/v 了/u ，/w 他/r 笑/a 了/y 。/w", "without"),
        ("她/r 修理/v 过/u 吗/y ？/w", "without"),
        ("“/w 她/r 修理/v 。/w ”/w", "without"),
        ("（/w 她/r 修理/v ）/w", "without"),
        ("她/r 修理/v", "without"),
        ("她/r 修理/v 、/w 清洗/vn", "with"),
        ("她/r 把/p 机器/n 修理/v 了/y 。/w", "with"),
        ("她/r 将/p 机器/n 修理/v 。/w", "with"),
        ("她/r 将/d 修理/v 。/w", "without"),
        ("机器/n 被/p 她/r 修理/v 了/y 。/w", "excluded"),
        ("机器/n 由/p 她/r 修理/v 。/w", "excluded"),
        ("她/r 所/u 修理/v 机器/n 。/w", "excluded"),
        ("她/r 修理/v 的/u 机器/n 。/w", "excluded"),
        ("机器/n 被/p 人/n ，/w 她/r 修理/v 。/w", "without"),
        ("把/p 门/n ，/w 她/r 修理/v 。/w", "without"),
        ("她/r 修理/vn 任务/n 。/w", "nominal"),
    ],
)
def test_a_use_by_its_neighbours(line: str, use: str) -> None:
    assert [kind for verb, kind in uses(line) if verb == "修理"] == [use]


def test_counts_of_a_small_corpus() -> None:
    lines = ["她/r 修理/v 机器/n 。/w", "她/r 修理/v 。/w", "修理/vn 任务/n", "被/p 她/r 修理/v 。/w"]
    paragraphs = []
    for number, line in enumerate(lines, 1):
        tokens = [token.rpartition("/") for token in line.split()]
        words, tags = tuple(word for word, _, _ in tokens), tuple(tag for _, _, tag in tokens)
        paragraphs.append(TaggedParagraph(number, words, tags))
    table = count_uses(paragraphs, "toy")
    assert table.uses("修理") == VerbUses("修理", uses=2, without_object=1, excluded=1, nominal=1)
    assert table.uses("修理").share == 0.5
    assert table.uses("飞") == VerbUses("飞", 0, 0) and table.uses("飞").share is None
    assert table.signature() == count_uses(reversed(paragraphs), "toy").signature()
    assert table.signature() != count_uses(paragraphs[1:], "toy").signature()


def test_a_verb_of_two_words_is_one_of_its_own() -> None:
    line = "她/r 走/v 进/v 房间/n ，/w 他/r 走/v 进/v 了/u 。/w 他/r 想/v 被/p 选/v 。/w"
    tokens = [token.rpartition("/") for token in line.split()]
    table = count_uses([TaggedParagraph(1, tuple(t[0] for t in tokens), tuple(t[2] for t in tokens))], "toy")
    assert table.uses("走 进") == VerbUses("走 进", uses=2, without_object=1)
    assert table.uses("走") == VerbUses("走", uses=2, without_object=0)
    assert table.uses("想 被").uses == 0


def test_an_interval_by_hand() -> None:
    # Wilson 1927: (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n), p = 3/22, n = 22, z = 1.959964.
    p, n, z = 3 / 22, 22, 1.959963984540054
    centre, spread = p + z**2 / (2 * n), z * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    expected = tuple((centre + sign * spread) / (1 + z**2 / n) for sign in (-1, 1))
    assert VerbUses("照顾", 22, 3).interval() == pytest.approx(expected, abs=1e-12)
    assert VerbUses("飞", 0, 0).interval() == (0.0, 1.0)


TOKENS = st.tuples(
    st.sampled_from(["修理", "机器", "被", "把", "的", "了", "。", "，"]), st.sampled_from(["v", "vn", "n", "p"])
)


@given(st.lists(TOKENS, max_size=12))
def test_every_verb_has_one_use(tokens: list[tuple[str, str]]) -> None:
    words, tags = [word for word, _ in tokens], [tag for _, tag in tokens]
    marks = {"。", "，"}
    excluding = {("被", "p"), ("把", "p")}
    verbs = [w for w, t in tokens if t in {"v", "vn"} and w not in marks and (w, t) not in excluding]
    assert [verb for verb, _ in verb_uses(words, tags) if " " not in verb] == verbs


@given(st.lists(TOKENS, max_size=8), st.lists(TOKENS, max_size=8))
def test_clauses_do_not_see_each_other(first: list[tuple[str, str]], second: list[tuple[str, str]]) -> None:
    """What stands before the end of a sentence does not change a use after it."""
    stop = [("。", "w")]
    both, alone = [*first, *stop, *second, *stop], [*second, *stop]

    def kinds(tokens: list[tuple[str, str]]) -> list[tuple[str, str]]:
        return list(verb_uses([word for word, _ in tokens], [tag for _, tag in tokens]))

    expected = kinds(alone)
    assert kinds(both)[len(kinds(both)) - len(expected) :] == expected


@pytest.mark.untraced
@needs_corpus
def test_the_default_corpus_tells_verbs_apart() -> None:
    table = corpus_transitivity()
    assert isinstance(table, TransitivityTable)
    assert sum(" " not in verb for verb in table.verbs) == 10_429
    # grep -oP '(?<![^ \[])成为/v(?= |$|\])' finds 666 uses; 659 + 7 = 666. None stands before a mark:
    # grep -cE ' 成为/v  (了/u  )?[，。；！？：]/w' finds 0.
    assert table.uses("成为") == VerbUses("成为", 659, 0, 7, 0)
    shares = {verb: table.uses(verb).share or 0.0 for verb in ("成为", "导致", "属于", "工作", "休息")}
    assert max(shares["成为"], shares["导致"], shares["属于"]) < 0.05 < 0.4 < min(shares["工作"], shares["休息"])
