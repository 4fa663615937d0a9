"""Do counts in a table depend on the row they stand in?"""
