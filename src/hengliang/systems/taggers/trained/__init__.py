"""A tagger of our own that learns from tagged sentences, and rules that correct any tagger."""
