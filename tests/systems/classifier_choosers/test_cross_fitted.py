"""Does no chooser answer a sentence that it learned from?"""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.systems.classifier_choosers.cross_fitted import CrossFitted, OtherFolds, fold_numbers
from hengliang.systems.classifier_choosers.linear import Linear
from hengliang.systems.classifier_choosers.rankings import TOP
from hengliang.systems.classifier_choosers.rule import Rule
from tests.systems.classifier_choosers.lessons import Lessons, first, rankings


class Genre(Lessons):
    """Lessons whose nouns all differ, so that only having seen the very sentence tells the classifier."""

    name = "genre"

    def items(self) -> pl.DataFrame:
        return super().items().with_columns(id=pl.format("genre-{}", "id"))


NOUNS = [f"怪物{number}" for number in range(40)]
GENRE = Genre([(noun, "头", 1) for noun in NOUNS])
SENTENCES = pl.DataFrame({"sentence": [f"看见一{noun}。" for noun in NOUNS], "slot": 9, "noun": NOUNS})


def test_what_was_learned_from_a_sentence_does_not_answer_it() -> None:
    fitted = CrossFitted("RULE", GENRE, Lessons(), folds=4)
    # A chooser that has seen the nouns says 头; one that has not says 个.
    seen = Rule(GENRE).choose(SENTENCES)
    assert set(first(seen)) == {"头"}
    assert set(first(fitted.choose(SENTENCES))) == {"个"}


def test_other_sentences_profit() -> None:
    fitted = CrossFitted("RULE", GENRE, Lessons(), folds=4)
    others = SENTENCES.with_columns(sentence=pl.format("昨天来了一{}", "noun"), slot=15)
    answers = first(fitted.choose(others))
    # The sentence is another, so three quarters of the nouns are known to the chooser that is asked.
    assert 20 <= answers.count("头") <= 38
    assert answers.count("头") + answers.count("个") == 40


def test_each_ranking_is_that_of_its_fold() -> None:
    fitted = CrossFitted("RULE", GENRE, Lessons(), folds=3)
    folds = fold_numbers(SENTENCES["sentence"].to_list(), 3).to_list()
    expected = [
        rankings(pl.Series(fitted.choosers()[fold].choose(SENTENCES[row : row + 1])))[0]
        for row, fold in enumerate(folds)
    ]
    assert rankings(fitted.choose(SENTENCES)) == expected


@given(st.lists(st.text(max_size=5), min_size=1, max_size=30), st.integers(2, 6))
def test_folds_part_the_sentences(sentences: list[str], folds: int) -> None:
    numbers = fold_numbers(sentences, folds).to_list()
    assert set(numbers) <= set(range(folds))
    assert len({(sentence, number) for sentence, number in zip(sentences, numbers, strict=True)}) == len(set(sentences))


def test_folds_are_complements() -> None:
    items = GENRE.items()
    kept = [set(OtherFolds(GENRE, fold, 4).items()["id"]) for fold in range(4)]
    assert set.union(*kept) == set(items["id"])
    assert set.intersection(*kept) == set()
    assert OtherFolds(GENRE, 0, 4, repeats=3).items().height == 3 * len(kept[0])
    assert OtherFolds(GENRE, 0, 4, repeats=3).items()["id"].n_unique() == 3 * len(kept[0])


def test_without_a_genre_and_with_one_fold_there_is_an_error() -> None:
    with pytest.raises(UserError, match="needs the material of its genre"):
        CrossFitted("RULE").choose(SENTENCES)
    with pytest.raises(UserError, match="1 folds are not possible"):
        CrossFitted("RULE", GENRE, folds=1).choose(SENTENCES)


def test_it_names_as_many_classifiers_as_its_family() -> None:
    assert CrossFitted("RULE").top is None
    assert CrossFitted("LINEAR").top == Linear().top == TOP


def test_an_unknown_family_is_refused_when_it_is_asked() -> None:
    with pytest.raises(UserError, match="'NOBODY'"):
        CrossFitted("NOBODY", GENRE, Lessons()).choose(SENTENCES)
