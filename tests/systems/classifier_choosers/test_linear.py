from __future__ import annotations

import math
import pickle
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from hengliang import UserError
from hengliang.core import find_registered as find
from hengliang.systems.classifier_choosers import chooser
from hengliang.systems.classifier_choosers.linear import (
    Linear,
    LinearModel,
    read_model,
    softmax,
    write_model,
)
from hengliang.systems.classifier_choosers.slot_features import VERSION, slot_characters, slot_keys
from hengliang.systems.classifier_choosers.trained import train_chooser
from tests.systems.classifier_choosers.lessons import Lessons, first, rankings, slots

ROWS = (
    [(noun, "本", 4) for noun in ("书", "小说", "教科书", "字典")]
    + [(noun, "匹", 3) for noun in ("马", "白马", "老马")]
    + [(noun, "个", 5) for noun in ("人", "工人", "问题")]
    + [("桥", "座", 2)]
)


class Course(Lessons):
    """The lessons with a sentence of its own for each slot, so that some are held out."""

    def items(self) -> pl.DataFrame:
        items = super().items()
        numbered = pl.format("{}第{}回。", pl.col("content"), pl.int_range(pl.len()))
        return items.with_columns(content=numbered)


def trained(folder: Path, rows: Sequence[tuple[str, str, int]] = ROWS, top: int | None = 20, **options: str) -> Linear:
    out = train_chooser(Linear(Course(rows), **options), folder)  # type: ignore[arg-type]
    return Linear(model=str(out), top=top)


@pytest.fixture(scope="module", params=["logistic", "svm"])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Linear:
    return trained(tmp_path_factory.mktemp("linear") / request.param, learner=request.param)


@pytest.fixture
def folder(model: Linear, tmp_path: Path) -> Path:
    """A copy of the model's folder that a test may damage."""
    return shutil.copytree(model.model, tmp_path / "copy")


def test_it_learns_its_lessons_and_carries_them_over_to_other_nouns(model: Linear) -> None:
    asked = slots("书", "白马", "工人", "桥", "菜谱书", "黑马", "军人", sentence="看见一", slot=9)
    assert first(model.choose(asked)) == ["本", "匹", "个", "座", "本", "匹", "个"]


@pytest.mark.parametrize("top", [20, 2, None])
def test_it_keeps_all_promises(model: Linear, top: int | None) -> None:
    findings = list(Linear(model=model.model, top=top).conformance())
    assert [finding for finding in findings if not finding.kept] == []
    assert len(findings) >= 17


def test_awkward_slots_get_whole_rankings(model: Linear) -> None:
    asked = pl.DataFrame(
        {
            "sentence": ["", "有一书", "有一𠮷𠮟。", "🐼", "有一书"],
            "slot": [0, 99, 6, 0, 4],
            "noun": ["", "", "𠮷𠮟", "laptop", "书"],
        }
    )
    found = rankings(Linear(model=model.model, top=None).choose(asked))
    assert [len(ranking) for ranking in found] == [4] * 5
    assert all(abs(sum(value for _, value in ranking) - 1) < 1e-9 for ranking in found)


def test_a_reopened_folder_and_a_worker_give_the_same_answers(model: Linear) -> None:
    asked = slots("书", "老马", "新问题", "桥")
    here = model.choose(asked)
    assert here.equals(Linear(model=model.model).choose(asked))
    assert here.equals(pickle.loads(pickle.dumps(model)).choose(asked))


def test_learning_twice_gives_the_same_weights(tmp_path: Path) -> None:
    for learner in ("logistic", "svm"):
        one, two = (trained(tmp_path / f"{learner}{number}", learner=learner) for number in (1, 2))
        assert np.array_equal(read_model(Path(one.model)).weights, read_model(Path(two.model)).weights)
        assert one.card()["dev_accuracy"] == two.card()["dev_accuracy"]


