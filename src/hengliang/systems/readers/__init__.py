"""Readers: which scene does a description evoke?"""
