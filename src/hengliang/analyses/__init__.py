"""Analyses of a run: accuracy, calibration, comparison of systems, mixed models, agreement between judges.

An analysis takes the tables of a run and returns estimates, whatever the study is about. Here are also precision and
recall, learning curves, the spread over seeds, and the battery of tests for a file of ratings (`ratings`).
"""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
