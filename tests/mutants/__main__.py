"""Apply every mutation to a copy of the tree, and see whether its tests notice: `make mutants`."""

import argparse
import os
import shlex
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatch
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory

from mutants.mutations import Fate, Mutation, Tree, read_mutations


def chosen(only: str) -> list[Mutation]:
    """Return the mutations whose line has a text, or fits a pattern."""
    return [one for one in read_mutations() if only in str(one) or fnmatch(str(one), only)]


def broken_tests(tree: Tree, mutations: list[Mutation]) -> bool:
    """Return whether tests fail without any mutation; then they say nothing about mutations."""
    for compiled in (False, True):
        tests = {one.tests for one in mutations if one.compiled is compiled}
        # those with options run by themselves
        together = sorted(one for one in tests if " " not in one)
        for run in [*[shlex.split(one) for one in sorted(tests - {*together})], together]:
            if run and tree.test(run, compiled):
                print(f"fails without a mutation: {' '.join(run)}\n{tree.output}", flush=True)
                return True
    return False


def main() -> int:
    """Report what becomes of every mutation; return 1 if one survives or does not apply."""
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__)
    parser.add_argument("--only", default="", help="text or pattern in a mutation's file or change")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="mutations at a time")
    parser.add_argument("--unchecked", action="store_true", help="do not run tests without mutations first")
    arguments = parser.parse_args()
    mutations, fates, start = chosen(arguments.only), list[Fate](), time.monotonic()
    with TemporaryDirectory(prefix="mutants-") as folder:
        trees = SimpleQueue[Tree]()
        jobs = max(min(arguments.jobs, len(mutations)), 1)
        for job in range(jobs):
            trees.put(Tree(Path(folder) / str(job)))

        def meet(mutation: Mutation) -> None:
            tree = trees.get()
            fate, seconds = tree.timed_fate(mutation)
            trees.put(tree)
            fates.append(fate)
            print(f"{len(fates):3}/{len(mutations)} {fate:8} {seconds:5.1f} s  {mutation}", flush=True)

        tree = trees.get()
        if not arguments.unchecked and broken_tests(tree, mutations):
            return 1
        trees.put(tree)
        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(meet, mutations))
    killed = fates.count("killed")
    print(f"{killed} of {len(mutations)} mutations killed in {time.monotonic() - start:.0f} s")
    return 0 if mutations and killed == len(mutations) else 1


if __name__ == "__main__":
    sys.exit(main())
