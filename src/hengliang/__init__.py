"""衡量: how good is this language technology, by the judgement of linguists and readers?

Here are a study, its four rows, the base classes of its stages, and the functions that open a system by name. All else
is in the room of its subject, such as `hengliang.classifiers` or `hengliang.statistics`.
"""

from hengliang.core.aliases import find_moved_modules
from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
find_moved_modules()
