"""Our own tagger, which learns from tagged sentences, and rules that correct any tagger."""
