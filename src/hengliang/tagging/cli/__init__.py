"""The commands `hengliang taggers`."""
