"""Are the rules learned that repair most, spoil least, and can be trusted?"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import Response, UserError
from hengliang.core import LabelledSpans, TaggedWord, labelled_spans, responses_frame
from hengliang.tagging import Tagger
from hengliang.tagging.sentences import gold_spans
from hengliang.tagging.trained.rules import CorrectedTagger, Rule, learn_rules
from tests.tagging.trained.lessons import items


class Given(Tagger):
    """Answers with tagged sentences that it was given, by their text."""

    name = "given"

    def __init__(self, golds: Sequence[str]) -> None:
        self.golds = golds

    def tag(self, sentences: Sequence[str]) -> LabelledSpans:
        held = dict(zip(items(list(self.golds))["content"], self.golds, strict=True))
        return labelled_spans([gold_spans(held[sentence]) for sentence in sentences])


def answers(golds: Sequence[str], system: str = "given") -> pl.DataFrame:
    rows = [
        Response(
            f"r{number}", f"lesson-{number}", system, None, "", "tagging",
            tuple(TaggedWord(start, end, tag) for start, end, tag in gold_spans(gold)),
        )
        for number, gold in enumerate(golds)
    ]  # fmt: skip
    return responses_frame(rows, "tagging")


# 过去 is a verb after a place and a time after a person; the tagger always says t.
RIGHT = [f"{who}/r 从/p {place}/ns 过去/v 。/w" for who in "他我你" for place in ("北京", "上海")]
TIMES = [f"{who}/r 过去/t {verb}/v 书/n 。/w" for who in "他我你" for verb in ("看", "买", "写")]
SAID = [gold.replace("过去/v", "过去/t") for gold in RIGHT]


def test_the_rule_that_tells_the_two_apart_is_found() -> None:
    found = learn_rules(items([*RIGHT, *TIMES]), answers([*SAID, *TIMES]), least=3, precision=1)
    # Six mistakes. "word+1 is 。" and "tag-1 is ns" and "tag+1 is w" and "tags ns w" repair all six without harm; the
    # first place in the order of PLACES is taken.
    assert found == (Rule("过去", "t", "v", "word+1", "。"),)
    assert (found[0].repaired, found[0].harmed) == (6, 0)
    again = CorrectedTagger(Given([*SAID, *TIMES]), found)
    contents = items([*RIGHT, *TIMES])["content"].to_list()
    expected = [gold_spans(gold) for gold in [*RIGHT, *TIMES]]
    assert [again.tag(contents).of(row) for row in range(len(contents))] == expected


def test_least_and_precision_are_kept() -> None:
    corpus, said = items([*RIGHT, *TIMES]), answers([*SAID, *TIMES])
    assert learn_rules(corpus, said, least=7) == ()
    assert len(learn_rules(corpus, said, least=6)) == 1
    # Where the tagger sees no difference: six sentences 。 that are v and two that are t, 6 of 8 right.
    more = ["书/n 过去/t 。/w", "画/n 过去/t 。/w"]
    corpus, said = items([*RIGHT, *more]), answers([*SAID, *more])
    rules = learn_rules(corpus, said, least=3, precision=0.75, words=["过去"])
    assert rules[0] == Rule("过去", "t", "v", "tag-1", "ns")
    blind = [gold.replace("/ns", "/n") for gold in SAID]
    assert learn_rules(items([*RIGHT, *more]), answers([*blind, *more]), least=4, precision=0.75) == (
        Rule("过去", "t", "v"),
    )
    assert learn_rules(items([*RIGHT, *more]), answers([*blind, *more]), least=4, precision=0.76) == ()


def test_only_the_words_that_were_asked_for_have_rules() -> None:
    corpus, said = items([*RIGHT, *TIMES]), answers([*SAID, *TIMES])
    assert learn_rules(corpus, said, words=["书", "没有"]) == ()
    assert [rule.word for rule in learn_rules(corpus, said, words=["过去", "书"])] == ["过去"]


def test_words_that_are_cut_otherwise_count_neither_for_nor_against() -> None:
    # In four sentences the annotators have 过去了 as one word: there is no right tag for 过去 there.
    corpus = items([*RIGHT, *["他/r 从/p 那里/r 过去了/v"] * 4])
    said = answers([*SAID, *["他/r 从/p 那里/r 过去/t 了/u"] * 4])
    (rule,) = learn_rules(corpus, said, least=3, precision=1)
    assert (rule.repaired, rule.harmed, rule.place) == (6, 0, "always")


def test_a_second_rule_builds_on_the_first() -> None:
    # After 从 … 过去 the tagger has called 的 a v where it is u; only 过去/v, which the first rule makes, tells it.
    right = [f"{who}/r 从/p {place}/ns 过去/v 的/u" for who in "他我你" for place in ("北京", "上海")]
    said = [gold.replace("过去/v", "过去/t").replace("的/u", "的/y") for gold in right]
    other = [f"{who}/r 过去/t 的/y" for who in "他我你"]
    rules = learn_rules(items([*right, *other]), answers([*said, *other]), least=3, precision=1)
    assert [rule.word for rule in rules] == ["过去", "的"]
    assert rules[1] == Rule("的", "y", "u", "tag-1", "v")


LINES = st.lists(
    st.lists(
        st.tuples(st.sampled_from("天地人"), st.sampled_from("nv"), st.sampled_from("nv")), min_size=1, max_size=5
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=60)
@given(LINES, st.integers(1, 3), st.sampled_from([0.5, 0.8, 1.0]))
def test_every_rule_gains_what_it_says(lines: list[list[tuple[str, str, str]]], least: int, precision: float) -> None:
    golds = [" ".join(f"{word}/{tag}" for word, tag, _ in line) for line in lines]
    said = [" ".join(f"{word}/{tag}" for word, _, tag in line) for line in lines]
    rules = learn_rules(items(golds), answers(said), least, precision)
    corpus = items(golds)["content"].to_list()
    wanted = [[tag for _, tag, _ in line] for line in lines]

    class Said(Given):
        def tag(self, sentences: Sequence[str]) -> LabelledSpans:
            return labelled_spans([gold_spans(line) for line in self.golds])

    def correct(count: int) -> int:
        found = CorrectedTagger(Said(said), rules[:count]).tag(corpus)
        return sum(
            tag == right
            for row, line in enumerate(wanted)
            for (_, _, tag), right in zip(found.of(row), line, strict=True)
        )

    for number, rule in enumerate(rules, start=1):
        assert correct(number) - correct(number - 1) == rule.repaired - rule.harmed >= least


def test_answers_of_two_taggers_and_bad_limits_are_refused() -> None:
    two = pl.concat([answers(SAID), answers(SAID, "other")])
    with pytest.raises(UserError, match="Rules are learned for one tagger, and the answers are of 2"):
        learn_rules(items(RIGHT), two)
    for least, precision in ((0, 0.9), (3, 0.0), (3, 1.5)):
        with pytest.raises(UserError, match="Rules cannot be learned with"):
            learn_rules(items(RIGHT), answers(SAID), least, precision)


def test_failed_answers_teach_nothing() -> None:
    failed = [Response("r", "lesson-0", "given", None, "", "tagging", None, "failed", "it hangs")]
    assert learn_rules(items(RIGHT), responses_frame(failed, "tagging")) == ()
