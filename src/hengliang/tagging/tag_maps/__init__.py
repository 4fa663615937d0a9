"""Tag maps: which tag of a tagger stands for which tag of the corpus, as tables that anybody can read and mend."""

from hengliang.tagging.tag_maps.tables import TagMap, TagRow, tag_map, tag_map_names

__all__ = ["TagMap", "TagRow", "tag_map", "tag_map_names"]
