"""Surveys: experiments in which people judge.

Experiments and their design (lists, orders, Latin squares, allocation), tasks (Likert ratings, forced choice, free
text), the survey server and its storage, simulated participants, collected answers, export, data sheet and methods
section.
"""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
