"""Where does a text lack a classifier, and where does it have a wrong one?"""

from hengliang.systems.proofreading.corrections import Correction, Thresholds
from hengliang.systems.proofreading.proofreader import Proofread, Proofreader

__all__ = ["Correction", "Proofread", "Proofreader", "Thresholds"]
