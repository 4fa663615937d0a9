"""How many raters and items does a planned experiment need?"""

from hengliang.analysis.power.estimation import PowerResult, estimate_power
from hengliang.analysis.power.plan import PlannedExperiment, read_plan
from hengliang.analysis.power.simulation import simulate_ratings

__all__ = ["PlannedExperiment", "PowerResult", "estimate_power", "read_plan", "simulate_ratings"]
