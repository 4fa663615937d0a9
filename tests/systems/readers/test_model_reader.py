"""Does the model reader name scenes that are consistent with what it read, and say when there are none?"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.core import closure
from hengliang.materials.quantified_expressions import Description, consistent, read_expression, taken_together
from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.materials.scenes import Scene, scene_space
from hengliang.systems.readers import model_reader
from hengliang.systems.readers.base import ReadScene, ReadText
from hengliang.systems.readers.model_reader import ModelReader, ReaderChoice
from hengliang.systems.readers.understanding import Prior, understand
from tests.systems.readers.logical_forms import parse_logical_forms

HALF = "half(object, blue square)"
TEXTS = (
    HALF,
    "most(object, red)",
    "some(circle, red) & no(square, blue)",
    "a few(object, red)",
    "exactly(1; object, red)",
)


@pytest.fixture
def logical_forms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let descriptions be written as logical forms."""
    monkeypatch.setattr(model_reader, "remembered_parse", parse_logical_forms)


def one(reader: ModelReader, text: str, size: int = 4) -> ReadScene:
    return reader.read([ReadText(text, size)])[0]


def scene_of(reader: ModelReader, text: str, size: int = 4) -> Scene:
    found = one(reader, text, size).scene
    assert found is not None
    return found


def expressions(text: str) -> Description:
    return tuple(read_expression(piece, DEFAULT_DOMAIN) for piece in text.split(" & "))


@pytest.mark.usefixtures("logical_forms")
class TestLogicalForms:
    @pytest.mark.parametrize("choice", ["sample", "typical"])
    @pytest.mark.parametrize("text", TEXTS)
    @pytest.mark.parametrize("size", [4, 10, 20])
    def test_the_scene_is_consistent_with_what_was_read(self, choice: ReaderChoice, text: str, size: int) -> None:
        space = scene_space(DEFAULT_DOMAIN, size)
        left = consistent(expressions(text), space) or consistent(expressions(text), space, "semantic")
        for seed in range(5):
            read = one(ModelReader(choice, seed=seed), text, size)
            assert read.scene is not None, read.reason
            assert space.bit(read.scene) & left

    def test_seeds_are_readers(self) -> None:
        # Six scenes of four have two blue squares: 600 readers name each some 100 times, σ = √(600 · 1/6 · 5/6) = 9.1.
        named = Counter(scene_of(ModelReader(seed=seed), HALF).code for seed in range(600))
        assert len(named) == 6
        assert all(abs(count - 100) < 5 * 9.1 for count in named.values())

    @pytest.mark.parametrize("prior", ["scenes", "things"])
    def test_scenes_are_named_as_often_as_they_weigh(self, prior: Prior) -> None:
        weights = {scene.code: weight for scene, weight in understand(expressions(HALF), 4, prior=prior).likeliest(6)}
        named = Counter(scene_of(ModelReader(seed=seed, prior=prior), HALF).code for seed in range(2000))
        for code, weight in weights.items():
            # Five standard errors of a proportion.
            assert named[code] / 2000 == pytest.approx(weight, abs=5 * (weight * (1 - weight) / 2000) ** 0.5)

    def test_the_typical_scene_does_not_depend_on_the_seed(self) -> None:
        named = {scene_of(ModelReader("typical", seed=seed), HALF).code for seed in range(20)}
        assert len(named) == 1

    @given(st.integers(0, 2**40), st.permutations(TEXTS))
    def test_a_sample_depends_on_seed_text_and_size_only(self, seed: int, texts: list[str]) -> None:
        reader = ModelReader(seed=seed)
        together = reader.read([ReadText(text, 10) for text in texts])
        assert together == [one(ModelReader(seed=seed, name="other"), text, 10) for text in texts]

    def test_a_part_that_is_not_understood(self) -> None:
        text = "all(object, red) & hello there"
        assert scene_of(ModelReader(), text).number_of(0b0011) == 0
        refused = one(ModelReader(partial="refuse"), text)
        assert refused == ReadScene(None, "a part of the description is not understood: hello there")
        assert one(ModelReader(partial="refuse"), "all(object, red)").scene is not None

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("hello & goodbye", "the description is not understood: hello; goodbye"),
            ("", "the description is not understood: it says nothing"),
        ],
    )
    def test_what_is_not_understood(self, text: str, reason: str) -> None:
        assert one(ModelReader(), text) == ReadScene(None, reason)

    def test_a_contradiction(self) -> None:
        assert one(ModelReader(), "some(object, circle) & all(object, red) & no(object, red)").reason == (
            "the description contradicts itself. "
            "No scene of 4 things is left: all(object, red) and no(object, red) cannot be true together."
        )

    def test_a_scene_too_large_does_not_stop_the_others(self) -> None:
        found = ModelReader().read([ReadText(HALF, 400), ReadText(HALF, 4)])
        assert found[0].scene is None
        assert "scenes of 400 things" in found[0].reason
        assert found[1].scene is not None

    def test_a_semantic_reader(self) -> None:
        # "Some are red" excludes all only pragmatically.
        space = scene_space(DEFAULT_DOMAIN, 2)
        text = "some(object, red)"
        named = {scene_of(ModelReader(seed=seed, reading="semantic"), text, 2).number_of(0b1100) for seed in range(100)}
        assert named == {1, 2}
        assert consistent(expressions(text), space, "pragmatic") == 0  # of two, more than one and not all are none


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"choice": "best"}, "No choice of a reader is called 'best'"),
        ({"prior": "none"}, "No prior is called 'none'"),
        ({"reading": "loose"}, "No reading is called 'loose'"),
        ({"partial": "skip"}, "No way of reading parts is called 'skip'"),
        ({"language": "nl"}, "No language is called 'nl'"),
    ],
)
def test_a_wrong_option_is_told_when_it_is_used(wrong: dict[str, str], problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        ModelReader(**wrong).read([])  # type: ignore[arg-type]


def test_the_signature_names_all_that_counts() -> None:
    names = dict(ModelReader().signature().pairs)
    assert {"choice", "prior", "seed", "domain.name", "language", "reading", "partial"} <= set(names)
    assert closure(ModelReader).reaches(taken_together)
    assert ModelReader(seed=1).signature() != ModelReader(seed=2).signature()
    other = replace(DEFAULT_DOMAIN, chinese="物体")
    assert ModelReader(domain=other).signature() != ModelReader().signature()


def test_descriptions_in_both_languages() -> None:
    texts = [
        ReadText("All of the objects are red. Half of the objects are squares.", 4),
        ReadText("所有的图形都是红色的。一半的图形是方形。", 4),
    ]
    assert [read.scene.code if read.scene else read.reason for read in ModelReader().read(texts)] == ["RS=2 RC=2"] * 2
