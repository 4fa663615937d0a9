from hengliang.analysis.replication.conventions import claim_multiverse as claim_multiverse
from hengliang.analysis.replication.published import paper_003 as paper_003
from hengliang.analysis.replication.published import published as published_numbers
from hengliang.analysis.replication.recovery import nearest_cell as nearest_cell
from hengliang.analysis.replication.recovery import recovered_table as recovered_table
from hengliang.analysis.replication.table import Replicated as Replicated
from hengliang.analysis.replication.table import recompute as recompute
from hengliang.analysis.replication.table import replicate as replicate
from hengliang.analysis.replication.table import summary as replication_summary
from hengliang.analysis.replication.verdicts import Printed as Printed

# Type checkers hold what is imported under another name for private, unless it is listed.
__all__ = [
    "published_numbers",
    "replication_summary",
]
