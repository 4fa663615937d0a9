from hengliang.corpora.catalogue import DEFAULT_CORPUS as DEFAULT_CORPUS
from hengliang.corpora.catalogue import Format as Format
from hengliang.corpora.catalogue import checksum as file_digest
from hengliang.corpora.catalogue import find_format as find_format
from hengliang.corpora.catalogue import get as get_source
from hengliang.corpora.catalogue import is_here as is_here
from hengliang.corpora.catalogue import list_sources as list_sources
from hengliang.corpora.catalogue import locate as locate
from hengliang.corpora.catalogue import reads as reads
from hengliang.corpora.catalogue import source as source
from hengliang.corpora.catalogue import sources_in as sources_in
from hengliang.corpora.catalogue import verify as verify_source
from hengliang.corpora.frequencies import FrequencyTable as FrequencyTable
from hengliang.corpora.frequencies import corpus_frequencies as corpus_frequencies
from hengliang.corpora.frequencies import frequency_table as frequency_table
from hengliang.corpora.frequencies import read_frequencies as read_frequencies
from hengliang.corpora.parts import Part as Part
from hengliang.corpora.parts import blocks_of_starts as blocks_of_starts
from hengliang.corpora.parts import cut_blocks as cut_blocks
from hengliang.corpora.plain_text import read_plain as read_plain
from hengliang.corpora.running_text import CorpusSentences as CorpusSentences
from hengliang.corpora.running_text import corpus_sentences as corpus_sentences
from hengliang.corpora.running_text import read_running_text as read_running_text
from hengliang.corpora.sentence_files import SentenceReading as SentenceReading
from hengliang.corpora.tagged import PKU_TAGS as PKU_TAGS
from hengliang.corpora.tagged import TaggedParagraph as TaggedParagraph
from hengliang.corpora.tagged import read_conllu as read_conllu
from hengliang.corpora.tagged import read_pku as read_pku
from hengliang.corpora.tagged import stray_tags as stray_tags
from hengliang.corpora.trees.bracketing import compare_brackets as compare_brackets
from hengliang.corpora.trees.bracketing import spans_of as spans_of
from hengliang.corpora.trees.brackets import plain_tree as plain_tree
from hengliang.corpora.trees.brackets import read_brackets as read_brackets
from hengliang.corpora.trees.brackets import write_brackets as write_brackets
from hengliang.corpora.trees.chunking import chunked_tree as chunked_tree
from hengliang.corpora.trees.constituents import Action as Action
from hengliang.corpora.trees.constituents import Tree as Tree
from hengliang.corpora.trees.constituents import actions_of as actions_of
from hengliang.corpora.trees.constituents import right_branching as right_branching
from hengliang.corpora.trees.constituents import shuffled as shuffled_tree
from hengliang.corpora.trees.constituents import tree_of as tree_of
from hengliang.corpora.trees.dependencies import lifted as lifted_heads
from hengliang.corpora.trees.dependencies import nonprojective as nonprojective
from hengliang.corpora.trees.dependencies import projected_tree as projected_tree
from hengliang.corpora.trees.treebanks import read_treebank as read_treebank

# Type checkers hold what is imported under another name for private, unless it is listed.
__all__ = [
    "file_digest",
    "get_source",
    "lifted_heads",
    "shuffled_tree",
    "verify_source",
]
