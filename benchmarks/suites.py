"""How fast are our test suites run, against minicons scoring the same sentences with the same model?

A network of the size of GPT-2 with random weights and a tokenizer of its own (see `benchmarks.lm_pairs`) is asked all
written suites. Ours is timed over the whole of `hengliang suites run`: items, scores, judgements, estimates and the
report, in a new folder and without a cache. minicons is timed over `token_score` alone, with the batch size that suits
it best on a part of the sentences; to judge suites its users would still have to sum regions and compare. Loading is
not counted on either side. The surprisals are compared token by token.

    python -m benchmarks.suites [--json] [--minicons-python PATH]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import torch
from benchmarks.lm_pairs import ENGLISH, SAMPLE, THREADS, build, largest_difference, peer, run_ours, shared_tokens
from rich.console import Console
from rich.table import Table

from hengliang.core import Manifest, Silent
from hengliang.grammar import suite_study, suites
from hengliang.language_models import HuggingFaceCausal


def run_suites(model: Path, out: Path) -> tuple[float, Manifest]:
    """Run all suites as the command does, and return the seconds and what the run recorded of its stages."""
    torch.set_num_threads(THREADS)
    system = HuggingFaceCausal(model)
    system.answer(suites("verb_noun.none").items())  # loads the model
    study = suite_study([system], edges="include")
    begun = time.perf_counter()
    found = study.run(out, cache=False, watcher=Silent())
    seconds = time.perf_counter() - begun
    manifest = found.folder.manifest()
    if manifest is None:
        raise SystemExit("The run has left no manifest.")
    return seconds, manifest


def measure(arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Return seconds, counts and differences."""
    sentences = suites().items()["content"].to_list()
    model = folder / "model"
    build(model, [*sentences, *ENGLISH], arguments.layers, arguments.width, arguments.vocabulary)
    total, computed = shared_tokens(model, sentences)
    seconds, manifest = run_suites(model, folder / "run")
    found: dict[str, Any] = {
        "sentences": len(sentences),
        "tokens": total,
        "tokens_computed": computed,
        "seconds": seconds,
        "stages": {name: record.seconds for name, record in manifest.stages.items()},
    }
    longest = max(len(row) for row in run_ours(model, sentences[:SAMPLE], 2048, "auto")[1])
    theirs = peer(arguments.minicons_python, model, sentences, max(1, 2048 // (longest + 1)))
    if theirs:
        found |= {name: theirs[name] for name in ("best", "best_seconds")}
        surprisals = run_ours(model, sentences, 2048, "auto")[1]
        found["token_difference"] = largest_difference(surprisals, theirs["surprisals"])
    return found


def show(found: dict[str, Any]) -> None:
    """Print the table and what it stands on."""
    console = Console()
    table = Table("who", "seconds", "sentences/s", "times ours", title="test suites on a causal model")
    rows = [
        ("hengliang suites run, all stages", found["seconds"]),
        ("  of which scoring", found["stages"]["responses"]),
    ]
    if "best" in found:
        rows.append((f"minicons token_score, batches of {found['best']}", found["best_seconds"]))
    for name, seconds in rows:
        rate, ratio = found["sentences"] / seconds, seconds / found["seconds"]
        table.add_row(name, f"{seconds:.1f}", f"{rate:.0f}", f"{ratio:.2f}")
    console.print(table)
    console.print(
        f"{found['sentences']} sentences of {found['tokens']} tokens, of which {found['tokens_computed']} are computed."
    )
    if "best" in found:
        console.print(f"Largest difference from minicons: {found['token_difference']:.1e} nats by token.")
    else:
        console.print(
            "[bold]minicons is not installed, so there is nothing to compare with.[/bold] Put it into an environment "
            "of its own with: pip install minicons. Then name its interpreter: HENGLIANG_MINICONS_PYTHON=…/bin/python"
        )


def main() -> None:
    """Read the arguments, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print the measurements as JSON")
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--width", type=int, default=768)
    parser.add_argument("--vocabulary", type=int, default=21128, help="rows of the output layer, as in a Chinese GPT-2")
    parser.add_argument("--minicons-python", default=os.environ.get("HENGLIANG_MINICONS_PYTHON", sys.executable))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(arguments, Path(folder))
    if arguments.json:
        print(json.dumps(found, indent=1))
    else:
        show(found)


if __name__ == "__main__":
    main()
