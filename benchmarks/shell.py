"""How light the package is in live use."""

import json
import subprocess
import sys
import tracemalloc

import numpy as np
from numpy.random import default_rng

from benchmarks.table import Figure, seconds
from duelist import RUCB, Arms, Duel, Study, simulate
from duelist.kernels.duels import arm_buffer
from duelist.learners.armed import rucb
from duelist.problems import random_bradley_terry
from duelist.study.storage import state_to_json


def import_time() -> Figure:
    def fastest(module: str) -> float:
        program = f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
        runs = [
            subprocess.run([sys.executable, "-c", program], capture_output=True, text=True) for _ in range(5)
        ]
        return min(float(run.stdout) for run in runs)

    ours, numba = fastest("duelist"), fastest("numba")
    return Figure("import duelist: seconds", f"{ours:.2f} s", f"{numba:.2f} s", "import numba", numba / ours)


def ask_and_tell(k: int) -> Figure:
    turns = 20_000
    study = Study(RUCB(), [f"arm {i}" for i in range(k)])

    def answer_all() -> None:
        for _ in range(turns):
            duel = study.ask()
            study.tell(duel, "left" if duel.left < duel.right else "right")

    answer_all()
    elapsed = seconds(answer_all) / turns * 1e6
    plain = seconds(lambda: [json.loads(json.dumps([str(t), "left"])) for t in range(turns)]) / turns * 1e6
    return Figure(
        f"Study.ask + tell, RUCB, K={k}: microseconds",
        f"{elapsed:.1f} us",
        f"{plain:.1f} us",
        "writing and reading one answer as JSON",
        plain / elapsed,
    )


def folding() -> Figure:
    k, answers, few = 64, 1_000_000, 5_000
    rng, learner = default_rng(0), RUCB()
    duels, outcomes = arm_buffer(answers), rng.integers(2, size=answers).astype(np.float64)
    duels.sides[:] = rng.permuted(np.tile(np.arange(k), (answers, 1)), axis=1)[:, :2]
    state, rules = learner.init(Arms(k), rng), learner.rules(k)
    rucb.fold(rules, state, duels, outcomes)
    told = [Duel(left, right) for left, right in duels.sides[:few].tolist()]

    def tell_some() -> None:
        later = state
        for duel, outcome in zip(told, outcomes, strict=False):
            later = learner.tell(later, duel, outcome)

    ours, singly = (
        seconds(lambda: rucb.fold(rules, state, duels, outcomes)),
        seconds(tell_some) * answers / few,
    )
    return Figure(
        "RUCB's compiled fold, a million answers, K=64: seconds",
        f"{ours:.2f} s",
        f"{singly:.1f} s",
        f"tell, one after the other, scaled from {few:,}",
        singly / ours,
    )


def state_size() -> Figure:
    k, turns = 64, 100_000
    study = Study(RUCB(), [f"arm {i}" for i in range(k)])
    problem, rng = random_bradley_terry(k), study.rng
    for _ in range(turns):
        duel = study.ask()
        left, right = study.arms.index(duel.left), study.arms.index(duel.right)
        study.tell(duel, float(rng.random() < problem.matrix[left, right]))
    size, wins = (
        len(json.dumps(part, separators=(",", ":")))
        for part in (state_to_json(study.state), study.state.wins.tolist())
    )
    return Figure(
        "RUCB's state after 100,000 duels, K=64, as JSON: kB",
        f"{size / 1e3:.0f} kB",
        f"{wins / 1e3:.0f} kB",
        "the table of wins alone",
        wins / size,
    )


def memory() -> Figure:
    def peak(horizon: int) -> int:
        tracemalloc.start()
        simulate(RUCB(), random_bradley_terry(16), horizon, runs=10, checkpoints=[10], progress=False)
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    peak(1000)
    short, long = peak(1000), peak(10**9)
    return Figure(
        "peak memory of a simulation to 10^9 rounds, K=16, 10 runs: kB",
        f"{long / 1e3:.0f} kB",
        f"{short / 1e3:.0f} kB",
        "the same to 10^3 rounds",
        short / long,
    )


def figures() -> list[Figure]:
    return [import_time(), ask_and_tell(3), ask_and_tell(64), folding(), state_size(), memory()]
