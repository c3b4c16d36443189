"""Interleave two rankings and record a click: python examples/search_page.py http://127.0.0.1:8321."""

import sys

from duelist.client import Client

FOUND = {"bm25": ["heron", "stork", "crane"], "dense": ["stork", "egret"]}  # by each ranker, best first
with Client(sys.argv[1]) as client:
    search = client.create("search", arms=["bm25", "dense"])
    duel = search.ask(voter="visitor-17")
    page = search.interleave(duel, {duel.left: FOUND[duel.left], duel.right: FOUND[duel.right]})
    print(*page.documents)
    search.clicks(page.ticket, [input("Which do you open? ")], final=True)
    print(f"Best so far: {search.best()}.")
