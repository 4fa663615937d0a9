"""Models of n-grams: counted, smoothed, stored, looked up."""
