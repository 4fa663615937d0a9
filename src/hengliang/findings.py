"""Which promises does a plug-in keep, and which does it break?

A conformance kit is a function from a thing to findings, one a promise. `hengliang check NAME` prints them.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from hengliang.errors import UserError
from hengliang.signature import Signature


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether one promise is kept; `detail` shows the counterexample when it is not."""

    promise: str
    kept: bool
    detail: str = ""


Promise = tuple[str, Callable[[], str]]
"""What is promised, and a function that returns the counterexample, or "" when the promise is kept."""


def examine(promises: Iterable[Promise]) -> Iterator[Finding]:
    """Try each promise; an exception counts as broken and is shown, and the next promise is tried all the same."""
    for promise, counterexample in promises:
        try:
            detail = counterexample()
        except UserError as error:
            detail = str(error)
        except Exception as error:  # a stranger's code may raise anything, and the kit must report it
            detail = f"{type(error).__name__}: {error}"
        yield Finding(promise, not detail, detail)


def general_promises(thing: Any) -> list[Promise]:
    """Return what every registered thing promises, whatever its role."""

    def has_name() -> str:
        name = getattr(thing, "name", None)
        return "" if isinstance(name, str) and name else f"its name is {name!r}"

    def signature_is_stable() -> str:
        first, second = thing.signature(), thing.signature()
        if not isinstance(first, Signature):
            return f"signature() returns {type(first).__name__}"
        return "" if first == second else f"{first} and then {second}"

    def survives_pickling() -> str:
        copy = pickle.loads(pickle.dumps(thing))
        return "" if copy.signature() == thing.signature() else "the copy has another signature"

    return [
        ("has a name", has_name),
        ("has the same signature each time", signature_is_stable),
        ("can be sent to a worker process", survives_pickling),
    ]
