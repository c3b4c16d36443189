"""The program `duelist`: starts the command line, and ends with a word on Ctrl-C, also while it starts."""

import sys

STOPPED = 130  # the exit code that shells know for Ctrl-C
AGAIN = 0.01  # seconds after which an interrupt that came during an import is tried again


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


def interrupt(*_: object) -> None:
    """Raise KeyboardInterrupt, as soon as no module is being imported: some libraries would swallow it."""
    import signal

    if is_importing() and hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, interrupt)
        signal.setitimer(signal.ITIMER_REAL, AGAIN)
        return
    raise KeyboardInterrupt


def is_importing() -> bool:
    """Return whether the main thread is importing a module."""
    frame = sys._getframe(2)
    while frame.f_back is not None and "importlib._bootstrap" not in frame.f_code.co_filename:
        frame = frame.f_back
    return frame.f_back is not None


def ignore_interrupts() -> None:
    """Let Python end in peace: what was asked for is done, or was stopped."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, signal.SIG_IGN)


if __name__ == "__main__":
    main()
