"""Does a description have the quality that follows from its logical form, before anybody reads it?"""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import Item, Response
from hengliang.core import check_judgements, items_frame, responses_frame, with_response_ids
from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.materials.scenes import Scene, scene_space
from hengliang.measures import description_quality
from hengliang.measures.description_quality import PARTS, DescriptionQuality, description_length
from tests.systems.readers.logical_forms import parse_logical_forms


def judged(
    *descriptions: tuple[str, str | None], measure: DescriptionQuality | None = None, stray: str = ""
) -> pl.DataFrame:
    """Judge descriptions of scenes; the item of one that is astray is not there."""
    items = [Item(str(place), "", "mine", "", scene) for place, (scene, _) in enumerate(descriptions)]
    rows = [
        Response("", stray or str(place), "D", None, "", "text", text, "ok" if text is not None else "missing",
                 "" if text is not None else "no words")
        for place, (_, text) in enumerate(descriptions)
    ]  # fmt: skip
    responses = with_response_ids(responses_frame(rows, "text"), "text")
    return check_judgements((measure or DescriptionQuality()).judge(items_frame(items), responses))


def values(scene: str, text: str | None, measure: DescriptionQuality | None = None) -> dict[str, float | None]:
    found = judged((scene, text), measure=measure)
    assert tuple(found["part"]) == PARTS
    return dict(found.select("part", "value").iter_rows())


def column(scene: str, text: str | None, name: str) -> dict[str, str | None]:
    return dict(judged((scene, text)).select("part", name).iter_rows())


