"""Which published numbers follow from what their papers print?"""
