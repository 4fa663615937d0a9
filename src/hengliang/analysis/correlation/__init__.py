"""Which measures rise and fall together, how sure is that, and which goes better with a third?"""
