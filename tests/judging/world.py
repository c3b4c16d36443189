"""Shared by tests of judges: outputs of known quality, programs that judge, and a judge in memory."""

import sys
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from duelist.judging.judge import Answer, Showing
from duelist.judging.material import Material, Output

ARMS = ("good", "fair", "poor")
QUICK = f"{sys.executable} -IS"
HONEST = """
import json, sys
shown = json.load(sys.stdin)
left, right = (int(shown[side].split()[-1]) for side in ("left", "right"))
print("left" if left > right else "right" if right > left else "tie")
"""


def outputs_on(items: int, arms: tuple[str, ...] = ARMS) -> Material:
    """Every output ends with its quality: the first arm is the best."""
    return Material(
        "Example",
        arms,
        {
            f"question {item}": tuple(Output(f"answer {item}: {-place}") for place, _ in enumerate(arms))
            for item in range(items)
        },
        {f"question {item}": Output(f"What is {item}?") for item in range(items)},
    )


def program(folder: Path, text: str, name: str = "judge.py") -> str:
    """The command that runs a program of Python, quickly."""
    path = folder / name
    path.write_text(text)
    return f"{QUICK} {path}"


def best_of(shown: Showing) -> Answer:
    left, right = (int(str(output.text).split()[-1]) for output in shown[1:])
    return "left" if left > right else "right"


class MemoryJudge:
    """A judge that is a function, and counts its calls."""

    sees_media = False

    def __init__(self, answer: Callable[[Showing], Answer] = best_of, name: str = "judge: memory") -> None:
        self._answer, self._lock = answer, Lock()
        self.name = self.identity = name
        self.calls: list[Showing] = []

    def judge(self, shown: Showing) -> Answer:
        with self._lock:
            self.calls.append(shown)
        return self._answer(shown)
