"""Is what was tagged or recognised before read from the cache, and the same?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import polars as pl
import pytest

from hengliang.core import places
from hengliang.core.labelling.recognisers import Recogniser
from hengliang.core.labelling.remembered_spans import ENTITY_BATCH, FEW, TAG_BATCH, remembered_entities, remembered_tags
from hengliang.core.labelling.spans import LabelledSpans, labelled_spans
from tests.systems.slot_finding.little_tagger import FailingTagger, LittleTagger

SENTENCES = [f"他买了三本书{'好' * (number % 7)}。" for number in range(TAG_BATCH + FEW)]


class CountingTagger(LittleTagger):
    """Counts what it is asked."""

    def __init__(self) -> None:
        self._asked = 0

    def tag(self, sentences: Sequence[str]) -> LabelledSpans:
        self._asked += len(sentences)
        return super().tag(sentences)


class Counted(Recogniser):
    """Finds every 京, and writes down each text it is asked about."""

    name = "counted"
    types: ClassVar[tuple[str, ...]] = ("GPE",)

    def __init__(self, log: str, breaks: bool = False) -> None:
        self.log = log
        self.breaks = breaks

    def recognise(self, contents: Sequence[str]) -> LabelledSpans:
        with Path(self.log).open("a", encoding="utf-8") as stream:
            stream.writelines(f"{content}\n" for content in contents)
        if self.breaks and any("坏" in content for content in contents):
            raise RuntimeError("broken")
        return labelled_spans([_places(content) for content in contents])


def _places(content: str) -> list[tuple[int, int, str]]:
    found = [place for place, character in enumerate(content) if character == "京"]
    return [(len(content[:place].encode()), len(content[: place + 1].encode()), "GPE") for place in found]


def rows(spans: LabelledSpans) -> list[list[tuple[int, int, str]]]:
    return [spans.of(row) for row in range(len(spans))]


def test_the_second_time_the_tagger_is_not_asked() -> None:
    tagger = CountingTagger()
    first = remembered_tags(tagger, SENTENCES)
    assert tagger._asked == len(SENTENCES)
    again = remembered_tags(tagger, SENTENCES)
    assert tagger._asked == len(SENTENCES)
    assert rows(again) == rows(first) == rows(LittleTagger().tag(SENTENCES))


def test_stopped_tagging_goes_on() -> None:
    tagger = CountingTagger()
    remembered_tags(tagger, SENTENCES[:TAG_BATCH])
    remembered_tags(tagger, SENTENCES)
    # The first batch is known, so only the second is asked for.
    assert tagger._asked == len(SENTENCES)


def test_a_broken_file_of_the_cache_is_made_again() -> None:
    tagger = CountingTagger()
    remembered_tags(tagger, SENTENCES)
    for file in (places.cache() / "tags").rglob("*.parquet"):
        pl.DataFrame({"odd": [1]}).write_parquet(file)
    assert rows(remembered_tags(tagger, SENTENCES)) == rows(LittleTagger().tag(SENTENCES))


def test_what_was_tagged_before_a_kill_is_kept_by_batches() -> None:
    class KilledTagger(CountingTagger):
        def tag(self, sentences: Sequence[str]) -> LabelledSpans:
            if self._asked >= 2 * TAG_BATCH:
                raise KeyboardInterrupt
            return super().tag(sentences)

    many = [f"他买了{number}本书。" for number in range(4 * TAG_BATCH)]
    tagger = KilledTagger()
    with pytest.raises(KeyboardInterrupt):
        remembered_tags(tagger, many)
    tagger._asked = 0
    assert rows(remembered_tags(tagger, many)) == rows(LittleTagger().tag(many))
    assert tagger._asked == 2 * TAG_BATCH  # the other half


def test_few_sentences_are_not_kept() -> None:
    remembered_tags(LittleTagger(), SENTENCES[:FEW])
    assert not (places.cache() / "tags").exists()


def test_tagging_that_failed_is_tried_again() -> None:
    sentences = [*SENTENCES[:FEW], "坏。"]
    assert remembered_tags(FailingTagger(), sentences).problems[-1] == "坏 stands in it"
    assert not list((places.cache() / "tags").rglob("*.parquet"))


def test_what_was_kept_unchecked_is_checked_for_whoever_wants_it() -> None:
    class FirstWord(LittleTagger):
        """Returns the first word of each sentence only."""

        def tag(self, sentences: Sequence[str]) -> LabelledSpans:
            return labelled_spans([words[:1] for words in rows(super().tag(sentences))])

    unchecked = remembered_tags(FirstWord(), SENTENCES)
    assert not any(unchecked.problems)
    checked = remembered_tags(FirstWord(), SENTENCES, checked=True)
    assert all("returned words that do not cover the sentence" in problem for problem in checked.problems)


def test_the_second_time_the_recogniser_is_not_asked(tmp_path: Path) -> None:
    log = tmp_path / "asked.txt"
    texts = [f"北京{number}" for number in range(ENTITY_BATCH + 3)]
    first = remembered_entities(Counted(str(log)), texts)
    asked = log.read_text(encoding="utf-8").splitlines()
    assert asked == texts
    second = remembered_entities(Counted(str(log)), texts)
    assert log.read_text(encoding="utf-8").splitlines() == asked
    assert rows(second) == rows(first)
    assert second.of(ENTITY_BATCH + 2) == [(3, 6, "GPE")]


def test_a_batch_in_which_something_failed_is_tried_again(tmp_path: Path) -> None:
    log = tmp_path / "asked.txt"
    for _ in range(2):
        found = remembered_entities(Counted(str(log), breaks=True), ["京", "坏"])
        assert found.problems[0] == ""
        assert "RuntimeError: broken" in found.problems[1]
        assert found.of(0) == [(0, 3, "GPE")]
    # The whole batch, then one by one, and all of it twice.
    assert log.read_text(encoding="utf-8").splitlines() == ["京", "坏", "京", "坏"] * 2


def test_no_texts_ask_nobody(tmp_path: Path) -> None:
    log = tmp_path / "asked.txt"
    assert len(remembered_entities(Counted(str(log)), [])) == 0
    assert not log.exists()
