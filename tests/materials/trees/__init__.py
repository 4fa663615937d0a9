"""Are constituents read, written, compared and disarranged as they should be?"""
