"""Taggers: who finds the words of a text and says what kind of word each is."""
