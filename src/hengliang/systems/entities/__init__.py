"""Entity recognisers: who finds the names, dates and numbers of a text."""
