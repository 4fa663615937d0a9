"""A small plan for the tests of power."""

from __future__ import annotations

from hengliang.statistics.power.plan import PlannedExperiment

PLAN = PlannedExperiment(
    systems=("corpus", "model"),
    raters=(8,),
    items=(12,),
    shares=(0.2, 0.3, 0.3, 0.2),
    effects={"model": -0.8},
    rater=0.8,
    item=0.6,
    simulations=20,
)
