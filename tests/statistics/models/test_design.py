"""Does a design hold together: observations, columns and groups?"""

from __future__ import annotations

import numpy as np
import polars as pl

from hengliang.statistics.models.design import INTERCEPT, Design, RandomTerm


def test_a_design_counts_its_observations_and_a_term_its_columns() -> None:
    term = RandomTerm("rater", (INTERCEPT, "length"), np.ones((3, 2)), np.array([0, 1, 0]), ("r1", "r2"))
    frame = pl.DataFrame({"rating": [1, 2, 3]})
    design = Design(
        formula="rating ~ 1 + (1 + length | rater)",
        response_name="rating",
        response=frame["rating"],
        fixed=np.ones((3, 1)),
        fixed_names=(INTERCEPT,),
        terms={},
        random=(term,),
        rows=np.array([0, 2, 3]),
        n_missing=1,
        frame=frame,
    )
    assert design.n == 3
    assert term.width == 2
