"""Contingency tables: chi-squared, exact and McNemar tests, and cut-offs of rating scales."""
