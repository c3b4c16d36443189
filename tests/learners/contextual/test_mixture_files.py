import json
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from refusals import refused

from duelist.duel import FloatArray, IntArray
from duelist.errors import FileError, ParameterError
from duelist.estimators.oracles import AllPairsOracle, RegressionOracle
from duelist.policies.finite import TablePolicy
from duelist.policies.mixture import PolicyMixture
from duelist.policies.plain import PlainPolicy, fingerprint
from duelist.protocols import Policy

KINDS = [
    ("tree.DecisionTreeRegressor", {"max_depth": 3}),
    ("tree.DecisionTreeClassifier", {"max_depth": 3}),
    ("ensemble.RandomForestRegressor", {"n_estimators": 3, "max_depth": 3}),
    ("ensemble.ExtraTreesClassifier", {"n_estimators": 3, "max_depth": 3}),
    ("ensemble.GradientBoostingRegressor", {"n_estimators": 3}),
    ("ensemble.GradientBoostingClassifier", {"n_estimators": 3}),
    ("linear_model.LinearRegression", {}),
    ("linear_model.LogisticRegression", {}),
]


class OwnPolicy:
    """A user-defined policy."""

    def act(self, contexts: FloatArray) -> IntArray:
        return np.zeros(len(contexts), np.int64)


def learned(path: str, **parameters: Any) -> Policy:
    rng = default_rng(0)
    contexts, costs = rng.random((120, 2)), rng.standard_normal((120, 3))
    module, _, name = path.rpartition(".")
    estimator = getattr(import_module(f"sklearn.{module}"), name)(**parameters)
    classifies = "Classifier" in name or name in {"LogisticRegression", "SVC"}
    return (AllPairsOracle if classifies else RegressionOracle)(estimator).cheapest(contexts, costs)


def mixture_of(policies: list[Policy], **made: Any) -> PolicyMixture:
    weights = default_rng(1).random(len(policies))
    return PolicyMixture(
        policies, weights / weights.sum(), ["tea", "m\u00edlk", "water"], ["hour", "heat"], made
    )


def same(one: PolicyMixture, other: PolicyMixture) -> bool:
    for policy, twin in zip(one.policies, other.policies, strict=True):
        assert isinstance(policy, PlainPolicy)
        assert isinstance(twin, PlainPolicy)
        assert type(policy) is type(twin)
        assert fingerprint(policy.plain()) == fingerprint(twin.plain())
    assert one.weights.tobytes() == other.weights.tobytes()
    return (one.actions, one.columns, one.made) == (other.actions, other.columns, other.made)


