"""What is told of an error, whoever made it?"""

from __future__ import annotations

import os

from hengliang.environment import missing_library
from hengliang.errors import Failure, UserError


def explained(error: Exception) -> UserError:
    """Return what to tell of an error: a user's mistake as it is, a library that is not here with the line for it.

    Anything else is a fault of our own, and raised as it is when HENGLIANG_DEBUG asks to see where it happened.
    """
    if isinstance(error, UserError):
        return error
    missing = missing_library(error) if isinstance(error, ImportError) else None
    if missing is not None:
        return missing
    if os.environ.get("HENGLIANG_DEBUG"):
        raise error
    return Failure(
        f"a fault of our own: {type(error).__name__}: {error}.",
        remedy="Set HENGLIANG_DEBUG=1 and repeat the command to see where, and report it.",
    )
