"""Which rank tests are there, for ratings whose order is all one may trust?"""

from hengliang.analysis.ranks.brunner_munzel import brunner_munzel_test
from hengliang.analysis.ranks.dunn import dunn_tests
from hengliang.analysis.ranks.friedman import friedman_pairs, friedman_test
from hengliang.analysis.ranks.kruskal_wallis import kruskal_wallis_test
from hengliang.analysis.ranks.mann_whitney import mann_whitney_test
from hengliang.analysis.ranks.median import median_test
from hengliang.analysis.ranks.samples import expand_counts
from hengliang.analysis.ranks.sign import sign_test
from hengliang.analysis.ranks.signed_ranks import signed_rank_test

__all__ = [
    "brunner_munzel_test",
    "dunn_tests",
    "expand_counts",
    "friedman_pairs",
    "friedman_test",
    "kruskal_wallis_test",
    "mann_whitney_test",
    "median_test",
    "sign_test",
    "signed_rank_test",
]
