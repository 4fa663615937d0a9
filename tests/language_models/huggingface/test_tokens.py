from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from hengliang import UserError
from hengliang.core import utf8
from hengliang.language_models.huggingface.tokens import SpanTokenizer, Tokens, letters_of_bytes, span_tokenizer
from tests.language_models.huggingface import tiny_models

BYTE_LEVEL = span_tokenizer(tiny_models.byte_level())
METASPACE = span_tokenizer(tiny_models.metaspace())
UNIGRAM = span_tokenizer(tiny_models.unigram())
WORD_PIECE = span_tokenizer(tiny_models.word_piece())


def spans(tokens: Tokens) -> list[tuple[int, int]]:
    return list(zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True))


def spelled(tokenizer: SpanTokenizer, content: str) -> tuple[list[str], list[int], list[tuple[int, int]]]:
    (tokens,) = tokenizer.tokenise([content])
    assert tokens.problem == ""
    return [tokenizer.tokens[number] for number in tokens.ids.tolist()], tokens.units.tolist(), spans(tokens)


def test_the_letters_of_bytes_are_those_of_the_library() -> None:
    assert set(letters_of_bytes()) == set(pre_tokenizers.ByteLevel.alphabet())
    assert sorted(letters_of_bytes().values()) == list(range(256))
    # In GPT-2's vocabulary a space is written Ġ and a line feed Ċ.
    assert (letters_of_bytes()["Ġ"], letters_of_bytes()["Ċ"], letters_of_bytes()["a"]) == (0x20, 0x0A, 0x61)


def test_a_byte_level_token_may_end_inside_a_character() -> None:
    # 龘 is E9 BE 98 and in no sentence of the training, so it is three tokens; the character offsets of all are (0, 1).
    tokens, units, found = spelled(BYTE_LEVEL, "龘")
    assert tokens == ["é", "¾", "ĺ"]
    assert units == [0, 1, 2]
    assert found == [(0, 1), (1, 2), (2, 3)]


def test_a_byte_level_space_belongs_to_the_token_after_it() -> None:
    tokens, _, found = spelled(BYTE_LEVEL, "the cat")
    assert tokens[-1].startswith("Ġ")
    assert [start for start, _ in found] == [0, *(end for _, end in found[:-1])]
    assert (3, 7) in [(found[index][0], found[-1][1]) for index in range(len(found))]


def test_the_prefix_space_of_metaspace_is_of_no_byte() -> None:
    tokens, units, found = spelled(METASPACE, "龘 cat")
    # ▁ before the text is of no width and goes with the first byte of 龘; the ▁ before cat is the space.
    assert tokens[:4] == ["▁", "<0xE9>", "<0xBE>", "<0x98>"]
    assert units[:4] == [0, 0, 1, 2]
    assert found[:3] == [(0, 1), (1, 2), (2, 3)]
    assert found[3][0] == 3
    assert found[-1][1] == 7


def test_a_space_of_the_text_itself_is_kept_apart_from_the_prefix_space() -> None:
    tokens, units, found = spelled(METASPACE, " cat")
    # Two ▁ are written: the first is the tokenizer's own and of no width.
    assert "".join(tokens) == "▁▁cat"
    assert found[0][0] == 0
    assert found[-1][1] == 4
    assert len(found) == units[-1] + 1


def test_what_is_normalised_goes_by_offsets() -> None:
    # NFKC turns the full-width comma into an ASCII one, and ㎏ into two letters that share its three bytes.
    tokens, _, found = spelled(UNIGRAM, "他，了")
    assert tokens == ["▁", "他", ",", "了"]
    assert found == [(0, 3), (3, 6), (6, 9)]
    tokens, units, found = spelled(UNIGRAM, "㎏了")
    assert tokens == ["▁", "k", "g", "了"]
    assert units == [0, 0, 0, 1]
    assert found == [(0, 3), (3, 6)]


def test_the_unknown_covers_its_characters() -> None:
    tokens, _, found = spelled(UNIGRAM, "他龘了")
    assert tokens == ["▁", "他", "<unk>", "了"]
    assert found == [(0, 3), (3, 6), (6, 9)]
    tokens, _, found = spelled(WORD_PIECE, "他龘了")
    assert tokens == ["他", "[UNK]", "了"]
    assert found == [(0, 3), (3, 6), (6, 9)]


