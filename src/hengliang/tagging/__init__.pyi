from hengliang.analysis.published_tagging import published_tagging as published_tagging
from hengliang.analysis.replication.paper_004 import published_scores as published_scores
from hengliang.analysis.replication.paper_004 import published_total as published_total
from hengliang.analysis.tagging_diagnosis import ALL_ITEMS as ALL_ITEMS
from hengliang.analysis.tagging_diagnosis import tagging_diagnosis as tagging_diagnosis
from hengliang.analysis.tagging_differences import tagging_differences as tagging_differences
from hengliang.analysis.tagging_labels import by_sentence as by_sentence
from hengliang.analysis.tagging_labels import by_word as by_word
from hengliang.analysis.tagging_quality import tagging_quality as tagging_quality
from hengliang.core.labelling.taggers import LONGEST as LONGEST_SENTENCE
from hengliang.core.labelling.taggers import Tagger as Tagger
from hengliang.core.labelling.taggers import TaggerCard as TaggerCard
from hengliang.core.labelling.taggers import WordwiseTagger as WordwiseTagger
from hengliang.core.labelling.taggers import tagger as tagger
from hengliang.core.labelling.words import restored as restored_words
from hengliang.materials.fine_grained_set import SOURCE as FINE_GRAINED_SOURCE
from hengliang.materials.fine_grained_set import fine_grained_set as fine_grained_set
from hengliang.materials.fine_grained_set import found_counts as found_counts
from hengliang.materials.granularity import word_decision as word_decision
from hengliang.materials.tag_maps.lint import lint_map as lint_map
from hengliang.materials.tag_maps.reading import open_map as open_map
from hengliang.materials.tag_maps.reading import tag_map as tag_map
from hengliang.materials.tag_maps.reading import tag_map_names as tag_map_names
from hengliang.materials.tag_maps.tables import TagMap as TagMap
from hengliang.materials.tag_maps.tables import TagRow as TagRow
from hengliang.materials.tagged_sentences import gold_spans as gold_spans
from hengliang.materials.tagged_sentences import read_gold as read_gold
from hengliang.materials.tagged_sentences import tagged_sentences as tagged_sentences
from hengliang.materials.tagging_items import DEFAULT_SET as DEFAULT_SET
from hengliang.materials.tagging_items import open_set as open_set
from hengliang.materials.tagging_items import tagging_items as tagging_items
from hengliang.materials.tagging_review import read_review as read_review
from hengliang.materials.tagging_review import reviewed as reviewed_pairs
from hengliang.materials.tagging_review import summary as review_summary
from hengliang.materials.tagging_review import write_review as write_review
from hengliang.materials.tagging_set_building import build_set as build_set
from hengliang.materials.tagging_set_building import grow_set as grow_set
from hengliang.materials.tagging_set_files import read_listing as read_listing
from hengliang.materials.tagging_set_files import read_set as read_set
from hengliang.materials.tagging_set_files import write_listing as write_listing
from hengliang.materials.tagging_set_files import write_set as write_set
from hengliang.materials.tagging_sets import HeldCorpus as HeldCorpus
from hengliang.materials.tagging_sets import TaggingSet as TaggingSet
from hengliang.materials.tagging_sets import filled as filled_set
from hengliang.materials.targeted_sentences import targeted_sentences as targeted_sentences
from hengliang.measures.error_mining import candidates as error_candidates
from hengliang.measures.error_mining import mining_summary as mining_summary
from hengliang.measures.tagging_errors import compared_sentences as compared_sentences
from hengliang.measures.tagging_errors import error_instances as error_instances
from hengliang.measures.tagging_items import TaggingItemMeasure as TaggingItemMeasure
from hengliang.measures.tagging_items import tagging_item as tagging_item
from hengliang.report.tagging_html import error_pairs_view as error_pairs_view
from hengliang.report.tagging_view import PairView as PairView
from hengliang.report.tagging_view import pair_views as pair_views
from hengliang.systems.taggers.cards import overlap_warning as overlap_warning
from hengliang.systems.taggers.cards import tagger_card as tagger_card
from hengliang.systems.taggers.lac import LacTagger as LacTagger
from hengliang.systems.taggers.mapped import MappedTagger as MappedTagger
from hengliang.systems.taggers.mapped import mapped as mapped
from hengliang.systems.taggers.problem_kinds import problem_summary as problem_summary
from hengliang.systems.taggers.program import ProgramTagger as ProgramTagger
from hengliang.systems.taggers.sheltered import sheltered as sheltered
from hengliang.systems.taggers.spacy_pipeline import SpacyTagger as SpacyTagger
from hengliang.systems.taggers.token_classification import read_labels as read_labels
from hengliang.systems.taggers.token_classification import words_of as words_of_token_labels
from hengliang.systems.taggers.trained.chains import ChainSettings as ChainSettings
from hengliang.systems.taggers.trained.mended import MEASURED as MENDING_MEASURES
from hengliang.systems.taggers.trained.mended import MENDINGS as MENDINGS
from hengliang.systems.taggers.trained.mended import MendedTagger as MendedTagger
from hengliang.systems.taggers.trained.mended import Mending as Mending
from hengliang.systems.taggers.trained.mended import MendingPlan as MendingPlan
from hengliang.systems.taggers.trained.rule_learning import learn_rules as learn_rules
from hengliang.systems.taggers.trained.rules import CorrectedTagger as CorrectedTagger
from hengliang.systems.taggers.trained.rules import Rule as CorrectionRule
from hengliang.systems.taggers.trained.rules import read_rules as read_rules
from hengliang.systems.taggers.trained.rules import write_rules as write_rules
from hengliang.systems.taggers.trained.segmenter import train_segmenter as train_segmenter
from hengliang.systems.taggers.trained.tagger import CrfTagger as CrfTagger
from hengliang.systems.taggers.trained.training import TaggerSettings as TaggerSettings
from hengliang.systems.taggers.trained.training import train_tagger as train_tagger
from hengliang.tagger_runs import VOTERS as VOTERS
from hengliang.tagger_runs import mining_study as mining_study
from hengliang.tagger_runs import overlaps as overlaps

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
