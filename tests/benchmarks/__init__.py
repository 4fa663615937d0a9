"""Do the benchmarks measure what they say?"""
