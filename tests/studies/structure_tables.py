"""Which tables of the page on structural supervision follow from the committed results?

`python -m tests.studies.structure_tables` writes them anew after the study was run in full.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hengliang.grammar.structure import ADJUSTED, LOSSES, RATIO
from hengliang.statistics import write_p
from tests import ROOT
from tests.analysis.descriptions.page_tables import filled

PAGE = ROOT / "docs" / "structural-supervision.md"
RESULTS = ROOT / "docs" / "results" / "structural_supervision.json"
SPEED_PAGE = ROOT / "docs" / "structured-models.md"
BENCHMARK = ROOT / "benchmarks" / "results" / "structure.json"
SCALE = ROOT / "benchmarks" / "results" / "structure_scale.json"
LABELS = ROOT / "benchmarks" / "results" / "clause_labels.json"
TREEBANKS = ("newspaper", "sinica", "ud")

MATERIALS = {"ours": "test suites", "theirs": "published suites"}
MODELS = ("5-gram", "LSTM", "RNNG", "Transformer", "PLM")
PRINTED = ("n-gram", *MODELS[1:])
TREES = ("right-branching", "shuffled")
PAIRS = (
    *(("RNNG", "LSTM"), ("PLM", "Transformer")),
    *((name, f"{name}, {trees}") for name in ("RNNG", "PLM") for trees in TREES),
)
SYSTEMS = (*MODELS, *(control for _, control in PAIRS[2:]))
NONE = "–"
F1 = ("labelled_f1", "unlabelled_f1")
GROWN = {"action": "action beam", "word": "word beam", "ranking": "ranking", "length": "words of the sentence"}
Row = Mapping[str, Any]
Found = dict[tuple[str, ...], Row]


def estimates(file: Path = RESULTS) -> list[Row]:
    """Return all rows of committed results."""
    rows: list[Row] = json.loads(file.read_text(encoding="utf-8"))["estimates"]
    return rows


def treebank_results(treebank: str) -> Path:
    """Return where the results of the study of a treebank lie."""
    return RESULTS.with_name(f"treebank_{treebank}.json")


def found_in(rows: Sequence[Row], analysis: str, statistic: str, *factors: str) -> Found:
    """Return the rows of one statistic of an analysis by these factors."""
    return {
        tuple(row["by"][factor] for factor in factors): row
        for row in rows
        if row["analysis"] == analysis and row["statistic"] == statistic
    }


def table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    written = [f"| {' | '.join(line)} |" for line in (head, *lines)]
    return "\n".join([written[0], "|" + "---|" * len(head), *written[1:]]) + "\n"


def percent(row: Row | None, digits: int = 1) -> str:
    """Write a share in per cent with its interval."""
    return _interval(row, 100, digits)


def effect(row: Row | None) -> str:
    """Write an effect with its interval, and p."""
    told = _interval(row, 1, 2)
    return told if row is None or row["p"] is None else f"{told}, p {_p(row['p'])}"


def _interval(row: Row | None, factor: float, digits: int) -> str:
    if row is None or row["value"] is None:
        return NONE
    value = f"{factor * row['value']:.{digits}f}"
    if row["low"] is None:
        return value
    return f"{value} [{factor * row['low']:.{digits}f}, {factor * row['high']:.{digits}f}]"


def _ratio(row: Row) -> str:
    """Write a ratio with its interval and p; a small one keeps two digits that say something."""
    if row["value"] is None:
        return NONE
    value, low, high = (f"{row[name]:.2g}" for name in ("value", "low", "high"))
    return f"{value} [{low}, {high}], p {_p(row['p'])}"


def _p(value: float) -> str:
    written = write_p(value)
    return written if written.startswith("<") else f"= {written}"


def _levels(found: Found, place: int) -> list[str]:
    return list(dict.fromkeys(key[place] for key in found))


# --- one material ---------------------------------------------------------------------------------------------------


def accuracy(rows: Sequence[Row], material: str) -> str:
    """Return accuracy by class of the five kinds of model."""
    found = found_in(rows, f"suite accuracy by class ({material})", "accuracy", "class", "system")
    lines = [[name, *(percent(found.get((name, model))) for model in MODELS)] for name in _levels(found, 0)]
    return table(["class", *MODELS], lines)


def controls(rows: Sequence[Row], material: str) -> str:
    """Return accuracy on the controls of each class that has some, for all systems."""
    found = found_in(rows, f"controls by class and part ({material})", "accuracy", "class", "system")
    lines = [[name, *(percent(found.get((name, system))) for system in SYSTEMS)] for name in _levels(found, 0)]
    return table(["control of", *SYSTEMS], lines)


def by_modifier(rows: Sequence[Row], material: str) -> str:
    """Return accuracy by class and modifier, without intervals."""
    analysis = f"suite accuracy by class and modifier ({material})"
    found = found_in(rows, analysis, "accuracy", "class", "modifier", "system")
    places = list(dict.fromkeys(key[:2] for key in found))
    lines = [
        [*place, *(percent({**found[*place, model], "low": None}) for model in MODELS)]
        for place in places
        if all((*place, model) in found for model in MODELS)
    ]
    return table(["class", "modifier", *MODELS], lines)


def growing(rows: Sequence[Row], material: str) -> str:
    """Return accuracy on missing object by modifier (Figure 3)."""
    analysis = f"suite accuracy by modifier (missing object, {material})"
    found = found_in(rows, analysis, "accuracy", "modifier", "system")
    lines = [[name, *(percent(found.get((name, model))) for model in MODELS)] for name in _levels(found, 0)]
    return table(["modifier", *MODELS], lines)


def structure(rows: Sequence[Row], material: str) -> str:
    """Return the effect of structure by class and kind of network, in both conventions (Table 1)."""
    ways = {"as in the paper": ", as in the paper", "nested": ""}
    held = {
        way: found_in(rows, f"structural supervision{ending} ({material})", "coefficient", "class", "parameterisation")
        for way, ending in ways.items()
    }
    kinds = ("recurrent", "transformer")
    head = ["class", *(f"{kind}, {way}" for kind in kinds for way in ways)]
    lines = [
        [name, *(effect(held[way].get((name, kind))) for kind in kinds for way in ways)]
        for name in _levels(held["nested"], 0)
    ]
    return table(head, lines)


def content(rows: Sequence[Row], material: str) -> str:
    """Return what each modifier costs each architecture, as the paper did it (Table 5)."""
    analysis = f"robustness to intervening content, as in the paper ({material})"
    found = found_in(rows, analysis, "coefficient", "architecture", "term")
    terms = _levels(found, 1)
    named = [term.partition("[")[2].rstrip("]") for term in terms]
    lines = [[name, *(effect(found.get((name, term))) for term in terms)] for name in _levels(found, 0)]
    return table(["model", *named], lines)


def under(rows: Sequence[Row], material: str) -> str:
    """Return how much less structured models lose under each modifier."""
    return under_modifiers(rows, f"structure under modifiers ({material})")


def under_modifiers(rows: Sequence[Row], analysis: str) -> str:
    """Return losses, their difference and the ratio of odds by network and modifier."""
    factors = ("parameterisation", "modifier")
    held = {name: found_in(rows, analysis, name, *factors) for name in (*LOSSES, RATIO, ADJUSTED)}
    lines = []
    for place in held[RATIO]:
        adjusted = held[ADJUSTED].get(place)
        last = NONE if adjusted is None or adjusted["value"] is None else write_p(adjusted["value"])
        losses = [percent(held[name].get(place)) for name in LOSSES]
        lines.append([*place, *losses, _ratio(held[RATIO][place]), last])
    return table(["network", "modifier", *LOSSES, "ratio of odds ratios", "adjusted p"], lines)


def garden(rows: Sequence[Row], material: str) -> str:
    """Return the mean surprisal differences in garden paths, in nats (Figure 4)."""
    analysis = f"garden-path effects ({material})"
    means = found_in(rows, analysis, "mean", "class", "system")
    tests = found_in(rows, analysis, "t", "class", "system")
    lines = [
        [name, *(effect({**means[name, model], "p": tests[name, model]["p"]}) for model in MODELS)]
        for name in _levels(means, 0)
    ]
    return table(["class", *MODELS], lines)


def trees(rows: Sequence[Row], material: str) -> str:
    """Return differences of accuracy item by item: structured and plain, given trees and trees without syntax."""
    analysis = f"suite differences by class ({material})"
    found = found_in(rows, analysis, "difference", "class", "system", "reference")
    adjusted = found_in(rows, analysis, "adjusted p", "class", "system", "reference")
    lines = []
    for name in _levels(found, 0):
        cells = []
        for pair in PAIRS:
            key = (name, *pair)
            p = adjusted[key]["value"] if key in adjusted else None
            cells.append(percent(found.get(key)) + ("" if p is None else f", p {_p(p)}"))
        lines.append([name, *cells])
    return table(["class", *(f"{first} − {second}" for first, second in PAIRS)], lines)


def printed(rows: Sequence[Row]) -> str:
    """Return Table 6 of the paper."""
    found = found_in(rows, "accuracy in the paper", "accuracy", "class", "system")
    lines = [[name, *(percent(found.get((name, model))) for model in PRINTED)] for name in _levels(found, 0)]
    return table(["class", *PRINTED], lines)


TABLES: Mapping[str, Callable[[Sequence[Row], str], str]] = {
    "accuracy": accuracy,
    "controls": controls,
    "modifiers": by_modifier,
    "structure": structure,
    "growing": growing,
    "content": content,
    "under": under,
    "garden": garden,
    "trees": trees,
}


def page_tables(rows: Sequence[Row]) -> dict[str, str]:
    """Return the tables of the page by their names; those of a material that was not asked are not there."""
    asked = {row["analysis"] for row in rows}
    found = {"printed": printed(rows)}
    for short, material in MATERIALS.items():
        if f"suite accuracy by class ({material})" in asked:
            found |= {f"{name}, {short}": make(rows, material) for name, make in TABLES.items()}
    return found


# --- perplexity and parsing -----------------------------------------------------------------------------------------


def treebank(rows: Sequence[Row]) -> str:
    """Return perplexity with its interval, by training too, agreement of trees, and how long the models learned."""
    whole = found_in(rows, "perplexity", "word", "system")
    seeds = found_in(rows, "perplexity by seed", "word", "system", "seed")
    traits = {name: found_in(rows, "traits", name, "system") for name in (*F1, "training_seconds")}
    lines = []
    for (system,), row in whole.items():
        single = [f"{held['value']:.0f}" for (name, _), held in seeds.items() if name == system]
        trees_found = [_number(traits[name].get((system,)), 100, 1) for name in F1]
        seconds = _number(traits["training_seconds"].get((system,)), 1 / 60, 1)
        lines.append([system, _interval(row, 1, 0), ", ".join(single), *trees_found, seconds])
    return table(["model", "perplexity", "of each training", "F1", "F1 without labels", "minutes"], lines)


def _number(row: Row | None, factor: float, digits: int) -> str:
    return NONE if row is None or row["value"] is None else f"{factor * row['value']:.{digits}f}"


def treebank_tables() -> dict[str, str]:
    """Return the tables of perplexity and parsing by their names."""
    return {f"treebank, {name}": treebank(estimates(treebank_results(name))) for name in TREEBANKS}


def scale() -> str:
    """Return the surprisals of the paper's sentences, recorded and ours."""
    rows = json.loads(SCALE.read_text(encoding="utf-8"))
    names = ("mean", "median", "ninetieth")
    lines = [
        [
            row["model"],
            f"{row['words']:,}",
            *(f"{row[who][name]:.2f}" for name in names for who in ("recorded", "ours")),
            f"{row['pearson']:.2f}",
        ]
        for row in rows
    ]
    head = [f"{name}, {who}" for name in ("mean", "median", "90 %") for who in ("paper", "ours")]
    return table(["model", "words", *head, "r"], lines)


