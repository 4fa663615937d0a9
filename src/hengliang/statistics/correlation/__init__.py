"""Correlation and regression: coefficients, clustered intervals, comparison of dependent correlations."""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
