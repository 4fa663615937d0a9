"""Regression check of estimates: the numbers of two versions of hengliang, compared row by row.

A refactoring changes no number. `take` runs the quick studies and the batteries on fixed inputs and writes their
estimates, one file each; `compare` lays two such folders side by side. Signatures are left out: they change whenever
code does. Numbers are equal up to the last digits that another processor may round otherwise.

    python scripts/compare_estimates.py take /tmp/now
    python scripts/compare_estimates.py take /tmp/now --runs runs     # estimates of runs that are there already
    python scripts/compare_estimates.py compare benchmarks/baseline /tmp/now
    python scripts/compare_estimates.py compare docs/results runs-full --common    # full runs, made by `make studies`

A folder holds estimates as lines of JSON (`*.jsonl`), as results (`*.json`), or as runs (`*/estimates.parquet`). The
tables of full runs hold sentences of corpora and are not committed: whoever has them in runs-full makes the estimates
again with `hengliang run STUDY --out runs-full/STUDY --from estimates`.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]

STUDY = "study_"
"""How the name of a file begins that holds the estimates of a study."""
NUMBERS = ("value", "low", "high", "df", "p")
EXACT = ("n", "n_missing", "method")
TIMES = {"training_seconds"}
"""Statistics whose value is how long something took; only that they are there is compared."""
RELATIVE = 1e-9
"""Differences below this share of a number are rounding of another processor's linear algebra."""

BATTERIES: dict[str, tuple[str, ...]] = {
    "analyse crossed": ("analyse", "crossed.csv", "-m", "fluency", "--by", "system", "--pair", "item,rater",
                        "--scale", "1-7", "--margin", "0.5"),
    "analyse nested": ("analyse", "nested.csv", "-m", "fluency", "--by", "language", "--item", "item", "--rater",
                       "rater", "--scale", "1-7"),
    "analyse split": ("analyse", "crossed.csv", "-m", "fluency", "--by", "system", "--pair", "item,rater",
                      "--split", "match", "--no-model"),
    "agree": ("agree", "scores.csv", "crossed.csv", "--first-score", "slor", "--second-score", "fluency"),
    "agree raters": ("agree", "crossed.csv", "crossed.csv", "--first-score", "clarity", "--second-score", "fluency"),
    "scenes analyse": ("scenes", "analyse", "answers.csv", "--experts", "experts.csv", "--draws", "200"),
    "suites table": ("suites", "table", "--recorded", "wang2021-surprisals", "--modifiers"),
}  # fmt: skip
NEED_MIRROR = {"suites table"}


def write_table(file: Path, rows: Sequence[Mapping[str, object]]) -> None:
    """Write rows as CSV."""
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def rating(chance: random.Random, centre: float) -> int:
    """Draw a rating from 1 to 7."""
    return min(7, max(1, round(chance.gauss(centre, 1.2))))


def write_inputs(folder: Path) -> None:
    """Write the fixed inputs of the batteries: made up, always the same."""
    chance = random.Random(24)
    items = {f"i{number:02}": chance.gauss(0, 0.7) for number in range(24)}
    raters = {f"r{number}": chance.gauss(0, 0.5) for number in range(6)}
    systems = {"CORPUS": 5.2, "RULE": 4.3, "LSTM": 4.6, "BERT": 5.0}
    crossed, scores = [], []
    for item, easy in items.items():
        for system, quality in systems.items():
            shift = chance.gauss(0, 0.4)
            scores.append({"item": item, "system": system, "slor": round(quality + easy + chance.gauss(0, 1), 6)})
            crossed += [
                {
                    "item": item,
                    "system": system,
                    "rater": rater,
                    "match": "yes" if shift > 0 else "no",
                    "fluency": rating(chance, quality + easy + shift + mild),
                    "clarity": rating(chance, quality + easy + mild),
                }
                for rater, mild in raters.items()
            ]
    write_table(folder / "crossed.csv", crossed)
    write_table(folder / "scores.csv", scores)
    nested = [
        {
            "item": f"{language}{number}",
            "language": language,
            "rater": rater,
            "fluency": rating(chance, 4 + easy + mild),
        }
        for language in ("cs", "de", "fr")
        for number, easy in enumerate([chance.gauss(0, 1) for _ in range(10)])
        for rater, mild in raters.items()
    ]
    write_table(folder / "nested.csv", nested)
    write_scenes(folder, chance)


