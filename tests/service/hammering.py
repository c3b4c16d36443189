"""Voters who vote over HTTP while the service fails, and remember what was acknowledged."""

import json
import random
import threading
from http.client import HTTPConnection, HTTPException
from typing import Any

from duelist.journal import Answered, Recorded

OUTCOMES = ("left", "right", "tie")


class Voters:
    """Threads that ask and tell; an answer that got no reply is told again, as a client would."""

    def __init__(self, port: int, threads: int = 4, study: str = "home") -> None:
        self._port, self._study = port, study
        self._ended = threading.Event()
        self._threads = [
            threading.Thread(target=self._vote, args=(number,), daemon=True) for number in range(threads)
        ]
        self.acknowledged: dict[str, str] = {}
        """By voter, the outcome that the service has confirmed; every voter votes once."""
        self.unsure: dict[str, str] = {}
        """By voter, an outcome that was sent and never confirmed."""
        self.refused: list[tuple[int, str]] = []
        self.unavailable = 0
        """How often the service answered that it could not write."""

    def __enter__(self) -> "Voters":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def _vote(self, number: int) -> None:
        rng = random.Random(number)
        count = 0
        while not self._ended.is_set():
            voter, outcome = f"{number}-{count}", rng.choice(OUTCOMES)
            count += 1
            asked = self._post("ask", {"voter": voter})
            if asked is None:
                continue
            body = {"ticket": asked["ticket"], "outcome": outcome}
            self.unsure[voter] = outcome
            while not self._ended.is_set():
                if self._post("tell", body) is not None:
                    self.acknowledged[voter] = self.unsure.pop(voter)
                    break

    def _post(self, route: str, body: dict[str, Any]) -> Any:
        """Return the answer; None where there was none, or the service could not write."""
        try:
            connection = HTTPConnection("127.0.0.1", self._port, timeout=10.0)
            try:
                connection.request(
                    "POST",
                    f"/api/studies/{self._study}/{route}",
                    json.dumps(body),
                    {"Content-Type": "application/json"},
                )
                answer = connection.getresponse()
                content = answer.read()
            finally:
                connection.close()
        except (OSError, HTTPException):
            self._ended.wait(0.02)
            return None
        if answer.status == 200:
            return json.loads(content)
        if answer.status == 503:
            self.unavailable += 1
        else:
            self.refused.append((answer.status, content.decode()))
            self._ended.set()
        self._ended.wait(0.02)
        return None

    def check(self, events: list[Recorded]) -> None:
        """Demand that what was acknowledged is on record exactly once, and nothing else but what was sent."""
        assert not self.refused
        assert [one.seq for one in events] == list(range(1, len(events) + 1))
        words = {1.0: "left", 0.0: "right", 0.5: "tie"}
        answers = [one.event for one in events if isinstance(one.event, Answered)]
        recorded = {str(one.voter): words[one.outcome] for one in answers}
        assert len(recorded) == len(answers), "somebody was counted twice"
        lost = self.acknowledged.items() - recorded.items()
        assert not lost, f"acknowledged and lost or changed: {sorted(lost)[:5]}"
        invented = recorded.keys() - self.acknowledged.keys() - self.unsure.keys()
        assert not invented, f"on record and never sent: {sorted(invented)[:5]}"
        assert self.acknowledged, "nothing was acknowledged, so the test proves nothing"
