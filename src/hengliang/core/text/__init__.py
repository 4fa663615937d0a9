"""Text: characters and their byte offsets, Chinese script and width, sentences and words."""
