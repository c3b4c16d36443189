"""Every learner over HTTP; and hyperparameters that make trouble: none opens a file or fills the memory."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from refusals import names
from service.caller import PlainCaller, plainly_serving

from duelist.card import card_of
from duelist.registry import LEARNERS, hyperparameters
from duelist.study.player import SETTINGS

SERVED = [
    name for name, kind in LEARNERS.items() if SETTINGS.get(card_of(kind).setting, "documents") != "documents"
]
KNOBS = {"x": {"low": 0.0, "high": 1.0}, "y": {"low": 1, "high": 8, "whole": True}}
ABSURD: list[Any] = [
    "/etc/passwd",
    "os:system",
    "",
    [],
    [[]],
    [["a"]],
    {},
    {"kind": "TeamDraft"},
    {"kind": "PolicyMixture", "policies": [], "weights": [], "actions": [], "columns": [], "made": {}},
    {"kind": "PolicyMixture", "path": "/etc/passwd"},
    {"kind": ["TeamDraft"]},
    {"name": "RUCB", "alpha": {"name": "RUCB"}},
    -1,
    1e308,
    10**18,
    float("1e16"),
]
"""None of these is a hyperparameter of any learner."""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlainCaller]:
    with plainly_serving(str(tmp_path_factory.mktemp("service") / "studies.db")) as client:
        yield client


def study_of(learner: str, **changed: Any) -> dict[str, Any]:
    """Return a study with a learner as its card has it, for the fields of a request."""
    kind = LEARNERS[learner]
    about: dict[str, Any] = {"knobs": KNOBS} if card_of(kind).setting not in ("arms", "contexts") else {}
    if not about:
        about["arms"] = ["a", "b", "c"]
    if card_of(kind).setting == "contexts":
        about["context"] = [0.0]
    usual = hyperparameters(kind(**card_of(kind).example))
    return {**about, "learner": {**usual, "name": learner, **changed}}


@pytest.mark.parametrize("learner", SERVED)
def test_every_learner_is_served(learner: str, client: PlainCaller) -> None:
    study = study_of(learner)
    begun = client.post("/api/studies", name=learner, **study)
    assert begun.status_code == 201, begun.text
    assert begun.json()["learner"]["name"] == learner
    context = {"context": study["context"]} if "context" in study else {}
    for count in range(6):
        asked = client.post(f"/api/studies/{learner}/ask", **context)
        assert asked.status_code == 200, asked.text
        assert asked.json()["left"] != asked.json()["right"]
        body = {"ticket": asked.json()["ticket"], "outcome": ("left", "right", 0.75)[count % 3]}
        assert client.post(f"/api/studies/{learner}/tell", **body).status_code == 200
    best = client.post(f"/api/studies/{learner}/best", **context).json()["best"]
    assert best.keys() == KNOBS.keys() if "knobs" in study else best in study["arms"]
    assert client.get(f"/api/studies/{learner}").json()["answers"] == 6
    assert client.get(f"/api/studies/{learner}/report").json()["answers"] == 6


def test_a_learner_by_features(client: PlainCaller) -> None:
    features = [[0.0, 1.0], [1.0, 0.0]]
    about: dict[str, Any] = {"context": [], "features": features}
    learner = {"name": "LogisticDuels"}
    begun = client.post("/api/studies", name="by", arms=["a", "b"], learner=learner, **about)
    assert begun.status_code == 201, begun.text
    for _ in range(12):
        duel = client.post("/api/studies/by/ask", **about).json()
        outcome = "left" if duel["left"] == "b" else "right"
        assert client.post("/api/studies/by/tell", ticket=duel["ticket"], outcome=outcome).status_code == 200
    assert client.post("/api/studies/by/best", **about).json() == {"best": "b"}
    # the arms have changed sides
    about["features"] = features[::-1]
    assert client.post("/api/studies/by/best", **about).json() == {"best": "a"}


@pytest.mark.parametrize("learner", SERVED)
def test_absurd_hyperparameters_are_refused(learner: str, client: PlainCaller) -> None:
    usual = study_of(learner)["learner"]
    for field in (*usual.keys() - {"name"}, "__class__"):
        for value in ABSURD:
            answer = client.post("/api/studies", name="absurd", **study_of(learner, **{field: value}))
            assert answer.status_code == 422, (field, value, answer.text)


WATCHED = """
import json, sys
from pathlib import Path
from service.caller import plainly_serving
from service.test_learners import SERVED, study_of

