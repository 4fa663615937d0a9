from hengliang.materials.blocks import Part as Part
from hengliang.materials.blocks import blocks_of_starts as blocks_of_starts
from hengliang.materials.blocks import cut_blocks as cut_blocks
from hengliang.materials.formats import Format as Format
from hengliang.materials.formats import find_format as find_format
from hengliang.materials.formats import reads as reads
from hengliang.materials.frequencies import FrequencyTable as FrequencyTable
from hengliang.materials.frequencies import corpus_frequencies as corpus_frequencies
from hengliang.materials.frequencies import frequency_table as frequency_table
from hengliang.materials.frequencies import read_frequencies as read_frequencies
from hengliang.materials.plain_text import read_plain as read_plain
from hengliang.materials.running_text import CorpusSentences as CorpusSentences
from hengliang.materials.running_text import corpus_sentences as corpus_sentences
from hengliang.materials.running_text import read_running_text as read_running_text
from hengliang.materials.sentence_files import SentenceReading as SentenceReading
from hengliang.materials.sources import DEFAULT_CORPUS as DEFAULT_CORPUS
from hengliang.materials.sources import checksum as file_digest
from hengliang.materials.sources import get as get_source
from hengliang.materials.sources import is_here as is_here
from hengliang.materials.sources import list_sources as list_sources
from hengliang.materials.sources import locate as locate
from hengliang.materials.sources import source as source
from hengliang.materials.sources import sources_in as sources_in
from hengliang.materials.sources import verify as verify_source
from hengliang.materials.tagged_corpora import PKU_TAGS as PKU_TAGS
from hengliang.materials.tagged_corpora import TaggedParagraph as TaggedParagraph
from hengliang.materials.tagged_corpora import read_conllu as read_conllu
from hengliang.materials.tagged_corpora import read_pku as read_pku
from hengliang.materials.tagged_corpora import stray_tags as stray_tags
from hengliang.materials.trees.actions import Action as Action
from hengliang.materials.trees.actions import actions_of as actions_of
from hengliang.materials.trees.actions import tree_of as tree_of
from hengliang.materials.trees.bracketing import compare_brackets as compare_brackets
from hengliang.materials.trees.bracketing import spans_of as spans_of
from hengliang.materials.trees.brackets import plain_tree as plain_tree
from hengliang.materials.trees.brackets import read_brackets as read_brackets
from hengliang.materials.trees.brackets import write_brackets as write_brackets
from hengliang.materials.trees.chunking import chunked_tree as chunked_tree
from hengliang.materials.trees.constituents import Tree as Tree
from hengliang.materials.trees.controls import right_branching as right_branching
from hengliang.materials.trees.controls import shuffled as shuffled_tree
from hengliang.materials.trees.dependencies import lifted as lifted_heads
from hengliang.materials.trees.dependencies import nonprojective as nonprojective
from hengliang.materials.trees.dependencies import projected_tree as projected_tree
from hengliang.materials.trees.treebanks import read_treebank as read_treebank

# Type checkers hold what is imported under another name for private, unless it is listed.
__all__ = [
    "file_digest",
    "get_source",
    "lifted_heads",
    "shuffled_tree",
    "verify_source",
]
