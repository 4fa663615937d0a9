"""Tests of means: t tests, analysis of variance with Tukey's pairs, and Levene's test of spread."""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
