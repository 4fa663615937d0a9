"""What follows: which numbers do the judgements support, and how sure are they?"""
