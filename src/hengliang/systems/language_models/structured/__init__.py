"""Which language models build the tree of a sentence while they read it?"""
