"""Are reconstructions analysed rightly?"""
