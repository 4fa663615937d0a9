"""Which constituents does a sentence have?"""
