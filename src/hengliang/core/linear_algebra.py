"""Linear algebra on one thread: BLAS on the small matrices of statistical models.

BLAS divides each product among as many threads as the machine has cores. The matrices of a mixed model are small and
its fit is a row of thousands of products, so that the threads mostly wait for each other, spinning: a fit to ratings
by 316 raters takes five times the processor time, and most often longer. On one thread the last digits do not depend
on the number of cores either.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def on_one_thread(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Let BLAS use one thread while the function below runs; afterwards it has as many as before."""

    @wraps(function)
    def limited(*arguments: Parameters.args, **options: Parameters.kwargs) -> Result:
        with _libraries().limit(limits=1, user_api="blas"):
            return function(*arguments, **options)

    return limited


@cache
def _libraries() -> ThreadpoolController:
    """Return the BLAS libraries of this process: numpy and scipy have one each."""
    import scipy.linalg  # noqa: F401  # loads its library, for it to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
