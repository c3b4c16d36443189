"""A process that lets a program judge, until it is killed: `python judge_run.py folder command`."""

import sys
from pathlib import Path

from judging.world import outputs_on

from duelist import Study
from duelist.judging.command import CommandJudge
from duelist.judging.judging import judge_arena
from duelist.judging.report import JudgeReport


def run(folder: Path, command: str) -> JudgeReport:
    material, journal = outputs_on(12, ("a", "b")), folder / "votes.db"
    study = Study.open(journal) if journal.exists() else Study(arms=material.arms, journal=journal)
    return judge_arena(
        study,
        material,
        CommandJudge(command),
        budget=1000,
        cache=folder / "answers.jsonl",
        progress=lambda report: print(report.votes, flush=True),
    )


if __name__ == "__main__":
    run(Path(sys.argv[1]), sys.argv[2])
