"""Sets of minimal pairs: how they are read, checked and put to language models."""
