"""Taggers: programs and libraries that cut Chinese text into words and tag their parts of speech."""
