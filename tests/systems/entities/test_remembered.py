"""Is what was recognised once found again, and what failed tried again?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from hengliang.systems.entities.base import Recogniser
from hengliang.systems.entities.remembered import BATCH, remembered_entities
from hengliang.systems.labelled_spans import LabelledSpans, labelled_spans


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


def test_the_second_time_nobody_is_asked(tmp_path: Path) -> None:
    log = tmp_path / "asked.txt"
    texts = [f"北京{number}" for number in range(BATCH + 3)]
    first = remembered_entities(Counted(str(log)), texts)
    asked = log.read_text(encoding="utf-8").splitlines()
    assert asked == texts
    second = remembered_entities(Counted(str(log)), texts)
    assert log.read_text(encoding="utf-8").splitlines() == asked
    assert [second.of(row) for row in range(len(texts))] == [first.of(row) for row in range(len(texts))]
    assert second.of(BATCH + 2) == [(3, 6, "GPE")]


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
    assert len(remembered_entities(Counted(str(tmp_path / "asked.txt")), [])) == 0
