"""Prometheus metrics, and the log: one JSON line per request, without secrets."""

import sys
from collections.abc import Sequence
from time import time
from typing import Any

import msgspec
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from duelist.database.commits import Request
from duelist.journal import Answered

SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
TOGETHER = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
_encode = msgspec.json.Encoder().encode


class Metrics:
    """Metrics of one worker, in a separate registry."""

    def __init__(self) -> None:
        self.registry = own = CollectorRegistry()
        self.requests = Counter("duelist_requests", "Requests answered.", ["route", "status"], registry=own)
        self.seconds = Histogram(
            "duelist_request_seconds",
            "Duration of requests in seconds.",
            ["route"],
            buckets=SECONDS,
            registry=own,
        )
        self.answers = Counter(
            "duelist_answers", "Answers recorded by pages, the API, clicks and imports.", registry=own
        )
        self.commit_seconds = Histogram(
            "duelist_commit_seconds", "Duration of commits in seconds.", buckets=SECONDS, registry=own
        )
        self.commit_events = Histogram(
            "duelist_commit_events", "Events per commit.", buckets=TOGETHER, registry=own
        )
        self.studies = Gauge("duelist_studies", "Studies open in this worker.", registry=own)
        self._routes: dict[tuple[str, int], tuple[Counter, Histogram]] = {}

    def answered(self, route: str, status: int, seconds: float) -> None:
        known = self._routes.get((route, status))
        if known is None:
            known = self.requests.labels(route, str(status)), self.seconds.labels(route)
            self._routes[route, status] = known
        known[0].inc()
        known[1].observe(seconds)

    def committed(self, requests: Sequence[Request], seconds: float) -> None:
        events = [one.event for request in requests for one in request.recorded]
        self.answers.inc(sum(isinstance(event, Answered) for event in events))
        self.commit_events.observe(len(events))
        self.commit_seconds.observe(seconds)

    def text(self) -> bytes:
        return generate_latest(self.registry)


def write_line(**fields: Any) -> None:
    """Write a JSON line to standard error, leaving out fields that are None."""
    present = {name: value for name, value in fields.items() if value is not None}
    # a single write keeps the lines of several workers apart; a full disk must not stop the service
    try:
        sys.stderr.buffer.write(_encode({"time": round(time(), 3), **present}) + b"\n")
        sys.stderr.buffer.flush()
    except (OSError, ValueError):
        return
