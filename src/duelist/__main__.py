"""The program `duelist`: starts the command line, and ends with a word on Ctrl-C, also while it starts."""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

STOPPED = 130  # the exit code that shells know for Ctrl-C
AGAIN, TRIES = 0.01, 300  # an interrupt during an import is tried again: after how many seconds, how often


def main() -> None:
    try:
        try:
            # imported here, because imports take long enough to be interrupted
            import gc
            import signal

            if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                signal.signal(signal.SIGINT, interrupt)
            # imports make a quarter of a million objects that stay: few collections need to look at them
            gc.set_threshold(300_000)
            from duelist.cli.main import main as run

            run()
        finally:
            ignore_interrupts()
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        sys.exit(STOPPED)


def interrupt(number: int, frame: "FrameType | None", tries: int = TRIES) -> None:
    """Raise KeyboardInterrupt, a little later if a module is being imported: some libraries swallow it."""
    import signal

    if tries and is_importing(frame) and hasattr(signal, "setitimer"):
        # who presses Ctrl-C again does not want to wait for the import
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGALRM, lambda number, frame: interrupt(number, frame, tries - 1))
        signal.setitimer(signal.ITIMER_REAL, AGAIN)
        return
    raise KeyboardInterrupt


def is_importing(frame: "FrameType | None") -> bool:
    """Return whether a frame belongs to the import of a module."""
    while frame is not None and "importlib._bootstrap" not in frame.f_code.co_filename:
        frame = frame.f_back
    return frame is not None


def ignore_interrupts() -> None:
    """Let Python end in peace: what was asked for is done, or was stopped."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, signal.SIG_IGN)


if __name__ == "__main__":
    main()
