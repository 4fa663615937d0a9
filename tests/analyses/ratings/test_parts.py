"""Are corrected p-values titled and placed beside their tests?"""

from __future__ import annotations

from hengliang.analyses.ratings.parts import ADJUSTED, adjusted_estimates, adjusted_label
from hengliang.statistics import family


def test_the_title_names_the_correction_and_the_size_of_the_family() -> None:
    corrected = family([("a", 0.01), ("b", None)], method="bonferroni")
    title = adjusted_label(corrected)[ADJUSTED].title
    assert title.en == "p, Bonferroni correction, 2 tests"
    assert title.zh == "p，Bonferroni 校正，2 项检验"


def test_each_corrected_p_stands_at_the_place_of_its_test() -> None:
    corrected = family([("a", 0.01), ("b", 0.04)], method="holm")
    places = {"a": {"comparison": "A − B"}, "b": {"comparison": "A − C"}}
    rows = adjusted_estimates(corrected, places)
    # Holm: 0.01 × 2 and max(0.02, 0.04 × 1); p itself stands with the test and is not repeated.
    assert [(dict(row.by), row.value, row.p) for row in rows] == [
        ({"comparison": "A − B"}, 0.02, None),
        ({"comparison": "A − C"}, 0.04, None),
    ]
