"""Are the words that a model does not know counted, its ends left out, and what is unscored not counted as none?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang import Item, Span, Study, UserError
from hengliang.core import ScoredUnit, Watcher, items_frame, read_segmented
from hengliang.language_models import Texts
from hengliang.language_models.base import Conventions
from hengliang.language_models.perplexity import UnknownWords, counted_words, unknown_words
from hengliang.language_models.scores import Scores, scores_of
from tests.language_models.small_models import SmallBigrams
from tests.systems.entities.test_counting import Mine


def item(number: int, line: str) -> Item:
    content, spans = read_segmented(line)
    return Item(str(number), str(number), "m", "", content, tuple(Span("word", *span) for span in spans))


class Unprepared(SmallBigrams):
    """Scores nothing before it is prepared, and no sentence with 雨 at all; its name is its own."""

    name = "unprepared"
    seed = 7

    def __init__(self) -> None:
        super().__init__()
        self.ready = False

    def prepare(self, watcher: Watcher) -> None:
        self.ready = True

    def score(self, texts: Texts) -> Scores:
        scores = super().score(texts)
        if not self.ready:
            raise UserError("It is not prepared.")
        rows = [
            "rain" if "雨" in text.content else scores.units(row) for row, text in enumerate(texts.with_words("rjieba"))
        ]
        return scores_of(rows)


class Subwords(SmallBigrams):
    """Says that its units are subwords."""

    def conventions(self) -> Conventions:
        return Conventions("causal", "subword", True, True, "none", "none", "all", "")


def test_unknown_words_are_counted_and_ends_are_not() -> None:
    # The model knows 他 她 买 来 了 书 车 。 and the end: 猫 and 鱼 are unknown.
    items = items_frame([item(0, "他 买 了 猫 。"), item(1, "猫 猫 鱼"), item(2, "她 来 了 。"), item(3, "")])
    answers = unknown_words(SmallBigrams()).answer(items)
    counts = [{pair["kind"]: pair["count"] for pair in row} for row in answers["content"].to_list()]
    assert counts == [
        {"words": 5, "unknown": 1},
        {"words": 3, "unknown": 3},
        {"words": 4, "unknown": 0},
        {"words": 0, "unknown": 0},
    ]
    assert answers["status"].unique().to_list() == ["ok"]


def test_an_unknown_unit_of_no_width_is_no_word() -> None:
    units = [ScoredUnit(0, 3, -1.0, None), ScoredUnit(3, 3, -1.0, None), ScoredUnit(3, 6, -1.0, None)]
    words, unknown = counted_words(scores_of([units, "a reason", []], [True, True, False]))
    assert (words.tolist(), unknown.tolist()) == ([2, 0, 0], [1, 0, 0])


def test_the_model_is_prepared_and_what_it_cannot_score_has_its_reason(tmp_path: Path) -> None:
    system = UnknownWords(Unprepared())
    items = items_frame([item(0, "他 来 了 。"), item(1, "下 雨 了")])
    with pytest.raises(UserError, match="not prepared"):
        system.answer(items)
    study = Study("unknown", materials=[Mine()], systems=[system], measures=[], analyses=[])
    assert study.run(tmp_path / "run").responses["counts"]["status"].unique().to_list() == ["ok"]
    answers = system.answer(items)
    assert answers["status"].to_list() == ["ok", "failed"]
    assert (answers["content"][1], answers["reason"][1]) == (None, "rain")


def test_it_is_named_signed_and_seeded_by_its_model() -> None:
    system = unknown_words(Unprepared())
    assert (system.name, system.seed) == ("unknown words (unprepared)", 7)
    assert any(key.startswith("model.") for key, _ in system.signature().pairs)
    assert [finding for finding in system.conformance() if not finding.kept] == []


def test_a_model_of_subwords_is_refused() -> None:
    with pytest.raises(UserError, match=r"is the subword\. .*whose unit is the word"):
        unknown_words(Subwords()).answer(items_frame([item(0, "他 来 了 。")]))
