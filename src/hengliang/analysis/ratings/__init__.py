"""What do ratings say: reading them from any file, checking them, and running the battery of tests on them?"""
