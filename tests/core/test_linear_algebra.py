"""Is BLAS kept to one thread while a model is fitted, and given its threads back afterwards?"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from hengliang.core.linear_algebra import on_one_thread

threadpoolctl = pytest.importorskip("threadpoolctl")

FIT = """
import json
import polars as pl
from threadpoolctl import threadpool_info
from hengliang.analysis.models import mixed
from hengliang.statistics import fit_mixed

def threads():
    return sorted(library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas")

during, solve = [], mixed._solve_linear
def watched(*arguments):
    during.append(threads())
    return solve(*arguments)
mixed._solve_linear = watched

data = pl.DataFrame({"y": [1.0, 2.0, 2.5, 4.0, 3.0, 5.5], "x": [0, 1, 0, 1, 0, 1], "g": list("aabbcc")})
fitted = fit_mixed("y ~ x + (1 | g)", data).model
print(json.dumps({"during": during, "after": threads(), "value": repr(fitted.log_likelihood)}))
"""


def fitted_with(threads: str) -> dict[str, object]:
    environment = {**os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
    done = subprocess.run([sys.executable, "-c", FIT], capture_output=True, text=True, check=True, env=environment)
    result: dict[str, object] = json.loads(done.stdout)
    return result


def test_a_fit_has_one_thread_and_the_others_come_back() -> None:
    two, one = fitted_with("2"), fitted_with("1")
    # numpy and scipy have a BLAS each; both have what the environment says when the fit is done.
    assert two["during"] == [[1, 1]]
    assert two["after"] == [2, 2] or os.cpu_count() == 1
    assert two["value"] == one["value"]


def test_the_function_stays_itself_and_its_errors_come_through() -> None:
    @on_one_thread
    def halved(value: float) -> float:
        """Return half of it."""
        if value < 0:
            raise ValueError("negative")
        return value / 2

    assert (halved.__name__, halved.__doc__, halved(3.0)) == ("halved", "Return half of it.", 1.5)
    with pytest.raises(ValueError, match="negative"):
        halved(-1.0)


THREADS = """
import threading
import scipy.linalg
from threadpoolctl import threadpool_info
from hengliang.core.linear_algebra import on_one_thread

def threads():
    return sorted(library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas")

first_in, second_in, first_out = threading.Event(), threading.Event(), threading.Event()

@on_one_thread
def first():
    first_in.set()
    second_in.wait()

@on_one_thread
def second():
    second_in.set()
    first_out.wait()
    nested()
    print(threads())

@on_one_thread
def nested():
    pass

before = threads()
one, two = threading.Thread(target=first), threading.Thread(target=second)
one.start()
first_in.wait()
two.start()
one.join()
first_out.set()
two.join()
print(threads() == before)
"""


def test_who_leaves_first_lifts_no_limit_of_another_thread_and_who_leaves_last_does() -> None:
    environment = {**os.environ, "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
    command = [sys.executable, "-c", THREADS]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.split("\n")[:2] == ["[1, 1]", "True"]