@pytest.mark.parametrize(("path", "parameters"), KINDS)
def test_every_kind_comes_back_to_the_last_bit(path: str, parameters: dict[str, Any], tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    mixture = mixture_of(
        [learned(path, **parameters), TablePolicy(np.array([1, 0]))], by="hand", calls=[1, None]
    )
    loaded = PolicyMixture.load(mixture.save(tmp_path / "policy.json"))
    assert same(loaded, mixture)
    contexts = default_rng(2).random((500, 2))
    contexts[:, 0] = contexts[:, 0] > 0.5
    np.testing.assert_array_equal(loaded.chances(contexts), mixture.chances(contexts))
    again = loaded.save(tmp_path / "again.json")
    assert again.read_bytes() == (tmp_path / "policy.json").read_bytes()


def test_weights_are_not_divided_again_and_again(tmp_path: Path) -> None:
    once_more = 0
    for many in range(2, 60):
        mixture = mixture_of([TablePolicy(np.array([number % 3])) for number in range(many)])
        once_more += not np.array_equal(mixture.weights / mixture.weights.sum(), mixture.weights)
        assert same(PolicyMixture.load(mixture.save(tmp_path / "policy.json")), mixture)
    assert once_more > 0


def test_the_file_has_a_head_that_people_can_read(tmp_path: Path) -> None:
    path = mixture_of([TablePolicy(np.array([1, 0]))], by="hand").save(tmp_path / "policy.json")
    assert path.read_text(encoding="utf-8") == (
        '{\n  "format": "duelist policy mixture",\n  "version": 1,\n  "made": {"by": "hand"},\n'
        '  "actions": ["tea", "m\u00edlk", "water"],\n  "columns": ["hour", "heat"],\n  "weights": [1.0],\n'
        '  "policies": [\n    {"kind": "table", "actions": [1, 0]}\n  ]\n}\n'
    )


def test_policies_that_only_exist_in_memory_are_refused(tmp_path: Path) -> None:
    target = tmp_path / "policy.json"
    with refused(ParameterError, "policy 0", "OwnPolicy"):
        mixture_of([OwnPolicy()]).save(target)
    with refused(ParameterError, "made", "JSON"):
        mixture_of([TablePolicy(np.array([0]))], by=object()).save(target)
    assert not target.exists()


@pytest.mark.parametrize("path", ["svm.SVR", "svm.SVC"])
def test_fitted_models_of_other_kinds_are_refused(path: str, tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    mixture = mixture_of([TablePolicy(np.array([0])), learned(path)])
    name = path.partition(".")[2]
    with refused(ParameterError, "policy 1", name, "gradient boosting"):
        mixture.save(tmp_path / "policy.json")
    assert name in mixture.explain()


@pytest.mark.parametrize(
    ("changes", "facts"),
    [
        ({"format": "other"}, ('"format"', "'duelist policy mixture'")),
        ({"version": 2}, ("version", 2, 1)),
        ({"actions": ["tea", 1]}, ('"actions"', ["tea", 1])),
        ({"columns": None}, ('"columns"', None)),
        ({"made": []}, ('"made"', [])),
        ({"policies": {}}, ('"policies"', {})),
        ({"policies": [3]}, ("policy 0", "kind", "table, tree, cheapest, voting", None)),
        ({"policies": [{"kind": "pickle"}]}, ("policy 0", "kind", "'pickle'")),
        ({"policies": [{"kind": ["table"]}]}, ("policy 0", "kind", ["table"])),
        ({"policies": [{"kind": "table"}]}, ("policy 0", "'actions'")),
        ({"policies": [{"kind": "table", "actions": [0.5]}]}, ("policy 0", "actions", [0.5])),
        ({"policies": [{"kind": "table", "actions": [-1]}]}, ("policy 0", "actions", [-1])),
        ({"policies": [{"kind": "table", "actions": [7]}]}, ("policy 0", "8 actions")),
        (
            {"policies": [{"kind": "cheapest", "model": {"kind": "linear", "weights": [[1]]}}]},
            ("policy 0", "'offsets'"),
        ),
        (
            {
                "policies": [
                    {
                        "kind": "voting",
                        "k": "3",
                        "model": {"kind": "linear", "weights": [[1]], "offsets": [0]},
                    }
                ]
            },
            ("policy 0", "k", "'3'"),
        ),
        (
            {
                "policies": [
                    {"kind": "cheapest", "model": {"kind": "linear", "weights": [[1]], "offsets": ["a"]}}
                ]
            },
            ("policy 0", "offsets", ["a"]),
        ),
        (
            {
                "policies": [
                    {
                        "kind": "tree",
                        "column": [0],
                        "threshold": [0],
                        "left": [0],
                        "right": [0],
                        "actions": [0],
                    }
                ]
            },
            ("policy 0", "left", "node 0", 0),
        ),
        ({"weights": [float("nan")]}, ("weights", [float("nan")])),
        ({"weights": [0.5]}, ("weights", "[0.5]")),
        ({"weights": None}, ("weights", None)),
        ({"weights": [0.5, 0.5]}, ("weights", "1 policy")),
    ],
)
def test_a_damaged_file_is_told_apart(
    changes: dict[str, Any], facts: tuple[object, ...], tmp_path: Path
) -> None:
    path = mixture_of([TablePolicy(np.array([1, 0]))]).save(tmp_path / "policy.json")
    path.write_text(json.dumps(json.loads(path.read_bytes()) | changes))
    with refused(FileError, str(path), *facts):
        PolicyMixture.load(path)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with refused(FileError, str(tmp_path / "none.json"), "No such file"):
        PolicyMixture.load(tmp_path / "none.json")
    for content in (b"", b'{"format": ', b"\xff\xfe", b"[1]", b"[" * 100_000):
        (tmp_path / "bad.json").write_bytes(content)
        with refused(FileError, str(tmp_path / "bad.json"), "policy mixture"):
            PolicyMixture.load(tmp_path / "bad.json")
