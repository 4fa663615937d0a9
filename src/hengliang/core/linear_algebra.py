"""Linear algebra on one thread: BLAS on the small matrices of statistical models.

BLAS divides each product among as many threads as the machine has cores. The matrices of a mixed model are small and
its fit is a series of thousands of products, so that the threads mostly wait for each other, spinning: a fit to ratings
by 316 raters takes five times the processor time, and most often longer. On one thread the last digits do not depend on
the number of cores either.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cache, wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from threadpoolctl import LibController

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def on_one_thread(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Let BLAS use one thread while the function below runs; afterwards it has as many as before."""

    @wraps(function)
    def limited(*arguments: Parameters.args, **options: Parameters.kwargs) -> Result:
        with _ONE_THREAD:
            return function(*arguments, **options)

    return limited


class _OneThread:
    """One thread for BLAS while anybody is inside: how many it has is said for the whole process, not for a thread."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.inside = 0
        self.before: list[int] = []

    def __enter__(self) -> None:
        with self.lock:
            if not self.inside:
                self.before = [library.num_threads for library in _libraries()]
                _set_threads([1] * len(self.before))
            self.inside += 1

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.inside -= 1
            if not self.inside:
                _set_threads(self.before)


_ONE_THREAD = _OneThread()


def _set_threads(threads: Sequence[int]) -> None:
    for library, number in zip(_libraries(), threads, strict=True):
        # threadpoolctl may obey only the thread that came first, until it lets go: whoever leaves last is another.
        let_go = getattr(library, "clear_controlling_thread", lambda force: None)
        let_go(force=True)
        library.set_num_threads(number)
        let_go(force=True)


@cache
def _libraries() -> list[LibController]:
    """Return the BLAS libraries of this process: numpy and scipy have one each."""
    import scipy.linalg  # noqa: F401  # loads its library, for it to be found
    from threadpoolctl import ThreadpoolController

    return [library for library in ThreadpoolController().lib_controllers if library.user_api == "blas"]
