"""PEOPLE JUDGE: experiments with readers, raters and speakers."""

from hengliang.people.recorded import People, people

__all__ = ["People", "people"]
