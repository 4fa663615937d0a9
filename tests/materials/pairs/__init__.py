"""Are minimal pairs read, checked and asked as they should be?"""
