from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from hengliang.language_models import HuggingFaceMasked, raw_texts
from hengliang.systems.classifier_choosers.masked_slots import gaps_of, slot_logprobs
from tests.killed import goes_on_within_a_batch
from tests.language_models.huggingface.tiny_models import bert

# Forms whose characters the tiny model knows, of one, two and three tokens.
OFFERED = ("本", "个", "三", "本书", "个三", "三本书", "熊")
SLOTS = pl.DataFrame(
    {
        "sentence": ["她昨天买了三书，都很有意思。", "那学生把作业忘在家里了。", "书", "我们看了雪山。" * 12],
        "slot": [18, 3, 0, 9],
        "noun": ["书", "学生", "书", "雪山"],
    }
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> HuggingFaceMasked:
    return HuggingFaceMasked(bert(tmp_path_factory.mktemp("bert"), context=64))


def test_it_agrees_with_filling_one_slot_at_a_time(model: HuggingFaceMasked) -> None:
    found = slot_logprobs(model.loaded(), SLOTS, OFFERED)
    texts = raw_texts(SLOTS["sentence"])
    expected = model.fill(texts, [(slot, slot) for slot in SLOTS["slot"].to_list()], OFFERED).logprobs
    assert found == pytest.approx(expected, abs=1e-4, nan_ok=True)
    # 熊 is not in the vocabulary; everything else is.
    assert np.isnan(found[:, -1]).all()
    assert np.isfinite(found[:, :-1]).all()


def test_a_floor_gives_up_only_what_cannot_matter(model: HuggingFaceMasked) -> None:
    everything = slot_logprobs(model.loaded(), SLOTS, OFFERED)
    floor = 0.2
    some = slot_logprobs(model.loaded(), SLOTS, OFFERED, floor=floor)
    single = [0, 1, 2]
    longer = [3, 4, 5]
    assert some[:, single].tolist() == everything[:, single].tolist()
    given_up = np.isneginf(some[:, longer])
    mass = np.logaddexp.reduce(everything[:, single], axis=1)
    assert given_up.any()
    # What is given up has less than the floor, and what is kept has not changed.
    assert (everything[:, longer][given_up] < (np.log(floor) + mass)[:, None].repeat(3, 1)[given_up]).all()
    assert some[:, longer][~given_up] == pytest.approx(everything[:, longer][~given_up])


def test_a_window_cuts_both_sides(model: HuggingFaceMasked) -> None:
    loaded = model.loaded()
    (whole, *_), (cut, *_) = gaps_of(loaded, SLOTS), gaps_of(loaded, SLOTS, 3)
    assert whole is not None
    assert cut is not None
    assert (cut.left, cut.right) == (whole.left[-3:], whole.right[:3])
    # The sentence that is left is all that counts: 买了三 before the slot, 书，都 after it.
    short = pl.DataFrame({"sentence": ["买了三书，都"], "slot": [9], "noun": ["书"]})
    found, expected = slot_logprobs(loaded, SLOTS[:1], OFFERED, window=3), slot_logprobs(loaded, short, OFFERED)
    assert found == pytest.approx(expected, nan_ok=True)


def test_a_slot_at_the_edge_has_one_empty_side(model: HuggingFaceMasked) -> None:
    loaded = model.loaded()
    slots = pl.DataFrame({"sentence": ["书本", "书本", ""], "slot": [0, 6, 0], "noun": [""] * 3})
    first, last, alone = gaps_of(loaded, slots)
    assert first is not None
    assert last is not None
    assert alone is not None
    assert (first.left, last.right, alone.left, alone.right) == ((), (), (), ())
    assert first.right == last.left
    assert np.isfinite(slot_logprobs(loaded, slots, ("本",))).all()


def test_it_does_not_matter_what_else_is_asked(model: HuggingFaceMasked) -> None:
    whole = slot_logprobs(model.loaded(), SLOTS, OFFERED, floor=0.01)
    for row in range(SLOTS.height):
        alone = slot_logprobs(model.loaded(), SLOTS[row : row + 1], OFFERED, floor=0.01)
        assert alone[0] == pytest.approx(whole[row], abs=1e-5, nan_ok=True)


def test_candidates_of_several_tokens_alone_are_followed(model: HuggingFaceMasked) -> None:
    found = slot_logprobs(model.loaded(), SLOTS, ("本书", "三本书"), floor=0.5)
    assert np.isfinite(found).all()


def test_a_folder_is_read_as_it_is(tmp_path: Path) -> None:
    one, two = (HuggingFaceMasked(bert(tmp_path / str(seed), seed=seed)) for seed in (1, 2))
    assert not np.allclose(
        slot_logprobs(one.loaded(), SLOTS, OFFERED[:3]), slot_logprobs(two.loaded(), SLOTS, OFFERED[:3])
    )


def test_what_a_slow_batch_has_computed_is_kept(
    model: HuggingFaceMasked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work() -> np.ndarray:
        return slot_logprobs(model.loaded(), SLOTS, OFFERED)

    # Four slots of four lengths, asked for one, two and three hidden tokens, and on from the first of them.
    assert goes_on_within_a_batch(work, tmp_path, monkeypatch) >= 3 * 4
