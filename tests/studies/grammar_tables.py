"""Which tables of the page on Mandarin grammar follow from the committed results?

`python -m tests.studies.grammar_tables` writes them anew after the study was run in full.
"""

from __future__ import annotations

from collections.abc import Sequence

from hengliang.studies.mandarin_grammar import SEEDS, STRUCTURED_SEEDS
from tests import ROOT
from tests.analysis.descriptions.page_tables import filled
from tests.studies.structure_tables import (
    MODELS,
    RESULTS,
    Found,
    Row,
    effect,
    estimates,
    found_in,
    percent,
    printed,
    table,
    under_modifiers,
)

PAGE = ROOT / "docs" / "mandarin-grammar.md"
GRAMMAR = RESULTS.with_name("mandarin_grammar.json")
NETWORKS = {"LSTM": SEEDS, "RNNG": STRUCTURED_SEEDS, "Transformer": SEEDS, "PLM": STRUCTURED_SEEDS}
KINDS = ("recurrent", "transformer")


def page_tables(rows: Sequence[Row]) -> dict[str, str]:
    """Return the tables of the page by their names."""
    return {
        "accuracy": _shares(found_in(rows, "suite accuracy by class", "accuracy", "class", "system"), "class"),
        "printed": printed(rows),
        "controls": _shares(found_in(rows, "controls by class and part", "accuracy", "class", "system"), "control of"),
        "structure": _structure(rows),
        "modifiers": _shares(
            found_in(rows, "suite accuracy by modifier (missing object)", "accuracy", "modifier", "system"), "modifier"
        ),
        "under": under_modifiers(rows, "structure under modifiers"),
        "seeds": _seeds(rows),
    }


def _shares(found: Found, title: str) -> str:
    places = dict.fromkeys(place for place, _ in found)
    lines = [[place, *(percent(found.get((place, model))) for model in MODELS)] for place in places]
    return table([title, *MODELS], lines)


def _structure(rows: Sequence[Row]) -> str:
    found = found_in(rows, "structural supervision", "coefficient", "class", "parameterisation")
    places = dict.fromkeys(place for place, _ in found)
    lines = [[place, *(effect(found.get((place, kind))) for kind in KINDS)] for place in places]
    return table(["class", "RNNG against LSTM", "PLM against Transformer"], lines)


def _seeds(rows: Sequence[Row]) -> str:
    """Return the accuracy of each training by class, without intervals."""
    (analysis,) = {row["analysis"] for row in rows if row["analysis"].startswith("suite accuracy by class and seed")}
    found = found_in(rows, analysis, "accuracy", "system", "seed", "class")
    places = dict.fromkeys(place for _, _, place in found)
    lines = [
        [f"{name} {seed}", *(percent({**found[name, str(seed), place], "low": None}) for place in places)]
        for name, seeds in NETWORKS.items()
        for seed in seeds
    ]
    return table(["training", *places], lines)


def main() -> None:
    """Write the page."""
    PAGE.write_text(filled(PAGE.read_text("utf-8"), page_tables(estimates(GRAMMAR))), "utf-8")


if __name__ == "__main__":
    main()
