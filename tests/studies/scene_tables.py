"""Which tables of the pages on scenes follow from the committed results?

`python -m tests.studies.scene_tables` writes them anew after the study was run in full or the benchmark again.
"""

from __future__ import annotations

import json
from typing import Any

from hengliang.analysis.reconstruction.published_swaps import AS_LARGE, PRINTED
from hengliang.analysis.reconstruction.swap_table import SHARE
from tests import ROOT
from tests.analysis.descriptions.page_tables import filled

PAGE = ROOT / "docs" / "scene-studies.md"
RESULTS = ROOT / "docs" / "results" / "scene_reconstruction.json"
SPEED_PAGE = ROOT / "docs" / "describers.md"
BENCHMARK = ROOT / "benchmarks" / "results" / "scenes.json"
READERS = ("sampling reader", "sampling reader, things alike", "sampling reader, whole texts only", "typical reader")


def cells() -> dict[tuple[str, str, str], dict[str, dict[str, Any]]]:
    """Return the rows of the comparison with the paper by reader, describer and size, and by statistic."""
    found: dict[tuple[str, str, str], dict[str, dict[str, Any]]] = {}
    for row in json.loads(RESULTS.read_text(encoding="utf-8"))["estimates"]:
        if row["analysis"] == "swaps beside the paper":
            place = (row["by"]["system"], row["by"]["condition"], row["by"]["scene_size"])
            found.setdefault(place, {})[row["statistic"]] = row
    return found


def swap_page_table() -> str:
    """Return the table in Markdown: the paper's percentage, and each reader's with the range of such experiments."""
    held = cells()
    places = [place[1:] for place in held if place[0] == READERS[0]]
    lines = ["| description by | things | paper 001 | sampling | things alike | whole texts only | typical |"]
    lines.append("|" + "---|" * 7)
    for describer, size in places:
        printed = held[READERS[0], describer, size][PRINTED]["value"]
        told = [_reader(held[reader, describer, size]) for reader in READERS]
        lines.append(f"| {describer} | {size} | {100 * printed:.2f} | {' | '.join(told)} |")
    return "\n".join(lines) + "\n"


def _reader(rows: dict[str, dict[str, Any]]) -> str:
    value, such = rows[SHARE]["value"], rows[AS_LARGE]
    if such["low"] is None:
        return f"{100 * value:.1f}"
    return f"{100 * value:.1f} [{100 * such['low']:.1f}, {100 * such['high']:.1f}]"


def speed_tables() -> dict[str, str]:
    """Return the tables of the benchmark in Markdown: by size of scene, and by domain."""
    held = json.loads(BENCHMARK.read_text(encoding="utf-8"))
    sizes = ["| things | scenes | IA cold | IA warm | GREEDY cold | GREEDY warm | IA, peer | GREEDY, peer |"]
    sizes.append("|" + "---|" * 8)
    for incremental, greedy in _both(held["sizes"]):
        times = [_ms(row[name]) for row in (incremental, greedy) for name in ("cold_ms", "warm_ms")]
        peers = [_ms(row["peer_ms"]) if row.get("peer_ms") else "" for row in (incremental, greedy)]
        sizes.append(f"| {greedy['size']} | {greedy['scenes']:,} | {' | '.join([*times, *peers])} |")
    domains = ["| values | scenes | candidates | IA warm | GREEDY warm | GREEDY cold |", "|" + "---|" * 6]
    for incremental, greedy in _both(held["domains"]):
        times = [_ms(incremental["warm_ms"]), _ms(greedy["warm_ms"]), _ms(greedy["cold_ms"])]
        head = f"| {greedy['domain']} | {greedy['scenes']:,} | {greedy['candidates']:,} |"
        domains.append(f"{head} {' | '.join(times)} |")
    return {name: "\n".join(lines) + "\n" for name, lines in (("sizes", sizes), ("domains", domains))}


def _both(rows: list[dict[str, Any]]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return the rows of the two describers side by side."""
    one, other = ([row for row in rows if row["describer"] == name] for name in ("QDG-IA", "QDG-GREEDY"))
    return list(zip(one, other, strict=True))


def _ms(value: float) -> str:
    return f"{value:.2f}" if value < 1 else f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def main() -> None:
    """Write the pages."""
    PAGE.write_text(filled(PAGE.read_text("utf-8"), {"swaps": swap_page_table()}), "utf-8")
    SPEED_PAGE.write_text(filled(SPEED_PAGE.read_text("utf-8"), speed_tables()), "utf-8")


if __name__ == "__main__":
    main()
