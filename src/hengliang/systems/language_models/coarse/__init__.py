"""Coarse representations: language models that see the types of entities, tags or classes instead of words."""