def write_scenes(folder: Path, chance: random.Random) -> None:
    """Write reconstructions of scenes and the scores that experts gave to their descriptions."""
    kinds = ("BS", "RS", "BC", "RC")
    answers: list[dict[str, object]] = []
    experts: list[dict[str, object]] = []
    for number, size in enumerate((4, 4, 9, 9, 9, 20, 20, 20)):
        true = Counter(chance.choice(kinds) for _ in range(size))
        for describer, share in (("Human", 0.1), ("QDG-IA", 0.15), ("QDG-GREEDY", 0.3)):
            pair = f"{describer}-{number}"
            experts += [
                {"pair": pair, "judge": f"j{judge}", **{scale: rating(chance, 4.5) for scale in
                 ("naturalness", "informativity", "correctness")}}
                for judge in range(2)
            ]  # fmt: skip
            for reader in range(3):
                kept = [kind for kind in kinds for _ in range(true[kind])]
                seen = Counter(chance.choice(kinds) if chance.random() < share else kind for kind in kept)
                answers.append(
                    {
                        "pair": pair,
                        "describer": describer,
                        "scene": " ".join(f"{kind}={true[kind]}" for kind in kinds if true[kind]),
                        "size": size,
                        "participant": f"p{(number + reader) % 6}",
                        **{kind: seen[kind] for kind in kinds},
                    }
                )
    write_table(folder / "answers.csv", answers)
    write_table(folder / "experts.csv", experts)


def hengliang(folder: Path, *arguments: str) -> str:
    """Run a command of hengliang in a folder and return what it prints."""
    command = [str(Path(sys.executable).with_name("hengliang")), *arguments]
    # Neither finished work nor models of another version: a refactoring may keep signatures and yet change numbers.
    places = {"HENGLIANG_CACHE": str(folder / "cache"), "HENGLIANG_HOME": str(folder / "home")}
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, encoding="utf-8", env={**os.environ, **places}
    )
    if done.returncode:
        sys.exit(f"hengliang {' '.join(arguments)} failed:\n{done.stderr}")
    return done.stdout


