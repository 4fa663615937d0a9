"""A machine judges: what is an answer worth, measured without asking people?"""
