"""Which types of entities are there, and what is each for Chinese?

The eighteen types of OntoNotes 5 [1], which the English pipelines of spaCy use. Every recogniser here gives types of
this list, so that two languages and two recognisers can be set side by side; which of them it can give, it says itself.

[1] Weischedel, R. et al. (2013). OntoNotes Release 5.0. Linguistic Data Consortium.
"""

from __future__ import annotations

from collections.abc import Mapping

from hengliang.bilingual import Bilingual

ENTITY_TYPES: Mapping[str, Bilingual] = {
    "PERSON": Bilingual("people, real or invented", "人名"),
    "NORP": Bilingual("nationalities, religious and political groups", "民族、宗教、政治群体"),
    "FAC": Bilingual("buildings, airports, roads, bridges", "建筑、机场、道路、桥梁"),
    "ORG": Bilingual("companies, agencies, institutions", "机构"),
    "GPE": Bilingual("countries, cities, provinces", "国家、城市、省份"),
    "LOC": Bilingual("other places: mountains, rivers, regions", "其他地点：山川、地区"),
    "PRODUCT": Bilingual("things that are made: vehicles, weapons, foods", "产品"),
    "EVENT": Bilingual("named wars, storms, games", "事件"),
    "WORK_OF_ART": Bilingual("titles of books, songs, films", "作品名"),
    "LAW": Bilingual("named laws and treaties", "法律、条约"),
    "LANGUAGE": Bilingual("named languages", "语言"),
    "DATE": Bilingual("dates and periods of a day or longer", "日期"),
    "TIME": Bilingual("times shorter than a day", "时刻"),
    "PERCENT": Bilingual("percentages", "百分比"),
    "MONEY": Bilingual("amounts of money", "金额"),
    "QUANTITY": Bilingual("measurements: lengths, weights", "度量"),
    "ORDINAL": Bilingual("first, second, …", "序数"),
    "CARDINAL": Bilingual("other numbers", "基数"),
}
