"""How is a part of the tests run without noting which lines it reaches?

To note every line makes Python two to four times as slow. A test that does a thing once more, on much data or many
times, reaches no line that smaller tests have not reached. Such a test is marked `untraced`, and so are runs that are
killed, which never get to write down what they noted. Of a property, the lines of the first examples are noted.
"""

from __future__ import annotations

import functools
import itertools
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

FOR_CHILDREN = ("COVERAGE_PROCESS_CONFIG", "COVERAGE_PROCESS_START")
"""The environment variables by which a process that is started learns that it is to note its lines."""

FIRST_EXAMPLES = 25


@contextmanager
def untraced() -> Iterator[None]:
    """Note no lines within the block, nor in the processes that are started there."""
    coverage = sys.modules.get("coverage")
    held = coverage.Coverage.current() if coverage is not None else None
    asked = {name: os.environ.pop(name) for name in FOR_CHILDREN if name in os.environ}
    if held is not None:
        held.stop()
    try:
        yield
    finally:
        os.environ.update(asked)
        if held is not None:
            held.start()


@contextmanager
def traced_at_first(handle: Any) -> Iterator[None]:
    """Note the lines of the first examples only while a property is tested; `handle` is what hypothesis hangs on it."""
    inner = handle.inner_test
    calls = itertools.count()
    with ExitStack() as rest:

        @functools.wraps(inner)
        def counted(*arguments: Any, **named: Any) -> Any:
            if next(calls) == FIRST_EXAMPLES:
                rest.enter_context(untraced())
            return inner(*arguments, **named)

        handle.inner_test = counted
        try:
            yield
        finally:
            handle.inner_test = inner
