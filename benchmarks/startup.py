"""How much processor time passes before a command does anything, beside the libraries that it stands on?

Each line is run in a process of its own some times over; the least of its processor times (of user and system) counts,
for another program on the machine can only add to it. The n-gram model is a small ARPA file that is written here. With
modules that are compiled already, as after the first use.

    python -m benchmarks.startup [--runs 9] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

ARPA = """\\data\\
ngram 1=4
ngram 2=3

\\1-grams:
-0.8 <unk>
-99 <s> -0.3
-0.5 </s>
-0.4 他 -0.2

\\2-grams:
-0.2 <s> 他
-0.3 他 </s>
-0.9 他 他

\\end\\
"""
COMMAND = "from hengliang.cli.main import main; main()"


def commands(model: Path) -> dict[str, list[str]]:
    """Return what is measured, and as peers the bare libraries; `model` is an ARPA file."""
    lines = {
        "import numpy, click": ["import numpy, click"],
        "import numpy, polars, click": ["import numpy, polars, click"],
        "import scipy.stats": ["import scipy.stats"],
        "hengliang --help": [COMMAND, "--help"],
        "hengliang survey --help": [COMMAND, "survey", "--help"],
        "import hengliang; hengliang.Study": ["import hengliang; hengliang.Study"],
        "hengliang lm surprisal": [COMMAND, "lm", "surprisal", "他 来 了 。", "--model", f"arpa:{model}"],
    }
    return {name: [sys.executable, "-c", *line] for name, line in lines.items()}


def processor_time(command: Sequence[str], runs: int) -> float:
    """Return the least processor time of a command, in seconds."""
    environment: Mapping[str, str] = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    times = []
    for _ in range(runs + 1):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times[1:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=9, help="how often each line is run")
    parser.add_argument("--out", type=Path, help="a JSON file for the numbers, as in benchmarks/results")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder, "tiny.arpa")
        model.write_text(ARPA, encoding="utf-8")
        seconds = {name: processor_time(line, arguments.runs) for name, line in commands(model).items()}
    for name, value in seconds.items():
        print(f"{value:6.3f} s of processor time  {name}")
    if arguments.out:
        numbers = {"runs": arguments.runs, "processor seconds": seconds}
        arguments.out.write_text(json.dumps(numbers, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
