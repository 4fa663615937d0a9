"""Which effects hold beyond the participants and the items at hand: linear, binomial and ordinal mixed models?"""
