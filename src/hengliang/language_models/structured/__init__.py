"""Models with explicit syntax: RNNG and PLM, and the word-synchronous beam search."""
