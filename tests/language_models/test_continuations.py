"""Are the most probable units first?"""

from __future__ import annotations

import math

import numpy as np
import pytest

from hengliang import UserError
from hengliang.language_models import Texts
from hengliang.language_models.base import NextUnits
from hengliang.language_models.sampling import continuations
from tests.language_models.small_models import CharacterPairs, SmallBigrams


def test_the_most_probable_units_come_first_and_equals_in_the_models_order() -> None:
    found = continuations(SmallBigrams(), "他 买 了", 4)
    # After 了 came 书, 车 and 。 once each of three: P = (1 + 1) / (3 + 10); all others have 1 / 13.
    assert [one.unit for one in found] == ["书", "车", "。", "他"]
    assert [one.probability for one in found] == pytest.approx([2 / 13, 2 / 13, 2 / 13, 1 / 13])
    assert found[0].logprob == pytest.approx(math.log(2 / 13))


def test_all_of_them_sum_to_one() -> None:
    found = continuations(SmallBigrams(), "她", 1000)
    assert len(found) == 10
    assert sum(one.probability for one in found) == pytest.approx(1.0)


def test_the_beginning_may_be_empty_or_raw() -> None:
    # Two of three sentences begin with 他: P = (2 + 1) / (3 + 10).
    assert continuations(SmallBigrams(), "", 1)[0].probability == pytest.approx(3 / 13)
    assert continuations(SmallBigrams(), "他买了") == continuations(SmallBigrams(), "他 买 了")


class Forgetful(SmallBigrams):
    """Knows nothing after more than two words."""

    def next_units(self, prefixes: Texts) -> NextUnits:
        found = super().next_units(prefixes)
        late = np.diff(prefixes.offsets) > 2
        return NextUnits(found.units, np.where(late[:, None], np.nan, found.logprobs))


def test_a_beginning_that_the_model_cannot_score_is_told() -> None:
    assert len(continuations(Forgetful(), "他 买", 3)) == 3
    with pytest.raises(UserError, match=r"cannot say what comes after '他 买 了'.*Its context is"):
        continuations(Forgetful(), "他 买 了", 3)


def test_what_cannot_be_asked_is_told() -> None:
    with pytest.raises(UserError, match="0 units"):
        continuations(SmallBigrams(), "他", 0)
    with pytest.raises(UserError, match="does not say which unit comes next"):
        continuations(CharacterPairs(), "他")
