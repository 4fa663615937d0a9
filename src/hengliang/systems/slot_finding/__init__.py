"""Which classifier slots does a text hold that nobody has tagged?"""
