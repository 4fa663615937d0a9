"""Is a module that was moved or merged by a plan the same module, for whoever imports it by its new or its old path?"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hengliang

SCRIPT = Path(__file__).parent.parent / "scripts" / "move_modules.py"
FILES = {
    "src/hengliang/__init__.py": "from hengliang.core.aliases import find_moved_modules\nfind_moved_modules()\n",
    "src/hengliang/core/__init__.py": "",
    "src/hengliang/core/moved_modules.txt": "",
    "scripts/homes.toml": "# Homes.\n\nold = [\"old\"]\n",
    "src/hengliang/old/__init__.py": '"""Old."""\n',
    "src/hengliang/old/words.txt": "三 匹 马\n",
    "src/hengliang/old/nouns.py": '"""Nouns of a list.\n\nThey come from a file.\n"""\n\nfrom pathlib import Path\n\n\n'
    'def package_data(module: str, name: str) -> Path:\n    return Path(__file__).with_name(name)\n\n\n'
    'def _last() -> str:\n    return package_data(__name__, "words.txt").read_text(encoding="utf-8").split()[-1]\n\n\n'
    "def noun() -> str:\n    return _last()\n",
    "src/hengliang/old/phrases.py": '"""Phrases."""\n\nfrom hengliang.old.nouns import noun\n\n\n'
    'def _last() -> str:\n    return "匹"\n\n\ndef phrase() -> str:\n    return _last() + noun()\n',
    "src/hengliang/user.py": '"""A user."""\n\nfrom hengliang.old import phrases\n'
    "from hengliang.old.nouns import noun\n\n"
    "BOTH = phrases.phrase() + noun()\n",
    "tests/__init__.py": "",
    "tests/old/__init__.py": "",
    "tests/old/test_phrases.py": "from hengliang.old.phrases import phrase\n\n\ndef test_it() -> None:\n"
    "    assert phrase()\n",
    "docs/page.md": "See `hengliang.old.phrases` and old/nouns.py.\n",
}  # fmt: skip
PLAN = """
[packages]
"new" = "New."
[chapters]
"new.grammar" = ["old.nouns", "old.phrases"]
[docstrings]
"new.grammar" = "A grammar of nouns and phrases."
"""
RENAMED = PLAN + '[renames]\n"old.phrases._last" = "_classifier"\n'


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a small repository with the script in it."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    shutil.copy(SCRIPT, tmp_path / "scripts")
    shutil.copy(Path(hengliang.__file__).parent / "core" / "aliases.py", tmp_path / "src" / "hengliang" / "core")
    for command in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    return tmp_path


def carried_out(repository: Path, plan: str) -> subprocess.CompletedProcess[str]:
    """Carry a plan out and return what was said."""
    (repository / "plan").write_text(plan, encoding="utf-8")
    command = [sys.executable, "scripts/move_modules.py", "plan", "--write"]
    return subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)


def printed(repository: Path, program: str) -> str:
    """Return what a program prints that sees the repository's package."""
    command = [sys.executable, "-W", "ignore", "-c", f"import sys; sys.path.insert(0, 'src'); {program}"]
    return subprocess.run(command, cwd=repository, capture_output=True, text=True, check=True).stdout.strip()


def test_names_that_clash_are_told_and_nothing_is_written(repository: Path) -> None:
    said = carried_out(repository, PLAN)
    assert said.returncode == 1
    assert 'new.grammar: "old.phrases._last" clashes with old.nouns._last' in said.stdout
    assert (repository / "src" / "hengliang" / "old" / "nouns.py").is_file()


def test_merged_modules_do_what_they_did(repository: Path) -> None:
    before = printed(repository, "import hengliang.user; print(hengliang.user.BOTH)")
    assert before == "匹马马"
    said = carried_out(repository, RENAMED)
    assert said.returncode == 0, said.stdout + said.stderr
    assert printed(repository, "import hengliang.user; print(hengliang.user.BOTH)") == before
    by_both_paths = "import hengliang.new.grammar as new; from hengliang.old import nouns as old; print(new is old)"
    assert printed(repository, by_both_paths) == "True"
    # The word list lies beside the code that opens it, the test beside the package that it tests.
    assert not (repository / "src" / "hengliang" / "old").exists()
    assert (repository / "src" / "hengliang" / "new" / "words.txt").is_file()
    test = (repository / "tests" / "new" / "test_phrases.py").read_text(encoding="utf-8")
    assert "from hengliang.new.grammar import phrase" in test
    page = (repository / "docs" / "page.md").read_text(encoding="utf-8")
    assert page == "See `hengliang.new.grammar` and new/grammar.py.\n"
    chapter = (repository / "src" / "hengliang" / "new" / "grammar.py").read_text(encoding="utf-8")
    assert chapter.startswith('"""A grammar of nouns and phrases."""')
    assert "# They come from a file." in chapter and "def _classifier" in chapter