def test_word_pieces_are_lower_cased_and_take_the_space_before_them() -> None:
    tokens, _, found = spelled(WORD_PIECE, "The Cat。 ")
    assert tokens == ["the", "c", "##at", "。"]
    # The space at the end belongs to the last unit, for none comes after it.
    assert found == [(0, 3), (3, 5), (5, 7), (7, 11)]


def test_a_dropped_character_is_a_problem_that_names_it() -> None:
    # BERT's normaliser removes the zero-width space.
    (tokens,) = WORD_PIECE.tokenise(["a\u200bb"])
    assert "U+200B" in tokens.problem
    assert len(tokens.ids) == 0
    (tokens,) = WORD_PIECE.tokenise(["  "])
    assert tokens.problem == "the tokenizer finds no token in the text"


def test_a_character_without_a_token_or_an_unknown_is_a_problem() -> None:
    backend = Tokenizer(models.BPE({"a": 0, "b": 1}, []))
    make: type = PreTrainedTokenizerFast
    (found,) = span_tokenizer(make(tokenizer_object=backend)).tokenise(["a龘b"])
    assert found.problem == "the tokenizer leaves out the character '龘' (U+9F98, at 2)"


def test_special_tokens_in_a_text_are_text() -> None:
    (tokens,) = BYTE_LEVEL.tokenise(["<|endoftext|>"])
    assert len(tokens.ids) > 1
    assert spans(tokens)[-1][1] == 13


def test_truncation_and_padding_of_the_file_are_ignored() -> None:
    wrapper = tiny_models.byte_level()
    wrapper.backend_tokenizer.enable_truncation(3)
    wrapper.backend_tokenizer.enable_padding(length=50)
    short, long = span_tokenizer(wrapper).tokenise(["他", "他成为了医生。她昨天买了三本书"])
    assert spans(short)[-1] == (spans(short)[-1][0], 3)
    assert spans(long)[-1][1] == len("他成为了医生。她昨天买了三本书".encode())


def test_a_slow_tokenizer_is_refused() -> None:
    class Slow:
        is_fast = False

    with pytest.raises(UserError, match=r"tokenizer\.json"):
        span_tokenizer(Slow())


def test_no_text_no_tokens() -> None:
    for tokenizer in (BYTE_LEVEL, METASPACE, UNIGRAM, WORD_PIECE):
        assert tokenizer.tokenise([]) == []
        (tokens,) = tokenizer.tokenise([""])
        assert (len(tokens.ids), len(tokens.starts), tokens.problem) == (0, 0, "")


def test_names_are_texts_and_differ() -> None:
    names = BYTE_LEVEL.names(len(BYTE_LEVEL.tokens) + 2)
    assert len(set(names)) == len(names)
    assert " cat" in names
    assert "é" in names  # a lone byte is no text, so that it keeps its letter
    assert names[-1] == f"<unused {len(names) - 1}>"


def test_who_spells_every_byte_knows_every_character() -> None:
    assert BYTE_LEVEL.spells_all
    assert METASPACE.spells_all
    assert not UNIGRAM.spells_all
    assert not WORD_PIECE.spells_all


TEXTS = st.text(
    st.one_of(st.sampled_from("他成为了医生。龘 ㎏，é The\n\t<s>▁Ġ"), st.characters(exclude_categories=["Cs"]))
)


@settings(max_examples=150, deadline=None)
@given(st.lists(TEXTS, max_size=4))
def test_units_follow_each_other_and_cover_the_text(contents: list[str]) -> None:
    for tokenizer in (BYTE_LEVEL, METASPACE, UNIGRAM, WORD_PIECE):
        for content, tokens in zip(contents, tokenizer.tokenise(contents), strict=True):
            found = spans(tokens)
            if tokens.problem:
                assert found == []
                continue
            assert [start for start, _ in found] == [0, *(end for _, end in found)][: len(found)]
            assert all(start < end for start, end in found)
            assert (found[-1][1] if found else 0) == len(utf8(content))
            # Every token is in a unit, and every unit has a token.
            assert sorted(set(tokens.units.tolist())) == list(range(len(found)))
            assert tokens.units.tolist() == sorted(tokens.units.tolist())


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_byte_level_tokens_spell_their_spans(content: str) -> None:
    (tokens,) = BYTE_LEVEL.tokenise([content])
    raw = utf8(content)
    # Each token of this vocabulary has the bytes of its letters, and they are those of its span.
    for number, (start, end) in zip(tokens.ids.tolist(), spans(tokens), strict=True):
        assert bytes(letters_of_bytes()[letter] for letter in BYTE_LEVEL.tokens[number]) == raw[start:end]
