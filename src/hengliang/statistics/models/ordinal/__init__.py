"""How do ordered ratings depend on systems, raters and items: our own cumulative-link mixed model?"""

from hengliang.statistics.models.ordinal.fit import OrdinalFit, Settings
from hengliang.statistics.models.ordinal.fitting import fit_design, fit_ordinal, refit
from hengliang.statistics.models.ordinal.laplace import OrdinalProblem, make_problem
from hengliang.statistics.models.ordinal.links import (
    LINKS,
    LinkName,
    ThresholdKind,
    Thresholds,
    code_response,
    threshold_matrix,
)
from hengliang.statistics.models.ordinal.optimisation import Estimation, Optimum, estimate, maximise

__all__ = [
    "LINKS",
    "Estimation",
    "LinkName",
    "Optimum",
    "OrdinalFit",
    "OrdinalProblem",
    "Settings",
    "ThresholdKind",
    "Thresholds",
    "code_response",
    "estimate",
    "fit_design",
    "fit_ordinal",
    "make_problem",
    "maximise",
    "refit",
    "threshold_matrix",
]
