"""Analyses: tables of a run in, estimates out, whatever the study is about.

Accuracy, precision and recall, calibration, comparison of systems, mixed models of a run, agreement between
judges, learning curves, seeds, and the battery of tests for a file of ratings.
"""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
