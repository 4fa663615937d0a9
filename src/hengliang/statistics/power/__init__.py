"""How many raters and items does a planned experiment need?"""

from hengliang.statistics.power.estimation import PowerResult, estimate_power
from hengliang.statistics.power.plan import PlannedExperiment, read_plan, simulate_ratings

__all__ = ["PlannedExperiment", "PowerResult", "estimate_power", "read_plan", "simulate_ratings"]
