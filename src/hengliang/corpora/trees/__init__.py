"""Treebanks: constituents, brackets, dependencies, and a chunker that makes trees from tagged words."""
