"""Grammar: targeted syntactic evaluation of language models.

Test suites with regions and predictions about surprisal, minimal pairs (BLiMP, CLiMP, SLING, ZhoBLiMP, CoLAC),
SyntaxGym, lint of suites, accuracy by class and modifier, structural supervision, recorded surprisals, published
numbers.
"""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
