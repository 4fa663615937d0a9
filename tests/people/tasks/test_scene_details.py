"""Do the details of a stimulus hold the scene, and its domain, so that both come back?"""

from __future__ import annotations

import json

import pytest

from hengliang import UserError
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.materials.scenes import Scene, read_scene
from hengliang.people.scene_experiment import rating_experiment, reconstruction_experiment
from hengliang.people.tasks.scene_details import asks_for_scenes, domain_in, scene_details, tells_scenes
from tests.people.scene_examples import ANIMALS, SIGNS, scene_pairs


def test_a_scene_of_the_default_domain() -> None:
    told = scene_details(read_scene("BS=2 RC=2"), "IA:1", "IA")
    assert told == {
        "pair": "IA:1",
        "describer": "IA",
        "scene_code": "BS=2 RC=2",
        "scene_size": 4,
        "scene": {"blue square": 2, "red circle": 2},
    }
    assert domain_in(told) == DEFAULT_DOMAIN


@pytest.mark.parametrize("domain", [ANIMALS, SIGNS], ids=lambda domain: domain.name)
def test_a_domain_of_ones_own_survives_json(domain: Domain) -> None:
    told = json.loads(json.dumps(scene_details(Scene((1, 0, 2, 3), domain), "x", "X")))
    assert domain_in(told) == domain and hash(domain_in(told)) == hash(domain)
    assert set(told["scene"]) == {domain.kind_names[place] for place in (0, 2, 3)}


@pytest.mark.parametrize("domain", [{}, {"attributes": [{"name": "x"}]}, {"attributes": 3}, [1], {"attributes": []}])
def test_what_is_no_domain(domain: object) -> None:
    with pytest.raises(UserError, match="domain of a stimulus lacks or misspells"):
        domain_in({"domain": domain})


def test_who_rebuilds_scenes_and_who_judges_descriptions() -> None:
    pairs = scene_pairs()
    assert asks_for_scenes(reconstruction_experiment(pairs, readers=1, participants=2).designed.experiment)
    experts = rating_experiment(pairs, experts=1).designed.experiment
    assert not asks_for_scenes(experts) and tells_scenes(experts)
