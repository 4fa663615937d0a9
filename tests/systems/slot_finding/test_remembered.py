"""Is what was tagged before read from the cache, and the same?"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from hengliang import places
from hengliang.systems.labelled_spans import LabelledSpans
from hengliang.systems.slot_finding.remembered import BATCH, FEW, remembered_tags
from tests.systems.slot_finding.little_tagger import FailingTagger, LittleTagger

SENTENCES = [f"他买了三本书{'好' * (number % 7)}。" for number in range(BATCH + FEW)]


class CountingTagger(LittleTagger):
    """Counts what it is asked."""

    def __init__(self) -> None:
        self._asked = 0

    def tag(self, sentences: Sequence[str]) -> LabelledSpans:
        self._asked += len(sentences)
        return super().tag(sentences)


def rows(spans: LabelledSpans) -> list[list[tuple[int, int, str]]]:
    return [spans.of(row) for row in range(len(spans))]


def test_the_second_time_nothing_is_asked() -> None:
    tagger = CountingTagger()
    first = remembered_tags(tagger, SENTENCES)
    assert tagger._asked == len(SENTENCES)
    again = remembered_tags(tagger, SENTENCES)
    assert tagger._asked == len(SENTENCES)
    assert rows(again) == rows(first) == rows(LittleTagger().tag(SENTENCES))


def test_stopped_work_goes_on() -> None:
    tagger = CountingTagger()
    remembered_tags(tagger, SENTENCES[:BATCH])
    remembered_tags(tagger, SENTENCES)
    # The first batch is known, so only the second is asked for.
    assert tagger._asked == len(SENTENCES)


def test_a_broken_file_of_the_cache_is_made_again() -> None:
    tagger = CountingTagger()
    remembered_tags(tagger, SENTENCES)
    for file in (places.cache() / "tags").rglob("*.parquet"):
        pl.DataFrame({"odd": [1]}).write_parquet(file)
    assert rows(remembered_tags(tagger, SENTENCES)) == rows(LittleTagger().tag(SENTENCES))


def test_few_sentences_are_not_kept() -> None:
    remembered_tags(LittleTagger(), SENTENCES[:FEW])
    assert not (places.cache() / "tags").exists()


def test_a_batch_with_a_failure_is_tried_again() -> None:
    sentences = [*SENTENCES[:FEW], "坏。"]
    assert remembered_tags(FailingTagger(), sentences).problems[-1] == "坏 stands in it"
    assert not list((places.cache() / "tags").rglob("*.parquet"))
