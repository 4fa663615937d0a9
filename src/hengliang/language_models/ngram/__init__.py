"""N-gram models: counted, smoothed, stored, looked up, exchanged as ARPA."""
