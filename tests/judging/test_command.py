"""Judges that are programs, including programs that fail in every way."""

import errno
import json
import os
import shlex
from pathlib import Path
from time import sleep

import pytest
from judging.world import HONEST, program
from refusals import refused

from duelist.errors import ParameterError
from duelist.judging.command import CommandJudge
from duelist.judging.judge import JudgeError, JudgeRefusalError, Showing, is_judge
from duelist.judging.material import Output

SHOWN = Showing(Output("Why?"), Output("answer 3"), Output("answer 5"))
PATIENT = 60.0
"""Seconds that no program here takes unless something is wrong."""


def judge_of(folder: Path, text: str, timeout: float = PATIENT) -> CommandJudge:
    return CommandJudge(program(folder, text), timeout)


def is_gone(process: int) -> bool:
    """Whether a process ends: a signal takes a moment, and nobody may have looked at its end yet."""
    for _ in range(1000):
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state in "ZX":
            return True
        sleep(0.01)
    return False


def test_a_program_judges(tmp_path: Path) -> None:
    judge = judge_of(tmp_path, HONEST)
    assert (judge.judge(SHOWN), judge.judge(SHOWN.swapped())) == ("right", "left")
    assert judge.judge(Showing(None, SHOWN.left, SHOWN.left)) == "tie"
    assert is_judge(judge.name)
    assert judge.name == f"judge: {program(tmp_path, HONEST)}"


def test_what_a_program_reads(tmp_path: Path) -> None:
    kept = tmp_path / "read.json"
    judge = judge_of(
        tmp_path, f"import sys; open({str(kept)!r}, 'wb').write(sys.stdin.buffer.read()); print('tie')"
    )
    judge.judge(Showing(Output("Wie heißt »это«?"), Output("a\n\0{left}\udc80"), Output("😀")))
    assert json.loads(kept.read_bytes()) == {
        "item": "Wie heißt »это«?",
        "left": "a\n\0{left}\udc80",
        "right": "😀",
    }
    judge.judge(Showing(None, Output("a"), Output("b")))
    assert json.loads(kept.read_bytes()) == {"item": None, "left": "a", "right": "b"}
    image = Output(path=Path("left.png"), media_type="image/png")
    judge.judge(Showing(Output("A cat"), image, Output(path=tmp_path / "r.png", media_type="image/png")))
    assert json.loads(kept.read_bytes()) == {
        "item": "A cat",
        "left_path": str(Path.cwd() / "left.png"),
        "right_path": str(tmp_path / "r.png"),
    }


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            "import sys; print('left'); print('no \\033[31mmodel', file=sys.stderr); sys.exit(3)",
            ["exit status 3", "'no"],
        ),
        ("import os; os.kill(os.getpid(), 11)", ["signal SIGSEGV"]),
        ("raise RuntimeError('out of memory')", ["exit status 1", "RuntimeError: out of memory"]),
        ("print('leftover')", ["'leftover'", "first word", "left", "right", "tie"]),
        ("print('I choose left')", ["'I choose left'"]),
        ("pass", ["nothing"]),
        ("import sys; sys.stdout.buffer.write(bytes(range(256)))", ["first word"]),
        ("print('left ' * 20_000_000)", ["65,536 bytes"]),
        ("while True: print('left')", ["65,536 bytes"]),
        ("print('<p>' + 50 * 'word ' + '</p>')", ["'<p>word", "…", "word </p>'"]),
    ],
)
def test_programs_that_fail(tmp_path: Path, text: str, facts: list[str]) -> None:
    with refused(JudgeError, *facts) as caught:
        judge_of(tmp_path, text).judge(SHOWN)
    assert len(str(caught.value)) < 600
    assert str(caught.value).isprintable()
    assert caught.value.wait == 0.0


def test_the_first_word_counts_in_any_case(tmp_path: Path) -> None:
    assert judge_of(tmp_path, "print('\\n  Right because\\nleft')").judge(SHOWN) == "right"


def test_a_program_that_hangs_ends_with_all_it_has_started(tmp_path: Path) -> None:
    started = tmp_path / "started"
    text = f"""
import os, signal, subprocess, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen(["sleep", "1000"])
with open("{started}.part", "w") as file:
    file.write(f"{{os.getpid()}} {{child.pid}}")
os.rename("{started}.part", "{started}")
print("left", flush=True)
time.sleep(1000)
"""
    for timeout in (0.5, 5.0, 50.0):
        with refused(JudgeError, "time-out", f"{timeout:g} seconds"):
            judge_of(tmp_path, text, timeout).judge(SHOWN)
        if started.exists():  # on a busy machine it may have been ended before
            break
    processes = [int(number) for number in started.read_text().split()]
    assert len(processes) == 2
    assert all(map(is_gone, processes))


