"""Do English sentences end where a reader ends them, and is nothing lost?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.core import read_words, words_of
from hengliang.corpora.plain_text import english_sentences
from tests.core.text.text_strategies import covers


def cut(paragraph: str) -> list[str]:
    return [sentence.content for sentence in english_sentences(read_words(paragraph, "english"))]


@pytest.mark.parametrize(
    "sentences",
    [
        ["He left.", "She stayed."],
        ["Did he leave?", "No!", "He stayed…", "Why?"],
        ['"Go," she said.', "He went."],
        ['She said: "Go."', '"No," he said.'],
        ["(He left.)", "Then it rained."],
        ["‘He left.’", "“Then it rained.”", "Nobody saw it."],
        ["The U.S. Army came to St. Louis at 5 p.m. on Monday.", "It left on Jan. 3."],
        ["Mr. J. R. Smith of Smith Inc. paid No. 5 a visit.", "2019 was cold."],
        ["He came; she saw; we won.", "It cost 3.50 euros."],
        ["1. The list begins.", "2. The list goes on."],
        ["He shouted “Stop!” and ran.", "They ran too."],
        ["Did he say no?", "No.", "He said nothing."],
        ["Drs. Lee and Roe ( see pp. 17 and figs. 3 ) wrote Eq. ( 6 ).", "It holds."],
        # Words that were set apart by somebody else.
        ["They moved to St . Louis with J . Smith .", "It was cold ."],
        ['He said " Go . "', "Then he went ."],
        ["Peaking at No. 28 , it fell .", "Vol . 5 came later ."],
    ],
)
def test_sentences_are_a_readers(sentences: list[str]) -> None:
    assert cut(" ".join(sentences)) == sentences


@pytest.mark.parametrize("paragraph", ["no capital. follows here", "Go to a.b.Com now", "He won the U.S. She lost."])
def test_what_is_not_clear_is_not_cut(paragraph: str) -> None:
    assert cut(paragraph) == [paragraph]


def test_an_empty_paragraph_has_no_sentences() -> None:
    assert cut("") == []
    assert cut("   ") == []
    assert cut("...") == ["..."]


MARKS = [".", "!", "?", "...", '"', "'", "”", "’", ")", "(", ";", ",", " ", "  "]
PARAGRAPH = st.lists(st.sampled_from([*MARKS, "He", "went", "St", "No", "5", "U.S.", "n't", "é"]), max_size=25).map(
    "".join
)


@given(PARAGRAPH)
def test_no_word_is_lost_and_words_cover_each_sentence(paragraph: str) -> None:
    whole = read_words(paragraph, "english")
    found = english_sentences(whole)
    assert [word for sentence in found for word in sentence.words] == whole.words
    for sentence in found:
        assert sentence.content == sentence.content.strip() != ""
        assert covers(sentence.spans, len(sentence.content.encode()))
        assert words_of(sentence.content, sentence.spans) == read_words(sentence.content, "english").words
