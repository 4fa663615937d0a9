"""Does the script that rewrites imports change the imports, and nothing but them?"""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from scripts.rewrite_imports import ROOT, House, Rewriting, files_of, our_house, rewritten

FILES = {
    "__init__.py": "",
    "__init__.pyi": "from inn.study import Study as Study\n",
    "study.py": "class Study: ...\n",
    "kitchen/__init__.py": "",
    "kitchen/__init__.pyi": "from inn.stove.oven import bake as bake\nfrom inn.stove.oven import Heat as OvenHeat\n",
    "stove/__init__.py": "from inn.stove.oven import bake\n",
    "stove/oven.py": "class Heat: ...\n\n\ndef bake(): ...\n\n\ndef _light(): ...\n",
    "stove/plate.py": "",
    "new/__init__.py": "",
    "new/place.py": "def sit(): ...\n",
}
HOMES = {"stove": "kitchen", "study": "study", "new": "hall"}


@pytest.fixture
def house(tmp_path: Path) -> House:
    for name, text in FILES.items():
        file = tmp_path / "inn" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return House(tmp_path, "inn", HOMES, {"inn.bake": "inn.kitchen.bake"}, {"inn.old": "inn.new"})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from inn.stove.oven import bake", "from inn.kitchen import bake"),
        ("from inn.stove import bake", "from inn.kitchen import bake"),
        ("from inn import bake", "from inn.kitchen import bake"),
        ("from inn.study import Study", "from inn import Study"),
        ("from inn.stove.oven import bake as roast", "from inn.kitchen import bake as roast"),
        # The local name stays, so that the rest of the file stays as it is.
        ("from inn.stove.oven import Heat", "from inn.kitchen import OvenHeat as Heat"),
        ("from inn.stove.oven import Heat as OvenHeat", "from inn.kitchen import OvenHeat"),
        ("from inn.stove.oven import bake  # fresh", "from inn.kitchen import bake  # fresh"),
        ("from inn.stove.oven import bake, _light", "from inn.kitchen import bake\nfrom inn.stove.oven import _light"),
        ("from inn.stove.oven import (\n    bake,\n    Heat,\n)", "from inn.kitchen import bake, OvenHeat as Heat"),
        # A module that is imported as such is followed where it went, and stays a module.
        ("from inn.stove import plate", "from inn.stove import plate"),
        ("import inn.stove.plate as plate", "import inn.stove.plate as plate"),
        ("import inn.old.place as place", "import inn.new.place as place"),
        ("from inn.old import place", "from inn.new import place"),
        ("from inn.old.place import sit", "from inn.new.place import sit"),
        # Comments among the names would be lost.
        ("from inn.stove.oven import (\n    bake,  # fresh\n)", "from inn.stove.oven import (\n    bake,  # fresh\n)"),
        ("from os.path import join", "from os.path import join"),
        ('patch("inn.stove.oven.bake", 1)', 'patch("inn.stove.oven.bake", 1)'),
    ],
)
def test_an_import_goes_through_the_door(house: House, before: str, after: str) -> None:
    assert Rewriting(house).python(f"x = 1\n{before}\ny = 2\n") == f"x = 1\n{after}\ny = 2\n"


def test_imports_in_functions_and_for_types_keep_their_place(house: House) -> None:
    before = """
        if TYPE_CHECKING:
            from inn.study import Study


        def dinner() -> "Study":
            from inn.stove.oven import (
                Heat,
                bake,
            )
            return "名", bake(Heat)
    """
    after = """
        if TYPE_CHECKING:
            from inn import Study


        def dinner() -> "Study":
            from inn.kitchen import OvenHeat as Heat, bake
            return "名", bake(Heat)
    """
    assert Rewriting(house).python(dedent(before)) == dedent(after)


def test_what_no_door_offers_is_left_and_told(house: House) -> None:
    work = Rewriting(house)
    work.python("from inn.stove.oven import _light, bake\n")
    assert work.left == ["inn.stove.oven._light"]


def test_a_package_s_own_tests_use_its_modules(house: House) -> None:
    code = "from inn.stove.oven import bake\nfrom inn.study import Study\nfrom inn import bake as roast\n"
    expected = "from inn.stove.oven import bake\nfrom inn import Study\nfrom inn.kitchen import bake as roast\n"
    assert Rewriting(house, "kitchen").python(code) == expected


def test_own_tests_follow_a_module_that_has_moved(house: House) -> None:
    assert Rewriting(house, "hall").python("from inn.old.place import sit\n") == "from inn.new.place import sit\n"


def test_a_test_belongs_to_the_package_of_the_module_it_is_named_after(house: House) -> None:
    tests = ["stove/test_oven.py", "stove/test_oven_heat.py", "stove/toys.py", "cli/test_oven.py", "test_study.py"]
    assert [house.home_of_test(Path(test)) for test in tests] == ["kitchen", "kitchen", "kitchen", "", "study"]


def test_python_blocks_of_a_page_are_rewritten_and_sorted(house: House) -> None:
    page = """
        Text with `from inn.stove.oven import bake`.

        ```console
        $ from inn.stove.oven import bake
        ```

        1. A list

           ```python
           from inn.study import Study
           from inn.stove.oven import bake

           bake(Study)
           ```
    """
    after = """
           from inn import Study
           from inn.kitchen import bake

           bake(Study)
    """
    before = dedent(page)
    lines = "\n".join(line and f"   {line}" for line in dedent(after).strip("\n").splitlines())
    head = before[: before.index("   from inn.study")]
    assert Rewriting(house).page(before) == f"{head}{lines}\n   ```\n"


def test_our_own_files_are_rewritten_already() -> None:
    house = our_house()
    folders = [ROOT / name for name in ("docs", "README.md", "benchmarks", "tests", "src/hengliang/studies")]
    assert [str(file) for file in files_of(folders) if rewritten(file, house)[0] != file.read_text("utf-8")] == []
