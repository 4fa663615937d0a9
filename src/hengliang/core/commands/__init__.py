"""Commands: shared options, groups that load lazily, and what every subject's commands print."""