folder, canary = sys.argv[1:]
seen, statuses = [], set()
module = Path(canary).stem
with plainly_serving(f"{folder}/studies.db") as client:
    client.post("/api/studies", name="home", arms=["a", "b"])

    def watch(event, args):
        if event in ("open", "import", "os.system", "subprocess.Popen", "socket.connect"):
            seen.append((event, *map(str, args[:3])))

    sys.addaudithook(watch)
    tricks = [canary, f"{module}:Learner", {"kind": module}, {"kind": "PolicyMixture", "path": canary}]
    for learner in SERVED:
        for field in (*study_of(learner)["learner"].keys() - {"name"}, "path"):
            for trick in tricks:
                body = study_of(learner, **{field: trick})
                statuses.add(client.post("/api/studies", name="trick", **body).status_code)
    for name in (module, f"{module}:Learner", "duelist.study:Study", "__main__", canary):
        for path, about in (("", {"name": "trick", "arms": ["a", "b"]}), ("/home/learner", {})):
            sent = client.post(f"/api/studies{path}", learner={"name": name}, **about)
            statuses.add(sent.status_code)
print(json.dumps({"seen": seen, "statuses": sorted(statuses), "loaded": module in sys.modules}))
"""


def test_nothing_that_is_sent_opens_a_file_or_imports_a_module(tmp_path: Path) -> None:
    canary, folder = tmp_path / "canary.py", tmp_path / "studies"
    canary.write_text("class Learner: pass")
    folder.mkdir()
    paths = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    child = subprocess.run(
        [sys.executable, "-c", WATCHED, str(folder), str(canary)],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(child.stdout)
    assert found["statuses"] == [422]
    assert not found["loaded"]
    assert not [event for event in found["seen"] if "canary" in " ".join(event)]
    opened = [args for event, *args in found["seen"] if event == "open"]
    written = [path for path, mode, _ in opened if mode not in ("r", "rb", "None")]
    assert not [path for path in written if not path.startswith(str(folder))]
    assert not [event for event in found["seen"] if event[0] in ("os.system", "socket.connect")]


def test_what_would_fill_the_memory_is_refused(client: PlainCaller) -> None:
    arms = [f"{number}" for number in range(1000)]
    logistic: dict[str, Any] = {"name": "LogisticDuels"}
    knobs = {f"x{number}": {"low": 0, "high": 1} for number in range(11)}
    huge: list[dict[str, Any]] = [
        {"arms": arms, "learner": logistic, "context": [0.0] * 10},
        {"arms": ["a", "b"], "learner": logistic, "context": [0.0] * 9_999},
        {"arms": ["a", "b"], "learner": logistic, "context": [0.0] * 100_000},
        {"arms": ["a", "b"], "learner": logistic, "context": [], "features": [[0.0] * 5_000] * 2},
        {"arms": ["a", "b"], "learner": logistic, "context": [], "features": [[0.0]] * 20_000},
        study_of("SparringEXP4P", actions=10**9),
        study_of("SparringEXP4P", policies=[[0, 10**9], [1, 1]]),
        study_of("SparringEXP4P", policies=[["0", "1000000000"], ["1", "1"]]),
        study_of("PreferentialOptimization", candidates=10**9),
        study_of("MultileavingGradientDescent", points=10**9),
        study_of("PreferentialOptimization") | {"knobs": knobs},
        study_of("PreferentialOptimization") | {"knobs": {}},
    ]
    for study in huge:
        answer = client.post("/api/studies", name="huge", **study)
        assert answer.status_code == 422, study["learner"]["name"]
        assert len(answer.json()["detail"]) < 1000
    assert client.get("/api/studies/huge").status_code == 404


def test_contexts_are_as_long_as_at_the_start(client: PlainCaller) -> None:
    begun: dict[str, Any] = {"arms": ["a", "b"], "learner": {"name": "LogisticDuels"}}
    client.post("/api/studies", name="plain", **begun, context=[0.0])
    client.post("/api/studies", name="featured", **begun, context=[], features=[[0.0], [1.0]])
    for name in ("plain", "featured"):
        for route in ("ask", "best"):
            for numbers in (0, 2, 9_999, 100_000):
                answer = client.post(f"/api/studies/{name}/{route}", context=[0.0] * numbers)
                assert answer.status_code == 422, (name, route, numbers)
    wide = client.post("/api/studies/plain/learner", learner=begun["learner"], context=[0.0] * 9_999)
    assert wide.status_code == 422
    assert client.post("/api/studies/plain/ask", context=[1.0]).status_code == 200


def test_few_settings_of_knobs_at_once(client: PlainCaller) -> None:
    client.post("/api/studies", name="knobs", **study_of("PreferentialOptimization"))
    assert names(client.post("/api/studies/knobs/ask", n=11).json()["detail"], "n", 10, 11)
    assert len(client.post("/api/studies/knobs/ask", n=3).json()["duels"]) == 3
