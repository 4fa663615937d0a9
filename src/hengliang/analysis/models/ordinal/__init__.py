"""How do ordered ratings depend on systems, raters and items: our own cumulative-link mixed model?"""

from hengliang.analysis.models.ordinal.estimation import Estimation, estimate
from hengliang.analysis.models.ordinal.fit import OrdinalFit, Settings
from hengliang.analysis.models.ordinal.fitting import fit_design, fit_ordinal, refit
from hengliang.analysis.models.ordinal.links import LINKS, LinkName
from hengliang.analysis.models.ordinal.optimisation import Optimum, maximise
from hengliang.analysis.models.ordinal.problem import OrdinalProblem, make_problem
from hengliang.analysis.models.ordinal.responses import code_response
from hengliang.analysis.models.ordinal.thresholds import ThresholdKind, Thresholds, threshold_matrix

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
