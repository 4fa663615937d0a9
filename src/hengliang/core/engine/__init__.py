"""Engines, supervised processes and the cache of finished work: behind the door `hengliang.core`."""
