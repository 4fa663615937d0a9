"""Tag maps: which tag of a tagger stands for which tag of the corpus, as tables that anybody can read and mend."""

from hengliang.materials.tag_maps.reading import tag_map, tag_map_names
from hengliang.materials.tag_maps.tables import TagMap, TagRow

__all__ = ["TagMap", "TagRow", "tag_map", "tag_map_names"]
