"""The program `duelist`: start the command line; on Ctrl-C end with one line, also during the start."""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

STOPPED = 130  # the exit status that shells use for Ctrl-C
RETRY_DELAY, RETRIES = 0.01, 300  # for an interrupt during an import, in seconds


def main() -> None:
    """Import and run the command line."""
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


def interrupt(number: int, frame: "FrameType | None", tries: int = RETRIES) -> None:
    """Raise KeyboardInterrupt, a little later if a module is being imported: some libraries swallow it."""
    import signal

    if tries and is_importing(frame) and hasattr(signal, "setitimer"):
        # a second Ctrl-C does not wait for the import
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGALRM, lambda number, frame: interrupt(number, frame, tries - 1))
        signal.setitimer(signal.ITIMER_REAL, RETRY_DELAY)
        return
    raise KeyboardInterrupt


def is_importing(frame: "FrameType | None") -> bool:
    """Return whether a frame belongs to the import of a module."""
    while frame is not None and "importlib._bootstrap" not in frame.f_code.co_filename:
        frame = frame.f_back
    return frame is not None


def ignore_interrupts() -> None:
    """Ignore further interrupts during shutdown."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, signal.SIG_IGN)


if __name__ == "__main__":
    main()
