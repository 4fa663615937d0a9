"""Describers: who says what is in a scene?"""
