"""Do means, or the spread around them, differ between groups?"""
