"""Are names of scales refused that could not stand in a form or a table?"""

from __future__ import annotations

import pytest

from hengliang import Bilingual
from hengliang.experiments import Scale
from hengliang.people.tasks.names import names_fault


def scales(*names: str) -> list[Scale]:
    return [Scale(name, Bilingual(name, name)) for name in names]


def test_names_that_can_stand() -> None:
    assert names_fault(scales("clarity", "reaction time", "通顺", "a.b-c_d")) is None
    assert names_fault(scales("n" * 64)) is None


@pytest.mark.parametrize("name", ["", " a", "a ", "a\nb", "a\n", '"a"', "<a>", "n" * 65, "-a"])
def test_names_that_cannot(name: str) -> None:
    fault = names_fault(scales(name))
    assert fault is not None
    assert "is no name of a scale" in fault


def test_no_name_twice_and_not_none() -> None:
    assert names_fault(scales("a", "b", "a")) == "two scales are called 'a'"
    assert names_fault([]) == "it asks nothing"
