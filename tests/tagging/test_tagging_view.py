"""Do the views of error pairs count what taggers gave, and show what they promise and no more?"""

from __future__ import annotations

import json

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.core import JUDGEMENT_SCHEMA, from_json, to_json
from hengliang.tagging import views as tagging_view
from hengliang.tagging.labels import tagging_item
from hengliang.tagging.views import SENTENCES_SHOWN, WORDS_SHOWN, PairView, SentenceView, Tally, WordView, pair_views
from tests.tagging.toy_tagging import items, responses, toy_pairs

TEXT = st.text(max_size=8)
NAMES = st.text(min_size=1, max_size=5)
COUNT = st.integers(0, 10**6)
TALLIES = st.dictionaries(NAMES, st.builds(Tally, COUNT, COUNT, COUNT, COUNT), max_size=3)
SENTENCES = st.builds(SentenceView, TEXT, TEXT, TEXT, TEXT, st.dictionaries(NAMES, st.tuples(TEXT, TEXT), max_size=3))
WORDS = st.builds(WordView, TEXT, TALLIES, st.lists(SENTENCES, max_size=2).map(tuple))
PAIRS = st.lists(st.builds(PairView, TEXT, COUNT, TALLIES, st.lists(WORDS, max_size=2).map(tuple)), max_size=2)


def judged() -> pl.DataFrame:
    return tagging_item().judge(items(), responses())


@given(PAIRS)
def test_pairs_come_back_from_json(pairs: list[PairView]) -> None:
    text = json.dumps(to_json(pairs), allow_nan=False)
    assert [from_json(PairView, each, "It") for each in json.loads(text)] == list(pairs)


def test_answers_are_counted_by_pair_and_word() -> None:
    verbs, both = toy_pairs()
    assert (verbs.pair, verbs.n_words, both.pair, both.n_words) == ("v:n", 3, "p+r:d", 1)
    # first: 工作 once n and once v, 决定 in two pieces, 来 right; second: 工作 twice n, the others right.
    assert verbs.tallies == {"first": Tally(2, 1, 1, 0), "second": Tally(2, 2, 0, 0)}
    assert [verbs.tallies[name].total for name in ("first", "second")] == [4, 4]
    # 就此 is d for the first, and the second has no answer, which is no mistake.
    assert both.tallies == {"first": Tally(0, 1, 0, 0), "second": Tally(0, 0, 0, 1)}
    assert [str(tally) for tally in both.tallies.values()] == ["0/1/0", "0/0/0 (−1)"]


def test_words_that_are_missed_come_first_and_others_not_at_all() -> None:
    verbs, _ = toy_pairs()
    # 工作 is missed thrice, 决定 once, 来 never.
    assert [word.word for word in verbs.words] == ["工作", "决定"]
    assert verbs.words[1].tallies == {"first": Tally(0, 0, 1, 0), "second": Tally(1, 0, 0, 0)}


def test_a_sentence_shows_what_each_tagger_gave_at_the_target() -> None:
    verbs, both = toy_pairs()
    (sentence,) = verbs.words[1].sentences
    assert (sentence.before, sentence.target, sentence.after, sentence.gold) == ("她", "决定", "。", "决定/v")
    assert sentence.given == {"first": ("决/v 定/v", "Record"), "second": ("决定/v", "Correct")}
    assert both.words[0].sentences[0].given == {"first": ("就此/d", "Wrong"), "second": ("", "")}


def test_so_many_words_of_a_pair_are_shown() -> None:
    many = 2 * WORDS_SHOWN
    asked = pl.concat(
        items().head(1).with_columns(id=pl.lit(f"{number}"), word=pl.lit(f"词{number:02}")) for number in range(many)
    )
    answers = pl.concat(
        responses().head(1).with_columns(id=pl.lit(f"a{number}"), item=pl.lit(f"{number}")) for number in range(many)
    )
    (pair,) = pair_views(asked, answers, tagging_item().judge(asked, answers))
    assert pair.n_words == many
    # All are missed once: the alphabet decides.
    assert [word.word for word in pair.words] == [f"词{number:02}" for number in range(WORDS_SHOWN)]
    assert pair.tallies["first"].total == many


@pytest.mark.parametrize(("most", "shown"), [(SENTENCES_SHOWN, [3, 1]), (4, [2, 1]), (2, [1, 1]), (1, [0, 0])])
def test_each_pair_has_its_share_of_sentences(most: int, shown: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    # v:n has three sentences of missed words, p+r:d one. Half of four are two each, half of one is none.
    monkeypatch.setattr(tagging_view, "SENTENCES_SHOWN", most)
    pairs = toy_pairs()
    assert [sum(len(word.sentences) for word in pair.words) for pair in pairs] == shown
    # Words are shown, and counted, with or without their sentences.
    assert [[word.word for word in pair.words] for pair in pairs] == [["工作", "决定"], ["就此"]]


def test_other_studies_have_no_error_pairs() -> None:
    assert pair_views(items().drop("pair"), responses(), judged()) == ()
    assert pair_views(items(), responses(), pl.DataFrame(schema=JUDGEMENT_SCHEMA)) == ()


def test_a_space_before_the_target_is_not_shown_in_its_words() -> None:
    asked = items().head(1).with_columns(content=pl.lit("a  b"), gold=pl.lit("b/v"))
    span = pl.concat_list(pl.struct(name=pl.lit("target"), start=pl.lit(3), end=pl.lit(4)))
    asked = asked.with_columns(spans=span.cast(items().schema["spans"]))
    words = [{"start": 0, "end": 1, "tag": "n"}, {"start": 1, "end": 4, "tag": "v"}]
    answers = responses().head(1).with_columns(content=pl.Series([words], dtype=responses().schema["content"]))
    labels = tagging_item().judge(asked, answers).with_columns(label=pl.lit("Wrong"))
    ((pair,)) = pair_views(asked, answers, labels)
    assert pair.words[0].sentences[0].given["first"][0] == "b/v"
