"""Are speeds of models with structure measured on the right sentences, and do the two searches say the same?"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from benchmarks.structure_measures import (  # noqa: E402
    QUICK,
    Plan,
    Reader,
    Stuff,
    growth,
    largest_difference,
    search_speed,
    sentences_of,
    single_rows,
    training_speed,
)

from hengliang.language_models import FoundAnalyses as Found  # noqa: E402
from hengliang.language_models import StructuredKind as Kind  # noqa: E402
from hengliang.language_models.structured import networks  # noqa: E402
from hengliang.language_models.structured import plm as sequence_session  # noqa: E402
from tests.language_models.structured.toy_treebank import KINDS, bank, train_tiny, vocabulary  # noqa: E402

PLAN = Plan(
    batches=2,
    alone=4,
    many=4,
    single=2,
    peer=1,
    searched_words=7,
    grown=2,
    grown_words=8,
    actions=(10, 100),
    words=(3, 10),
    lengths=(7, 8),
    threads=1,
)


def stuff() -> Stuff:
    texts, _ = bank(200)
    return Stuff(vocabulary(), bank(200), bank(40, 1), {length: sentences_of(texts, length, 4) for length in (7, 8)})


def test_sentences_have_the_length_and_are_all_different() -> None:
    texts, _ = bank(200)
    found = sentences_of(texts, 7, 4)
    assert [len(words) for words in found] == [7, 7, 7, 7]
    assert len(set(found)) == 4
    assert sentences_of(texts, 1000, 4) == ()


@pytest.mark.parametrize("kind", KINDS)
def test_both_searches_find_the_same_and_beams_are_told_in_order(kind: Kind, tmp_path: Path) -> None:
    train_tiny(kind, tmp_path)
    reader, held = Reader(tmp_path), stuff()
    found = search_speed(reader, held, PLAN)
    assert found["difference"] < 1e-4
    assert found["sentences"] == {"many": 4, "one": 2, "peer": 1}
    paces = found["words_per_second"]
    assert found["times_the_peer"]["many"] == paces["many"] / paces["peer"]
    grown = growth(reader, held, PLAN)
    assert [row["action"] for row in grown["action"]] == [10, 100]
    assert [row["word"] for row in grown["word"]] == [3, 10]
    assert [row["length"] for row in grown["length"]] == [7, 8]
    # The usual beam is in each of these rows, and is measured once.
    assert grown["action"][1]["seconds"] == grown["word"][1]["seconds"] == grown["ranking"][0]["seconds"]
    assert all(row["mean_logprob"] < 0 and row["unscored"] == 0 for rows in grown.values() for row in rows)


def test_training_is_measured_on_the_words_that_were_learned_from() -> None:
    before = torch.get_num_threads()
    try:
        found = training_speed("rnng", stuff(), PLAN)
    finally:
        torch.set_num_threads(before)
    for way in ("batched", "alone"):
        # Sentences of the toy treebank have 7 words at least; at most two clauses of 9, a comma and a full stop.
        assert 7 <= found[way]["words_per_second"] / found[way]["sentences_per_second"] <= 20
    assert found["times_faster"] == pytest.approx(
        found["batched"]["words_per_second"] / found["alone"]["words_per_second"]
    )
    # A step a word at least, and an OPEN and a CLOSE for every constituent.
    assert found["steps_by_word"] > 1


def blocks() -> list[int]:
    return [vars(module)["BLOCK"] for module in (networks, sequence_session)]


def test_whoever_asks_about_one_analysis_pays_for_one_row() -> None:
    before = blocks()
    with single_rows():
        assert blocks() == [1, 1]
    assert blocks() == before


def test_a_score_that_only_one_search_has_is_an_infinite_difference() -> None:
    found = Found((np.array([-1.0, -2.0]), np.zeros(0)), ("", "no analysis is left"), ((), ()))
    assert largest_difference(found, [[-1.0, -2.5]]) == 0.5
    assert largest_difference(found, [[-1.0, -2.0], [math.nan, math.nan]]) == 0.0
    assert largest_difference(found, [[-1.0, math.nan]]) == math.inf
    assert largest_difference(found, [[-1.0, -2.0], [-1.0]]) == math.inf


def test_the_quick_plan_holds_the_usual_beam() -> None:
    assert 100 in QUICK.actions
    assert 10 in QUICK.words