@pytest.fixture
def logical_forms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let descriptions be written as logical forms."""
    monkeypatch.setattr(description_quality, "remembered_parse", parse_logical_forms)


@pytest.mark.usefixtures("logical_forms")
class TestLogicalForms:
    def test_a_complete_description(self) -> None:
        assert values("BC=1 RC=3", "all(object, circle) & exactly(1; object, blue)") == {
            "read whole": 1, "true (semantic)": 1, "true (pragmatic)": 1, "consistent scenes": 1, "complete": 1,
            "complete and true": 1, "expected swaps": 0, "expected swap percentage": 0, "expressions": 2,
            "words or characters": 7,
        }  # fmt: skip

    def test_an_incomplete_one(self) -> None:
        # Two of four are blue squares: six scenes; 0, 1, 1, 2, 2, 2 swaps from BS=2 RC=2.
        found = values("BS=2 RC=2", "half(object, blue square)")
        assert (found["consistent scenes"], found["complete"]) == (6, 0)
        assert found["expected swaps"] == pytest.approx(8 / 6)
        assert found["expected swap percentage"] == pytest.approx(100 * 8 / 24)
        # By things RC=2, RS=2, BC=2 weigh 1 and three mixed ones 2, of 9: (0·1 + 2·1 + 2·1 + 1·2 + 1·2 + 2·2) / 9.
        by_things = values("BS=2 RC=2", "half(object, blue square)", DescriptionQuality(prior="things"))
        assert by_things["expected swaps"] == pytest.approx(12 / 9)

    def test_a_false_one(self) -> None:
        found = values("BS=4", "all(object, circle) & all(object, red)")
        assert (found["true (semantic)"], found["true (pragmatic)"], found["complete"]) == (0, 0, 1)
        # One scene is left, and it is the wrong one.
        assert found["complete and true"] == 0
        assert found["expected swaps"] == 4

    def test_one_that_is_true_only_by_its_words(self) -> None:
        found = values("RC=4", "some(object, red)")
        assert (found["true (semantic)"], found["true (pragmatic)"]) == (1, 0)

    def test_the_label_says_which_reading_was_taken(self) -> None:
        assert column("RC=4", "some(object, red)", "label")["complete"] == "pragmatic"
        loose = "some(circle, red) & exactly(1; object, circle)"
        labels = column("BS=3 RC=1", loose, "label")
        assert labels["expected swaps"] == "semantic (no scene was left pragmatically)"
        assert (labels["consistent scenes"], labels["complete"], labels["expressions"]) == ("pragmatic",) * 2 + (None,)

    def test_complete_is_said_of_the_stated_reading_alone(self) -> None:
        # Pragmatically some of the circles are not all, but there is one circle only: nothing is left. Semantically
        # there is one red circle, one circle and no red square besides: one scene.
        loose = "some(circle, red) & exactly(1; object, circle) & no(square, red)"
        scene = "BS=3 RC=1"
        pragmatic = values(scene, loose)
        assert (pragmatic["consistent scenes"], pragmatic["complete"], pragmatic["complete and true"]) == (0, 0, 0)
        # A reader makes the best of it.
        assert pragmatic["expected swaps"] == 0
        semantic = values(scene, loose, DescriptionQuality(reading="semantic"))
        assert (semantic["consistent scenes"], semantic["complete"], semantic["complete and true"]) == (1, 1, 1)

    def test_a_contradiction_is_no_scene_and_no_swaps(self) -> None:
        text = "all(object, red) & all(object, blue)"
        found = values("RC=4", text)
        assert (found["consistent scenes"], found["complete"], found["read whole"]) == (0, 0, 1)
        assert found["expected swaps"] is None
        reason = column("RC=4", text, "reason")["expected swaps"]
        assert "all(object, red) and all(object, blue) cannot be true together" in (reason or "")
        assert column("RC=4", text, "label")["complete"] == "pragmatic"

    def test_one_that_is_read_in_part(self) -> None:
        found = values("RC=4", "all(object, red) & well well")
        assert (found["read whole"], found["expressions"], found["true (pragmatic)"]) == (0, 1, 1)
        assert found["consistent scenes"] == 5

    def test_one_of_which_nothing_is_read(self) -> None:
        found = values("RC=4", "well well")
        assert (found["read whole"], found["expressions"], found["words or characters"]) == (0, 0, 2)
        assert {part for part, value in found.items() if value is None} == {
            "true (semantic)", "true (pragmatic)", "consistent scenes", "complete",
            "complete and true", "expected swaps", "expected swap percentage",
        }  # fmt: skip
        assert column("RC=4", "well well", "reason")["complete"] == "nothing of the description could be read"

    @pytest.mark.parametrize(
        ("scene", "text", "stray", "reason"),
        [
            ("RC=4", None, "", "no words"),
            (
                "four circles",
                "all(object, red)",
                "",
                "the item is no scene that can be judged: 'four circles' is no scene.",
            ),
            (
                "RC=400",
                "all(object, red)",
                "",
                "the item is no scene that can be judged: There are 10,827,401 scenes of 400 things of 4 kinds.",
            ),
            ("RC=4", "all(object, red)", "elsewhere", "there is no item with this id"),
        ],
    )
    def test_what_cannot_be_judged_is_missing(self, scene: str, text: str | None, stray: str, reason: str) -> None:
        found = judged((scene, text), stray=stray)
        assert found["value"].null_count() == found.height == len(PARTS)
        assert set(found["reason"]) == {reason}

    def test_a_text_is_held_against_its_own_scene(self) -> None:
        found = judged(("RC=4", "all(object, red)"), ("BC=4", "all(object, red)"))
        assert found.filter(pl.col("part") == "true (semantic)")["value"].to_list() == [1, 0]

    @settings(max_examples=60)
    @given(st.integers(2, 9), st.data())
    def test_a_complete_true_description_has_no_expected_swaps(self, size: int, data: st.DataObject) -> None:
        space = scene_space(DEFAULT_DOMAIN, size)
        scene: Scene = data.draw(st.sampled_from(list(space.scenes(space.everything))))
        told = " & ".join(
            f"exactly({count}; object, {name})"
            for name, count in zip(DEFAULT_DOMAIN.kind_names, scene.counts, strict=True)
        )
        found = values(scene.code, told)
        assert (found["true (semantic)"], found["complete and true"], found["expected swaps"]) == (1, 1, 0)


def test_lengths() -> None:
    assert description_length("Two-thirds of them aren't red; 3 are.") == 7
    assert description_length("三分之二是红色的，3 个是圆形。") == 13
    assert description_length(" … ") == 0


def test_the_measure_keeps_the_promises_of_measures() -> None:
    assert [finding for finding in DescriptionQuality().conformance() if not finding.kept] == []


def test_english_and_mandarin() -> None:
    for text in (
        "All of the objects are circles. Half of the objects are blue.",
        "所有的图形都是圆形。一半的图形是蓝色的。",
    ):
        found = values("BC=2 RC=2", text)
        assert (found["read whole"], found["complete"], found["expected swaps"]) == (1, 1, 0), text
