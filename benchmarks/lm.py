"""How quick are our language models beside their peers?

    python -m benchmarks.lm                      all parts, one after the other
    python -m benchmarks.lm training             a 5-gram of 10 and of 50 million words, against lmplz
    python -m benchmarks.lm scoring              a million words, against the module of KenLM
    python -m benchmarks.lm pairs                minimal pairs on a network of the size of GPT-2, against minicons
    python -m benchmarks.lm steps                training steps at the sizes of the paper, extrapolated

What follows the name of a part goes to that part; `python -m benchmarks.lm training --help` shows its options.
"""

from __future__ import annotations

import importlib
import sys

PARTS = ("scoring", "pairs", "training", "steps")


def main(arguments: list[str]) -> None:
    if arguments[:1] in (["-h"], ["--help"]):
        print(__doc__)
        return
    if arguments and arguments[0] not in PARTS:
        sys.exit(f"No part is called '{arguments[0]}'. Parts: {', '.join(PARTS)}.")
    for part in arguments[:1] or PARTS:
        print(f"-- {part}", flush=True)
        sys.argv = [f"benchmarks.lm {part}", *arguments[1:]]
        importlib.import_module(f"benchmarks.lm_{part}").main()


if __name__ == "__main__":
    main(sys.argv[1:])
