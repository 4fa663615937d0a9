"""Does one method make a language model?"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import polars as pl
import pytest

from hengliang import Item, Signature, Span, UserError
from hengliang.core import answer_schema, check_answers, items_frame
from hengliang.language_models import Texts, read_texts, texts_of_items
from hengliang.language_models.base import Conventions, LanguageModel
from hengliang.language_models.scores import Scores, scores_of, scores_of_content
from tests.language_models.tiny_language_models import Bigrams, Masked

WORDS = (Span("word", 0, 3), Span("word", 3, 9), Span("verb", 0, 3))
ITEMS = items_frame(
    [Item("a", "s", "m", "", "走医生", WORDS), Item("b", "s", "m", "", "走了"), Item("c", "s", "m", "", "")]
)


def test_an_answer_is_the_scored_units_of_the_content() -> None:
    answers = check_answers(Bigrams().answer(ITEMS), ITEMS, Bigrams())
    assert answers["status"].to_list() == ["ok"] * 3
    assert answers["reason"].to_list() == [""] * 3
    scores = Bigrams().score(texts_of_items(ITEMS))
    assert scores_of_content(answers["content"]).logprobs.tolist() == scores.logprobs.tolist()
    # the given words of a; the characters of b; the end alone of c
    spans = [[(unit["start"], unit["end"]) for unit in content] for content in answers["content"].to_list()]
    assert spans == [[(0, 3), (3, 9), (9, 9)], [(0, 3), (3, 6), (6, 6)], [(0, 0)]]


class Choosy(Bigrams):
    """Has no answer to what is too short."""

    def score(self, texts: Texts) -> Scores:
        scores = super().score(texts)
        rows = [scores.units(row) if content else "nothing to score" for row, content in enumerate(texts.contents)]
        return scores_of(rows)


def test_a_problem_is_a_failed_answer_with_its_reason() -> None:
    answers = check_answers(Choosy().answer(ITEMS), ITEMS, Choosy())
    assert answers["status"].to_list() == ["ok", "ok", "failed"]
    assert answers["reason"].to_list() == ["", "", "nothing to score"]
    assert answers["content"].is_null().to_list() == [False, False, True]


class Forgetful(Bigrams):
    """Returns one score too few."""

    def score(self, texts: Texts) -> Scores:
        return super().score(texts).take(range(len(texts) - 1))


def test_a_wrong_number_of_scores_is_told() -> None:
    with pytest.raises(UserError, match=r"scores of 2 texts for 3.*hengliang check"):
        Forgetful().answer(ITEMS)


def test_no_items_have_no_answers() -> None:
    answers = Bigrams().answer(items_frame([]))
    assert answers.height == 0
    assert dict(answers.schema) == answer_schema("units")


def test_a_model_need_not_foretell() -> None:
    assert Bigrams().foretells
    assert not Masked().foretells
    with pytest.raises(UserError, match="'tiny' does not say which unit comes next"):
        Masked().next_units(read_texts(["他"]))


def test_conventions_are_part_of_the_signature() -> None:
    line = str(Bigrams().signature())
    for part in (
        "conventions.scoring:causal",
        "conventions.unit:word",
        "conventions.bos:yes",
        "conventions.log:natural",
    ):
        assert part in line
    assert "conventions.segmenter:characters" in line

    class Other(Bigrams):
        def conventions(self) -> Conventions:
            return replace(super().conventions(), eos=False)

    def stated(model: LanguageModel) -> list[tuple[str, str]]:
        return [pair for pair in model.signature().pairs if pair[0].startswith("conventions.")]

    assert [one for one, other in zip(stated(Bigrams()), stated(Other()), strict=True) if one != other] == [
        ("conventions.eos", "yes")
    ]


def test_a_model_without_words_says_that_it_has_no_segmenter() -> None:
    conventions = Conventions("masked", "subword", False, False, "bytes", "none", "512 pieces")
    assert dict(conventions.signature().pairs)["segmenter"] == "none"
    assert isinstance(conventions.signature(), Signature)


def test_two_methods_are_required() -> None:
    class Half(LanguageModel):
        def score(self, texts: Texts) -> Scores:
            return scores_of([])

    with pytest.raises(TypeError, match="conventions"):
        Half()  # type: ignore[abstract]


def test_words_of_an_item_must_cover_it() -> None:
    broken = ITEMS.with_columns(spans=pl.col("spans").list.head(1))
    with pytest.raises(UserError, match="ends at byte 9, where 3 was expected"):
        Bigrams().answer(broken)


def test_the_protocol_needs_no_torch() -> None:
    code = "import sys, hengliang.systems.language_models, hengliang.language_models.conformance; "
    heavy = "[name for name in ('torch', 'transformers', 'kenlm', 'rjieba') if name in sys.modules]"
    found = subprocess.run([sys.executable, "-c", f"{code}print({heavy})"], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
