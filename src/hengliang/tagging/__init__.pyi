from hengliang.core.labelling.taggers import LONGEST as LONGEST_SENTENCE
from hengliang.core.labelling.taggers import Tagger as Tagger
from hengliang.core.labelling.taggers import TaggerCard as TaggerCard
from hengliang.core.labelling.taggers import WordwiseTagger as WordwiseTagger
from hengliang.core.labelling.taggers import tagger as tagger
from hengliang.core.labelling.words import restored as restored_words
from hengliang.tagging.diagnosis import ALL_ITEMS as ALL_ITEMS
from hengliang.tagging.diagnosis import by_sentence as by_sentence
from hengliang.tagging.diagnosis import by_word as by_word
from hengliang.tagging.diagnosis import tagging_diagnosis as tagging_diagnosis
from hengliang.tagging.differences import tagging_differences as tagging_differences
from hengliang.tagging.errors import candidates as error_candidates
from hengliang.tagging.errors import compared_sentences as compared_sentences
from hengliang.tagging.errors import error_instances as error_instances
from hengliang.tagging.errors import mining_summary as mining_summary
from hengliang.tagging.labels import TaggingItemMeasure as TaggingItemMeasure
from hengliang.tagging.labels import tagging_item as tagging_item
from hengliang.tagging.published import published_scores as published_scores
from hengliang.tagging.published import published_tagging as published_tagging
from hengliang.tagging.published import published_total as published_total
from hengliang.tagging.quality import tagging_quality as tagging_quality
from hengliang.tagging.runs import VOTERS as VOTERS
from hengliang.tagging.runs import mining_study as mining_study
from hengliang.tagging.runs import overlaps as overlaps
from hengliang.tagging.sentences import gold_spans as gold_spans
from hengliang.tagging.sentences import read_gold as read_gold
from hengliang.tagging.sentences import tagged_sentences as tagged_sentences
from hengliang.tagging.tag_maps.lint import lint_map as lint_map
from hengliang.tagging.tag_maps.tables import TagMap as TagMap
from hengliang.tagging.tag_maps.tables import TagRow as TagRow
from hengliang.tagging.tag_maps.tables import open_map as open_map
from hengliang.tagging.tag_maps.tables import tag_map as tag_map
from hengliang.tagging.tag_maps.tables import tag_map_names as tag_map_names
from hengliang.tagging.taggers.cards import overlap_warning as overlap_warning
from hengliang.tagging.taggers.cards import tagger_card as tagger_card
from hengliang.tagging.taggers.lac import LacTagger as LacTagger
from hengliang.tagging.taggers.mapped import MappedTagger as MappedTagger
from hengliang.tagging.taggers.mapped import mapped as mapped
from hengliang.tagging.taggers.mapped import problem_summary as problem_summary
from hengliang.tagging.taggers.program import ProgramTagger as ProgramTagger
from hengliang.tagging.taggers.sheltered import sheltered as sheltered
from hengliang.tagging.taggers.spacy import SpacyTagger as SpacyTagger
from hengliang.tagging.taggers.token_classification import read_labels as read_labels
from hengliang.tagging.taggers.token_classification import words_of as words_of_token_labels
from hengliang.tagging.test_sets.building import build_set as build_set
from hengliang.tagging.test_sets.building import grow_set as grow_set
from hengliang.tagging.test_sets.building import word_decision as word_decision
from hengliang.tagging.test_sets.fine_grained import SOURCE as FINE_GRAINED_SOURCE
from hengliang.tagging.test_sets.fine_grained import fine_grained_set as fine_grained_set
from hengliang.tagging.test_sets.fine_grained import found_counts as found_counts
from hengliang.tagging.test_sets.items import DEFAULT_SET as DEFAULT_SET
from hengliang.tagging.test_sets.items import open_set as open_set
from hengliang.tagging.test_sets.items import tagging_items as tagging_items
from hengliang.tagging.test_sets.review import read_review as read_review
from hengliang.tagging.test_sets.review import reviewed as reviewed_pairs
from hengliang.tagging.test_sets.review import summary as review_summary
from hengliang.tagging.test_sets.review import write_review as write_review
from hengliang.tagging.test_sets.selection import targeted_sentences as targeted_sentences
from hengliang.tagging.test_sets.test_set import HeldCorpus as HeldCorpus
from hengliang.tagging.test_sets.test_set import TaggingSet as TaggingSet
from hengliang.tagging.test_sets.test_set import filled as filled_set
from hengliang.tagging.test_sets.test_set import read_listing as read_listing
from hengliang.tagging.test_sets.test_set import read_set as read_set
from hengliang.tagging.test_sets.test_set import write_listing as write_listing
from hengliang.tagging.test_sets.test_set import write_set as write_set
from hengliang.tagging.trained.correction import MEASURED as MENDING_MEASURES
from hengliang.tagging.trained.correction import MENDINGS as MENDINGS
from hengliang.tagging.trained.correction import MendedTagger as MendedTagger
from hengliang.tagging.trained.correction import Mending as Mending
from hengliang.tagging.trained.correction import MendingPlan as MendingPlan
from hengliang.tagging.trained.model import ChainSettings as ChainSettings
from hengliang.tagging.trained.rules import CorrectedTagger as CorrectedTagger
from hengliang.tagging.trained.rules import Rule as CorrectionRule
from hengliang.tagging.trained.rules import learn_rules as learn_rules
from hengliang.tagging.trained.rules import read_rules as read_rules
from hengliang.tagging.trained.rules import write_rules as write_rules
from hengliang.tagging.trained.segmenter import train_segmenter as train_segmenter
from hengliang.tagging.trained.tagger import CrfTagger as CrfTagger
from hengliang.tagging.trained.training import TaggerSettings as TaggerSettings
from hengliang.tagging.trained.training import train_tagger as train_tagger
from hengliang.tagging.views import PairView as PairView
from hengliang.tagging.views import pair_views as pair_views
from hengliang.tagging.views_html import error_pairs_view as error_pairs_view

# Type checkers hold what is imported under another name for private, unless it is listed.
__all__ = [
    "FINE_GRAINED_SOURCE",
    "LONGEST_SENTENCE",
    "MENDING_MEASURES",
    "CorrectionRule",
    "error_candidates",
    "filled_set",
    "restored_words",
    "review_summary",
    "reviewed_pairs",
    "words_of_token_labels",
]