def write_estimates(file: Path, rows: Sequence[Row]) -> None:
    """Write estimates as JSON, a line each, without what names code."""
    lines = [json.dumps({key: row[key] for key in row if key != "signature"}, ensure_ascii=False) for row in rows]
    file.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def take(out: Path, runs: Path | None) -> None:
    """Write the estimates of all quick studies and batteries, a file each."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        write_inputs(work)
        for name, arguments in BATTERIES.items():
            if name in NEED_MIRROR and not os.environ.get("HENGLIANG_MIRROR"):
                print(f"left out, HENGLIANG_MIRROR is not set: {name}")
                continue
            found = json.loads(hengliang(work, *arguments, "--json"))
            rows = found["estimates"] if isinstance(found, dict) else found
            write_estimates(out / f"{name.replace(' ', '_')}.jsonl", rows)
            print(f"{name}: {len(rows)} estimates")
        if runs is None:
            runs = work / "runs"
            hengliang(work, "run", "--all", "--quick", "--quiet", "--out", str(runs))
        for table in sorted(runs.glob("*/estimates.parquet")):
            rows = read_estimates(table)
            write_estimates(out / f"{STUDY}{table.parent.name}.jsonl", rows)
            print(f"{table.parent.name}: {len(rows)} estimates")


def read_estimates(file: Path) -> list[Row]:
    """Return the estimates of a file, whatever its form."""
    if file.suffix == ".jsonl":
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    if file.suffix == ".json":
        found: list[Row] = json.loads(file.read_text(encoding="utf-8"))["estimates"]
        return found
    import polars as pl

    from hengliang.core import estimate_records

    rows = [
        {name: getattr(row, name) for name in row.__dataclass_fields__}
        for row in estimate_records(pl.read_parquet(file))
    ]
    return [{**row, "by": dict(row["by"]), "df": list(row["df"])} for row in rows]


def files_of(folder: Path) -> dict[str, Path]:
    """Return the files of estimates in a folder by the name of the study or battery."""
    files = {file.stem.removeprefix(STUDY): file for file in sorted(folder.glob("*.json*"))}
    return files | {file.parent.name: file for file in sorted(folder.glob("*/estimates.parquet"))}


def keyed(rows: Sequence[Row]) -> dict[tuple[object, ...], Row]:
    """Return estimates by what they are of; rows of one name are told apart by their order."""
    seen: Counter[tuple[object, ...]] = Counter()
    found: dict[tuple[object, ...], Row] = {}
    for row in rows:
        key = (row["analysis"], tuple(sorted(row["by"].items())), row["statistic"])
        seen[key] += 1
        found[*key, seen[key]] = row
    return found


def same(old: object, new: object) -> bool:
    """Tell whether two values are equal, numbers up to rounding, nothing only to nothing."""
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(same, old, new))
    if isinstance(old, int | float) and isinstance(new, int | float):
        both_undefined = math.isnan(old) and math.isnan(new)
        return both_undefined or math.isclose(old, new, rel_tol=RELATIVE, abs_tol=1e-12)
    return old == new


def differences(old: Sequence[Row], new: Sequence[Row]) -> Iterator[str]:
    """Yield a line for every estimate of one table that the other has not, or has otherwise."""
    before, after = keyed(old), keyed(new)
    for key, row in before.items():
        if key not in after:
            yield f"is gone: {key}"
            continue
        for field in EXACT if row["statistic"] in TIMES else (*NUMBERS, *EXACT):
            if not same(row.get(field), after[key].get(field)):
                yield f"{field} {row.get(field)!r} -> {after[key].get(field)!r}: {key}"
    yield from (f"is new: {key}" for key in after if key not in before)


def compare(old: Path, new: Path, most: int, *, common: bool) -> int:
    """Print what differs between two folders of estimates, and return the exit code."""
    before, after = files_of(old), files_of(new)
    names = [name for name in before if name in after or not common]
    if not names:
        sys.exit(f"There are no estimates to compare in {old} and {new}.")
    failed = 0
    for name in names:
        if name not in after:
            print(f"{name}: not taken")
            failed += 1
            continue
        rows = read_estimates(before[name])
        found = list(differences(rows, read_estimates(after[name])))
        print(f"{name}: {len(rows)} estimates, " + (f"{len(found)} DIFFERENCES" if found else "equal"))
        for line in found[:most]:
            print(f"  {line}")
        failed += bool(found)
    return 1 if failed else 0


def main() -> int:
    """Read the command line and do what it says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    taking = verbs.add_parser("take", help="write the estimates of this version")
    taking.add_argument("out", type=Path)
    taking.add_argument("--runs", type=Path, help="a folder of quick runs that is there already")
    comparing = verbs.add_parser("compare", help="compare two folders of estimates")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    comparing.add_argument("--most", type=int, default=10, help="differences to print of each file")
    comparing.add_argument("--common", action="store_true", help="leave out what only one of the folders has")
    arguments = parser.parse_args()
    if arguments.verb == "take":
        take(arguments.out, arguments.runs)
        return 0
    return compare(arguments.old, arguments.new, arguments.most, common=arguments.common)


if __name__ == "__main__":
    sys.exit(main())
