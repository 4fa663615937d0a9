"""Sentences whose acceptability people have rated: published ones, and those of a user's own file."""
