"""Can the names of a task's scales stand in tables and forms?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from hengliang.experiments import Scale
from hengliang.people.tasks.fields import LONGEST_SCALE


def names_fault(scales: Sequence[Scale]) -> str | None:
    """Return what is wrong with the names of these scales, or nothing."""
    if not scales:
        return "it asks nothing"
    for name, times in Counter(scale.name for scale in scales).items():
        if times > 1:
            return f"two scales are called '{name}'"
        if not re.fullmatch(r"\w[\w .-]*", name) or name != name.strip() or len(name) > LONGEST_SCALE:
            return f"'{name}' is no name of a scale: up to {LONGEST_SCALE} letters, digits, spaces, dots and hyphens"
    return None
