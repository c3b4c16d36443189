"""A study that another worker removed and created again is opened again."""

import asyncio

import pytest
from service.caller import serving


def test_a_study_made_again_elsewhere_is_found_by_all_workers(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("duelist.service.live.LOOK_EVERY", 0.0)

    async def main() -> None:
        async with serving(place) as one, serving(place) as other:
            for arms in (["a", "b"], ["c", "d"]):
                assert (await one.post("/api/studies", name="home", arms=arms)).status_code == 201
                duel = await other.post("/api/studies/home/ask")
                if duel.status_code == 404:  # this is how it notices the removal
                    duel = await other.post("/api/studies/home/ask")
                assert {duel.json()["left"], duel.json()["right"]} == set(arms)
                assert (await one.http.delete("/api/studies/home")).is_success
                assert (await other.post("/api/studies/home/ask")).status_code == 404

    asyncio.run(main())