def test_answering_does_not_need_scikit_learn(model: Linear) -> None:
    program = f"""
import sys
sys.modules["sklearn"] = None
import polars as pl
from hengliang.systems.classifier_choosers.linear import Linear
slots = pl.DataFrame({{"sentence": ["有一书。"], "slot": [6], "noun": ["书"]}})
print(Linear(model={model.model!r}).choose(slots)[0][0]["label"])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "本"


def test_learning_without_scikit_learn_names_the_line_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("sklearn", "sklearn.linear_model", "sklearn.svm"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(UserError, match=r"pip install 'hengliang\[linear\]'"):
        trained(tmp_path / "model")


def test_one_class_only_is_certain_of_it(tmp_path: Path) -> None:
    alone = trained(tmp_path / "one", [("书", "本", 3), ("小说", "本", 2)])
    assert rankings(alone.choose(slots("书", "马", ""))) == [[("本", 1.0)]] * 3


@pytest.mark.parametrize("learner", ["logistic", "svm"])
def test_two_classes_are_told_apart(tmp_path: Path, learner: str) -> None:
    two = trained(tmp_path / "two", [("书", "本", 6), ("马", "匹", 6)], learner=learner)
    assert first(two.choose(slots("书", "马", sentence="看见一", slot=9))) == ["本", "匹"]


# --- probabilities by hand ------------------------------------------------------------------------------------------


def test_a_probability_by_hand() -> None:
    # Two features of the first slot are known: its first one with the weights (1, 2, 0), its second one with (0, 1, 3),
    # the intercept is (1, 0, -1). The sums are (2, 3, 2), the probabilities 1, e, 1 divided by 2 + e.
    asked = slots("书", "马")
    keys = slot_keys(slot_characters(asked))
    known = keys[:2, 0]
    order = np.argsort(known)
    weights = np.array([[1, 2, 0], [0, 1, 3]], np.float32)[order]
    model = LinearModel(
        keys=known[order],
        weights=weights,
        intercept=np.array([1, 0, -1], np.float32),
        characters=np.zeros(0, np.uint32),
        vectors=np.zeros((0, 0), np.float16),
        vector_weights=np.zeros((0, 3), np.float32),
    )
    scores = model.scorer().scores(asked)
    # 马 shares none of these two with 书: its noun and its last character are others.
    assert scores.tolist() == [[2, 3, 2], [1, 0, -1]]
    total = 2 + math.e
    assert softmax(scores.astype(np.float64))[0] == pytest.approx([1 / total, math.e / total, 1 / total], rel=1e-12)


def test_vectors_by_hand() -> None:
    # The noun 书马 has the mean vector (3 + 1) / 2 = 2, its last character 1, before the gap stands nothing that is
    # known, behind it 书马 again: 2. With weights 1, 10, 100, 1000 for the four groups the score is 2 + 10 + 2000.
    asked = slots("书马")
    order = sorted("书马")
    vectors = np.array([[{"书": 3.0, "马": 1.0}[character]] for character in order], np.float16)
    model = LinearModel(
        keys=np.zeros(0, np.uint64),
        weights=np.zeros((0, 1), np.float32),
        intercept=np.zeros(1, np.float32),
        characters=np.array([ord(character) for character in order], np.uint32),
        vectors=vectors,
        vector_weights=np.array([[1], [10], [100], [1000]], np.float32),
    )
    assert model.scorer().scores(asked).tolist() == [[2012.0]]


# --- on disk --------------------------------------------------------------------------------------------------------


def test_a_model_comes_back_from_the_disk_as_it_was(tmp_path: Path) -> None:
    model = LinearModel(
        keys=np.array([3, 9], np.uint64),
        weights=np.array([[1, 2], [3, 4]], np.float32),
        intercept=np.array([5, 6], np.float32),
        characters=np.array([ord("书")], np.uint32),
        vectors=np.array([[0.5, 0.25]], np.float16),
        vector_weights=np.arange(16, dtype=np.float32).reshape(8, 2),
    )
    write_model(tmp_path, model)
    held = read_model(tmp_path)
    for name in ("keys", "weights", "intercept", "characters", "vectors", "vector_weights"):
        assert np.array_equal(getattr(held, name), getattr(model, name))


@pytest.mark.parametrize("name", ["keys.npy", "weights.npy", "intercept.npy", "classifiers.json", "linear.json"])
def test_a_folder_with_a_truncated_or_missing_file_is_refused(folder: Path, name: str) -> None:
    held = (folder / name).read_bytes()
    (folder / name).write_bytes(held[:-3])
    with pytest.raises(UserError, match=f"damaged: {name} has"):
        Linear(model=str(folder)).choose(slots("书"))
    (folder / name).unlink()
    with pytest.raises(UserError, match=f"damaged: {name} is missing"):
        Linear(model=str(folder)).choose(slots("书"))


def test_arrays_that_do_not_belong_together_are_refused(folder: Path) -> None:
    np.save(folder / "intercept.npy", np.zeros(3, np.float32))
    with pytest.raises(UserError, match="do not belong together"):
        read_model(folder)
    np.save(folder / "intercept.npy", np.zeros(4, np.float64))
    with pytest.raises(UserError, match=r"intercept\.npy holds other numbers"):
        read_model(folder)
    (folder / "keys.npy").write_bytes(b"no array")
    with pytest.raises(UserError, match=r"keys\.npy cannot be read"):
        read_model(folder)


def test_a_model_with_features_of_another_version_is_refused(folder: Path) -> None:
    (folder / "linear.json").write_text('{"features": 0}')
    with pytest.raises(UserError, match=f"features of version 0, these are {VERSION}"):
        read_model(folder)


def test_wrong_options_say_what_is_valid() -> None:
    with pytest.raises(UserError, match=r"logistc.*Did you mean logistic\?"):
        Linear(learner="logistc").settings()  # type: ignore[arg-type]
    with pytest.raises(UserError, match=r"dense[\s\S]*both, embedding, sparse"):
        Linear(features="dense").settings()  # type: ignore[arg-type]
    with pytest.raises(UserError, match="strength=0"):
        Linear(strength=0).settings()


def test_it_is_registered_and_its_settings_name_its_place_in_the_store() -> None:
    assert find("classifier chooser", "LINEAR").kind is Linear
    assert isinstance(chooser("LINEAR", learner="svm"), Linear)
    course = Course(ROWS)
    assert Linear(course).stored_name() != Linear(course, learner="svm").stored_name()
    assert Linear(course).signature() != Linear(course, features="both").signature()
