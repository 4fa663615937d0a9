"""Are the published accuracies of the paper on Mandarin grammar entered whole?"""

from __future__ import annotations

from hengliang.grammar.published import paper_002, published_accuracies, published_trainings
from hengliang.grammar.recorded_surprisals import KINDS
from hengliang.grammar.suites.published import CLASSES


def test_table_6_has_a_number_for_each_model_and_class() -> None:
    """Five models trained on the Chinese Treebank, six classes, three decimals each."""
    held = published_accuracies()
    models = [kind.title for kind in KINDS.values()]
    assert list(held) == [(model, kind.title.en) for model in models for kind in CLASSES.values()]
    assert {len(text) for text in held.values()} == {5}
    assert held["RNNG", "missing object"] == "0.838"


def test_the_corner_sums_of_table_6() -> None:
    """Sums of the printed rows, added by hand from Table 6: 3.278, 3.837, 4.064, 3.810, 3.984."""
    sums: dict[str, float] = {}
    for (model, _), text in published_accuracies().items():
        sums[model] = sums.get(model, 0.0) + float(text)
    found = {model: round(total, 3) for model, total in sums.items()}
    assert found == {"n-gram": 3.278, "LSTM": 3.837, "RNNG": 4.064, "Transformer": 3.810, "PLM": 3.984}


def test_trainings_and_citation() -> None:
    """Footnote 6: two seeds for RNNGs, three for the other neural models."""
    assert published_trainings() == {"n-gram": 1, "LSTM": 3, "RNNG": 2, "Transformer": 3, "PLM": 3}
    assert "EMNLP 2021" in paper_002().citation
    assert set(paper_002().tables) == {"1", "5", "6"}
