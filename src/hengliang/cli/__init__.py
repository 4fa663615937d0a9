"""One module a command group; they translate arguments and compute nothing."""
