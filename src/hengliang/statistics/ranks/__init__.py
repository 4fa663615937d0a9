"""Which rank tests are there, for ratings whose order is all one may trust?"""

from hengliang.statistics.ranks.brunner_munzel import brunner_munzel_test
from hengliang.statistics.ranks.friedman import friedman_pairs, friedman_test
from hengliang.statistics.ranks.kruskal_wallis import dunn_tests, kruskal_wallis_test
from hengliang.statistics.ranks.mann_whitney import mann_whitney_test
from hengliang.statistics.ranks.median import median_test
from hengliang.statistics.ranks.samples import expand_counts
from hengliang.statistics.ranks.sign import sign_test
from hengliang.statistics.ranks.wilcoxon import signed_rank_test

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
