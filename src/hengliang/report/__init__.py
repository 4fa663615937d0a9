"""Report: how the results of a study are shown, as tables, figures and one page that opens anywhere.

Content of a report, tables of estimates, figures, HTML, Markdown and JSON, the index of reports, comparison of runs.
"""

from hengliang.core.doors import open_door

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
