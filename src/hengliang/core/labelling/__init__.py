"""Sequence labelling: texts in columns, labelled spans, and the base classes of taggers and recognisers."""
