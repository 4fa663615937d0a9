"""Is a missing library named, with the command that installs it?"""

from __future__ import annotations

import subprocess
import sys

import pytest

from hengliang import UserError
from hengliang.people.storage import requirements
from hengliang.people.storage.requirements import LIBRARIES, need_survey_extra


def test_what_is_there_is_not_asked_for() -> None:
    need_survey_extra()
    assert {"sqlalchemy", "alembic", "starlette"} <= set(LIBRARIES)


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requirements, "LIBRARIES", {**LIBRARIES, "no_such_module_here": "no-such-library"})
    with pytest.raises(UserError) as caught:
        need_survey_extra()
    assert "no-such-library, which is not installed" in str(caught.value)
    assert caught.value.remedy == "pip install 'hengliang[survey]'"


def test_asking_imports_none_of_them() -> None:
    code = (
        "import sys; from hengliang.people.storage.requirements import LIBRARIES, need_survey_extra;"
        "need_survey_extra(); print(sorted(set(LIBRARIES) & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
