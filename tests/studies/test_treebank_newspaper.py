"""Does the study of the newspaper ask the models of structural supervision, controls included?"""

from __future__ import annotations

import pytest

from hengliang import Study
from hengliang.language_models import TrainedModel
from hengliang.studies import structural_supervision, treebank_newspaper


def recipes(study: Study) -> list[str]:
    return [system.recipe().name for system in study.systems if isinstance(system, TrainedModel)]


@pytest.mark.parametrize("quick", [True, False])
def test_the_models_are_those_of_structural_supervision(quick: bool) -> None:
    found = recipes(treebank_newspaper.study(quick))
    assert found == recipes(structural_supervision.study(quick))
    assert sum(name.endswith(("shuffled", "right-branching")) for name in found) == 4


def test_the_perplexities_of_the_paper_stand_beside() -> None:
    notes = " ".join(str(note) for note in treebank_newspaper.study().notes)
    # Table 3b of Wang et al. (2021).
    assert "n-gram 330, LSTM 161, RNNG 227, Transformer 234, PLM 297" in notes
