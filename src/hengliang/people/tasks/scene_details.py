"""What does a stimulus know about the scene that its text describes?

The details of a stimulus hold the pair (`pair`, `describer`), the scene (`scene_code`, `scene_size`, and `scene`, the
counts by kind) and, where it is not the default one, the `domain`. Pages show none of it but the size, or the drawn
scene where a description is judged beside it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from hengliang.core.errors import UserError
from hengliang.experiments import Experiment
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Attribute, Domain, Value
from hengliang.materials.scenes import Scene

PAIR, DESCRIBER, SCENE_CODE, SCENE_SIZE, SCENE, DOMAIN = (
    "pair",
    "describer",
    "scene_code",
    "scene_size",
    "scene",
    "domain",
)


def scene_details(scene: Scene, pair: str, describer: str) -> dict[str, Any]:
    """Return the details of a stimulus that describes a scene."""
    named = zip(scene.domain.kind_names, scene.counts, strict=True)
    told: dict[str, Any] = {
        PAIR: pair,
        DESCRIBER: describer,
        SCENE_CODE: scene.code,
        SCENE_SIZE: scene.size,
        SCENE: {name: count for name, count in named if count},
    }
    return told if scene.domain == DEFAULT_DOMAIN else {**told, DOMAIN: asdict(scene.domain)}


def domain_in(details: Mapping[str, Any]) -> Domain:
    """Return the domain that the details of a stimulus tell; without any, the default one."""
    told = details.get(DOMAIN)
    if told is None:
        return DEFAULT_DOMAIN
    try:
        attributes = tuple(
            Attribute(one["name"], tuple(Value(**_tuples(value)) for value in one["values"]), one["noun"])
            for one in told["attributes"]
        )
        return Domain(**{**_tuples(told), "attributes": attributes})
    except (KeyError, TypeError, AttributeError) as error:
        raise UserError(f"The domain of a stimulus lacks or misspells {error}.") from error


def asks_for_scenes(experiment: Experiment) -> bool:
    """Return whether people rebuild scenes in an experiment: its stimuli tell scenes, and its scales are no ratings."""
    return not any(scale.points for scale in experiment.scales) and tells_scenes(experiment)


def tells_scenes(experiment: Experiment) -> bool:
    """Return whether the texts of an experiment describe scenes."""
    told = (json.loads(details or "{}") for details in experiment.stimuli["details"].to_list())
    return any(SCENE_CODE in details for details in told)


def _tuples(held: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object of JSON as a record wants it: its lists as tuples."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in held.items()}
