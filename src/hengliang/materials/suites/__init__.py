"""Which grammar test suites are there, and how does one write, read, check and exchange them?"""
