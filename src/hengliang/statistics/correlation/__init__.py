"""Correlation and regression: coefficients, clustered intervals, comparison of dependent correlations."""
