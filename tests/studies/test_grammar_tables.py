"""Do the tables on the page of Mandarin grammar follow from the results of the study?"""

from __future__ import annotations

import re

from tests.studies.grammar_tables import GRAMMAR, NETWORKS, PAGE, page_tables
from tests.studies.structure_tables import MODELS, estimates, found_in


def test_the_tables_of_the_page_are_those_of_the_study() -> None:
    page, found = PAGE.read_text(encoding="utf-8"), page_tables(estimates(GRAMMAR))
    assert set(re.findall(r"<!-- table: (.+?) -->", page)) == set(found)
    assert [name for name, text in found.items() if f"<!-- table: {name} -->\n{text}<!-- end -->" not in page] == []


def test_all_five_kinds_of_model_answered_every_class() -> None:
    found = found_in(estimates(GRAMMAR), "suite accuracy by class", "accuracy", "class", "system")
    classes = {place for place, _ in found}
    assert len(classes) == 6
    for place in classes:
        asked = {model: found[place, model]["n"] for model in MODELS}
        # Every training answers every comparison of the class; a 5-gram model has one training.
        assert asked == {
            "5-gram": asked["5-gram"],
            **{name: len(seeds) * asked["5-gram"] for name, seeds in NETWORKS.items()},
        }


def test_what_the_page_says_follows_from_the_results() -> None:
    rows = estimates(GRAMMAR)
    controls = found_in(rows, "controls by class and part", "accuracy", "class", "system")
    assert controls["subordination", "RNNG"]["low"] == 1
    assert controls["subordination", "PLM"]["low"] > 0.85
    assert all(controls["subordination", name]["high"] < 0.6 for name in ("LSTM", "Transformer"))
    losses = found_in(rows, "structure under modifiers", "difference of losses", "parameterisation", "modifier")
    assert losses["all networks", "subject relative"]["low"] > 0
    assert losses["all networks", "coordinated relatives"]["low"] > 0
    assert (
        losses["all networks", "embedded relatives"]["low"] < 0 < losses["all networks", "embedded relatives"]["high"]
    )
