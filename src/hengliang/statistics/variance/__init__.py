"""Tests of means: t tests, analysis of variance with Tukey's pairs, and Levene's test of spread."""
