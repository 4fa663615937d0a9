"""Diagnostic test sets for taggers: how they are built, reviewed, written and read."""
