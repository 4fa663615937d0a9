"""Which sets of minimal pairs are there, and how are they read, checked and put to language models?"""