def test_a_program_whose_children_hold_its_pipes_is_not_waited_for(tmp_path: Path) -> None:
    started = tmp_path / "started"
    text = f"""
import subprocess
child = subprocess.Popen(["sleep", "1000"])
open({str(started)!r}, "w").write(str(child.pid))
print("left")
"""
    assert judge_of(tmp_path, text).judge(SHOWN) == "left"
    assert is_gone(int(started.read_text()))


def test_a_program_that_closes_its_output_and_goes_on(tmp_path: Path) -> None:
    text = "import os, time; print('left', flush=True); [os.close(n) for n in (0, 1, 2)]; time.sleep(1000)"
    with refused(JudgeError, "time-out", "0.5 seconds"):
        judge_of(tmp_path, text, timeout=0.5).judge(SHOWN)


@pytest.mark.parametrize(
    "text",
    [
        "print('left')",
        "import sys; sys.stdin.close(); print('left')",
        # it writes more than a pipe holds before it reads
        "import sys; print('e' * 1_000_000, file=sys.stderr); sys.stdin.read(); print('left')",
        "import sys; assert len(sys.stdin.read()) > 2_000_000; print('left')",
    ],
)
def test_long_texts_go_to_programs_that_read_them_or_not(tmp_path: Path, text: str) -> None:
    long = Output("x" * 1_000_000)
    assert judge_of(tmp_path, text).judge(Showing(None, long, long)) == "left"


def test_there_is_no_shell(tmp_path: Path) -> None:
    made = tmp_path / "made"
    judge = CommandJudge(f"echo left; touch {shlex.quote(str(made))} $(touch {made}) > {made}")
    with refused(JudgeError, "'left; touch"):
        judge.judge(SHOWN)
    assert not made.exists()


@pytest.mark.parametrize(
    ("command", "facts"),
    [
        ("", ["command", "empty"]),
        ("  ", ["command", "empty"]),
        ("echo 'left", ["command", '"echo \'left"']),
        ("no-such-program --at-all", ["'no-such-program'"]),
        ("./no/such/program", ["'./no/such/program'"]),
        ("echo \0", ["command", "null character"]),
        ("echo 'a\nb'", ["judge"]),
        (f"echo {'x' * 2000}", ["judge", "1000"]),
        ("{folder}", ["'{folder}'"]),
        ("{folder}/plain.txt", ["'{folder}/plain.txt'", "chmod +x {folder}/plain.txt"]),
    ],
)
def test_commands_that_cannot_be_run(tmp_path: Path, command: str, facts: list[str]) -> None:
    (tmp_path / "plain.txt").write_text("left")
    with refused(ParameterError, *(fact.format(folder=tmp_path) for fact in facts)):
        CommandJudge(command.format(folder=tmp_path))


def test_a_script_without_an_interpreter_is_refused_for_good(tmp_path: Path) -> None:
    script = tmp_path / "judge"
    script.write_text("print('left')\n")
    script.chmod(0o755)
    with refused(JudgeRefusalError, str(script), os.strerror(errno.ENOEXEC), "#!/usr/bin/env python3"):
        CommandJudge(str(script)).judge(SHOWN)
    script.write_text("#!/no/such/interpreter\n")
    with refused(JudgeRefusalError, str(script), os.strerror(errno.ENOENT)):
        CommandJudge(str(script)).judge(SHOWN)


@pytest.mark.parametrize("timeout", [0.0, -1.0, float("nan"), "60"])
def test_times_that_are_none(timeout: float) -> None:
    with refused(ParameterError, "timeout", timeout):
        CommandJudge("echo left", timeout)


def test_a_program_that_was_changed_is_another_judge(tmp_path: Path) -> None:
    first = judge_of(tmp_path, "print('left')")
    assert judge_of(tmp_path, "print('left')").identity == first.identity
    assert judge_of(tmp_path, "print('right')").identity != first.identity
    assert CommandJudge("echo " + "x" * 300).identity != CommandJudge("echo " + "y" * 300).identity


def test_nothing_is_left_open(tmp_path: Path) -> None:
    judge = judge_of(tmp_path, "print('left')")
    judge.judge(SHOWN)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        judge.judge(SHOWN)
    assert len(os.listdir("/proc/self/fd")) == before