def clause_labels() -> str:
    """Return what becomes of the control of subordination when subordinate clauses lose their label."""
    rows = json.loads(LABELS.read_text(encoding="utf-8"))["rows"]
    lines = [
        [
            row["arm"],
            str(row["seed"]),
            percent(row["control"]),
            percent(row["simple"]),
            f"{row['perplexity']:.0f}",
            f"{100 * row['labelled_f1']:.1f}",
        ]
        for row in rows
    ]
    return table(["trees", "seed", "control of subordination", "accuracy on subordination", "perplexity", "F1"], lines)


# --- speed ----------------------------------------------------------------------------------------------------------


def speed_tables() -> dict[str, str]:
    """Return the tables of the benchmark by their names."""
    found = json.loads(BENCHMARK.read_text(encoding="utf-8"))
    training = [
        [
            kind,
            *(
                f"{row[way][f'{unit}_per_second']:,.0f}"
                for way in ("batched", "alone")
                for unit in ("sentences", "words")
            ),
            f"{row['times_faster']:.1f}",
            f"{row['peak_megabytes']:,.0f}",
        ]
        for kind, row in found["training"].items()
    ]
    search = [
        [
            kind,
            *(f"{row['words_per_second'][way]:,.1f}" for way in ("many", "one", "peer")),
            *(f"{row['times_the_peer'][way]:,.1f}" for way in ("many", "one")),
            f"{row['difference']:.0e}",
        ]
        for kind, row in found["search"].items()
    ]
    suites = [
        [row["suites"], *(f"{row[name]:,}" for name in ("number", "sentences", "words")), f"{row['seconds'] / 60:.1f}"]
        for row in found["suites"]["asked"]
    ]
    grown = [
        [kind, title, str(row[what]), f"{1000 / row['words_per_second']:,.0f}", f"{row['mean_logprob']:.2f}"]
        for kind, held in found["search"].items()
        for what, title in GROWN.items()
        for row in held["growth"][what]
    ]
    ways = ("sentences/s", "words/s", "sentences/s, one at a time", "words/s, one at a time", "times", "peak MB")
    paces = ("words/s, 64 lanes", "one sentence", "one analysis", "times", "times, one sentence", "largest difference")
    return {
        "training": table(["network", *ways], training),
        "search": table(["network", *paces], search),
        "suites": table(["suites", "number", "sentences", "words", "minutes"], suites),
        "growth": table(["network", "what grows", "to", "ms a word", "mean log p of a sentence"], grown),
    }


def main() -> None:
    """Write the pages."""
    tables = {**treebank_tables(), **page_tables(estimates()), "scale": scale(), "clause labels": clause_labels()}
    PAGE.write_text(filled(PAGE.read_text("utf-8"), tables), "utf-8")
    SPEED_PAGE.write_text(filled(SPEED_PAGE.read_text("utf-8"), speed_tables()), "utf-8")


if __name__ == "__main__":
    main()
