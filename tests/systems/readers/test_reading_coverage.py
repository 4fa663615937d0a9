"""Is the coverage of a grammar measured rightly, and what is it for what people wrote?"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from hengliang import UserError
from hengliang.materials.elicited_descriptions import read_descriptions
from hengliang.materials.scenes import read_scene
from hengliang.systems.readers.parsing import Parse
from hengliang.systems.readers.reading_coverage import extent, parse_coverage, parsed_texts

TEXTS = ["All dots.", "All squares.", "All dots. Hooray.", "Hooray.", "Some dots, many wishes."]
SCENES = [read_scene(code) for code in ("RC=4", "RC=4", "RC=4", "RC=4", "RC=9")]


def test_a_row_for_each_text() -> None:
    rows = parsed_texts(TEXTS, SCENES)
    assert rows["extent"].to_list() == ["whole", "whole", "partly", "none", "none"]
    assert rows["semantic"].to_list() == [True, False, None, None, None]
    assert rows["unread"].to_list()[2:4] == ["Hooray", "Hooray"]
    assert rows["expressions"].to_list()[0] == "all(object, circle)"


def test_shares_by_size() -> None:
    frame = parse_coverage(TEXTS, SCENES)
    # Of four texts on scenes of four, two are read wholly, and one of these is true.
    assert frame.row(0, named=True) == {
        "size": 4, "texts": 4, "whole": 0.5, "partly": 0.25, "none": 0.25, "semantic": 0.5, "pragmatic": 0.5
    }  # fmt: skip
    assert frame["size"].to_list() == [4, 9]
    assert parse_coverage([], []).height == 0


def test_extents() -> None:
    assert extent(Parse()) == "none"


def test_each_text_needs_a_scene() -> None:
    with pytest.raises(UserError, match="5 texts cannot describe 1 scenes"):
        parsed_texts(TEXTS, SCENES[:1])


@pytest.mark.mirror
@pytest.mark.untraced
def test_what_people_wrote_is_read(mirror: Path) -> None:
    rows = read_descriptions(mirror / "qtuna")
    frame = parse_coverage(rows["text"].to_list(), [read_scene(code) for code in rows["scene"]])
    # Measured: .907, .811, .905 are read wholly; of these .976, .945, .921 are true by what they mean, and .918, .903,
    # .901 by what they convey. How vague words are fitted moves the truths a little: their floors are lower.
    assert frame["size"].to_list() == [4, 9, 20]
    assert below(frame, "whole", (0.90, 0.80, 0.90)) == []
    assert below(frame, "semantic", (0.95, 0.92, 0.90)) == []
    assert below(frame, "pragmatic", (0.89, 0.87, 0.87)) == []


def below(frame: pl.DataFrame, column: str, floors: tuple[float, ...]) -> list[str]:
    """Return the sizes at which a share is below its floor."""
    shares = zip(frame["size"], frame[column], floors, strict=True)
    return [f"{column} at {size}: {share:.3f}" for size, share, floor in shares if share < floor]
