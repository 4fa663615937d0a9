"""Is all that decides the meaning of an expression in its hash?"""

from __future__ import annotations

import ast
from pathlib import Path

from hengliang.core import digest
from hengliang.materials import meaning_code, quantified_expressions

FOLDER = Path(quantified_expressions.__file__).parent


def imported(module: str) -> set[str]:
    """Return the modules of the same folder that a module imports, and those that they import."""
    found = {module}
    for node in ast.walk(ast.parse((FOLDER / module).read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hengliang.materials."):
            found |= imported(f"{(node.module or '').rpartition('.')[2]}.py")
    return found


def test_every_module_that_expressions_lean_on_is_counted() -> None:
    assert imported("quantified_expressions.py") == {name for name in meaning_code.FILES if name.endswith(".py")}
    assert "vague_quantifiers.json" in meaning_code.FILES


def test_the_hash_is_that_of_the_files() -> None:
    expected = digest(*((FOLDER / name).read_bytes() for name in (*meaning_code.FILES, *meaning_code.WORDS)))[:8]
    assert meaning_code.meaning_code() == expected
