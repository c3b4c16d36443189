"""Studies of documents and a service: it begins none, and refuses those that are in its database."""

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from service.caller import Caller, serving

from duelist import PairwiseGradientRanker, Study
from duelist.database import Database

ROW = [[0.0, 0.0]]
RANKER = {"name": "PairwiseGradientRanker"}


def with_documents(path: Path) -> Study:
    """Keep a study of documents, which was clicked once, beside one of arms."""
    database = Database(str(path))
    Study(arms=["a", "b"], journal=database.journal("home"))
    study = Study(PairwiseGradientRanker(), features=ROW, journal=database.journal("search"))
    shown = study.rank(np.eye(2))
    study.clicks(shown.ticket, shown.documents[:1], final=True)
    return study


@pytest.mark.parametrize(
    "about", [{}, {"arms": ["a", "b"]}, {"features": ROW}, {"features": ROW, "context": [0.0]}]
)
def test_a_service_begins_no_study_of_documents(tmp_path: Path, about: dict[str, Any]) -> None:
    async def main() -> None:
        async with serving(str(tmp_path / "studies.db")) as caller:
            begun = await caller.post("/api/studies", name="search", learner=RANKER, **about)
            assert (begun.status_code, begun.json()["error"]) == (422, "ParameterError")
            assert "arms" in begun.json()["detail"]
            assert (await caller.get("/api/studies")).json() == {"studies": []}
            await caller.post("/api/studies", name="home", arms=["a", "b"])
            changed = await caller.post("/api/studies/home/learner", learner=RANKER)
            assert (changed.status_code, changed.json()["error"]) == (422, "ParameterError")

    asyncio.run(main())


def test_every_route_refuses_a_study_of_documents_in_words(tmp_path: Path) -> None:
    path = tmp_path / "studies.db"
    study = with_documents(path)
    shown = study.rank(np.eye(2))

    async def refuses(caller: Caller, method: str, route: str, body: Any) -> bool:
        answer = await caller.http.request(method, route, json=body)
        assert 400 <= answer.status_code < 500, (method, route, answer.text)
        return answer.status_code == 422 and "Study.open" in answer.text

    async def main() -> None:
        async with serving(str(path)) as caller:
            described = (await caller.get("/openapi.json")).json()["paths"]
            bodies: dict[str, Any] = {
                "tell": {"ticket": shown.ticket, "outcome": "left"},
                "clicks": {"ticket": shown.ticket, "clicked": [0]},
                "skip": {"ticket": shown.ticket},
                "retract": {"ticket": shown.ticket},
                "interleave": {"ticket": shown.ticket, "rankings": {"a": [1], "b": [2]}},
                "arms": {"name": "c"},
                "learner": {"learner": RANKER},
            }
            refused = [
                (method, route)
                for route, methods in described.items()
                for method in methods
                if "{name}" in route
                and method != "delete"
                and await refuses(
                    caller, method, route.replace("{name}", "search"), bodies.get(route.split("/")[-1], {})
                )
            ]
            assert len(refused) >= 15
            assert (await caller.http.delete("/api/studies/search")).status_code == 204

    asyncio.run(main())
    assert Database(str(path)).names() == ["home"]
