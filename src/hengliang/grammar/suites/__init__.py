"""Grammar test suites: how one writes, reads, checks and exchanges them, and those that ship."""
