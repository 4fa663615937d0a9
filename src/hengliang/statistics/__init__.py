"""Statistics: tests, effect sizes, agreement, mixed models, resampling and power; arrays in, a result out.

Rank tests, contingency tables, analysis of variance and post-hoc comparisons, correlation and regression, inter-rater
agreement, mixed and ordinal models, bootstrap and permutation tests, effect sizes, equivalence tests, multiple testing,
power, area under the curve. A result names its convention.
"""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
