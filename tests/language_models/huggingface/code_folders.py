"""How does a model look that has code of its own run, and has that code run?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TASKS = ("AutoConfig", "AutoModel", "AutoModelForCausalLM", "AutoModelForMaskedLM", "AutoModelForTokenClassification")


def with_code(folder: Path, part: str = "config") -> Path:
    """Let the configuration or the tokenizer of a whole folder ask for code, and return the file that it writes."""
    trace = folder.parent / "code-has-run.txt"
    source = f"from pathlib import Path\nPath({str(trace)!r}).write_text('run')\n"
    (folder / "brought.py").write_text(source + "from transformers import GPT2Config as Brought\n", encoding="utf-8")
    if part == "config":
        _change(folder / "config.json", model_type="brought", auto_map=dict.fromkeys(TASKS, "brought.Brought"))
    else:
        auto = {"AutoTokenizer": ["brought.Brought", "brought.Brought"]}
        _change(folder / "tokenizer_config.json", tokenizer_class="Brought", auto_map=auto)
    return trace


def _change(file: Path, **values: Any) -> None:
    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | values), encoding="utf-8")
