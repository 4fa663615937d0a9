"""The battery of `analyse`: ratings from a file, checked, compared, modelled."""
