"""Preprocessing: named-entity replacement, tags or word classes in place of words."""
