"""What must a model of sentences and trees say, so that its analyses can be searched?"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.core import Offsets
from hengliang.language_models.structured.derivations import NOTHING, OPEN, Session
from tests.language_models.structured.session_contract import contract_faults, wandered
from tests.language_models.structured.toy_sessions import EvenSession, Grammar, Scrambled, ShortOfBreath


def test_no_step_but_shift_has_a_word() -> None:
    assert NOTHING < 0


@pytest.mark.parametrize("session", [Grammar(), EvenSession()], ids=["grammar", "even"])
@pytest.mark.filterwarnings("ignore:invalid value encountered")
def test_sessions_keep_their_promises(session: Session) -> None:
    assert contract_faults(session) == []


@given(st.integers(0, 2**32), st.integers(0, 1000))
def test_a_scrambled_session_keeps_its_promises(seed: int, walk: int) -> None:
    assert contract_faults(Scrambled(seed), walk) == []


class Reversing(EvenSession):
    """Returns the states it keeps the wrong way round."""

    def keep(self, states: Offsets) -> Offsets:
        super().keep(states[::-1])
        return np.arange(self._next - len(states) + 1, self._next + 1, dtype=np.int64)

    def step_row(self, derivation: tuple[tuple[int, int], ...]) -> list[float]:
        return [float(len(derivation) + sum(word for _, word in derivation))] * self.limits.steps


def test_states_in_the_wrong_order_are_noticed() -> None:
    # The derivations differ in their words.
    assert "a state changed when others were forgotten" in contract_faults(Reversing())


def test_states_are_never_numbered_twice() -> None:
    session = Scrambled(1)
    states, _, made = wandered(session, 3)
    assert not set(session.keep(states).tolist()) & made
    with pytest.raises(ValueError, match="forgotten"):
        session.step_logits(states)


def test_a_model_may_be_unable_to_go_on() -> None:
    session = ShortOfBreath(1)
    first = session.advance(np.array([session.begin()]), np.array([OPEN]), np.array([NOTHING]))
    assert first[0] >= 0
    assert session.advance(first, np.array([OPEN]), np.array([NOTHING])).tolist() == [-1]
