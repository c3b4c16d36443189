"""The program `duelist`: starts the command line, and ends with a word on Ctrl-C, also while it starts."""

import gc
import sys

STOPPED = 130  # the exit code that shells know for Ctrl-C


def main() -> None:
    """Import and run the command line."""
    # imports make a quarter of a million objects that stay, which need not be looked at again and again
    gc.set_threshold(300_000)
    try:
        try:
            # imported here, because imports take long enough to be interrupted
            from duelist.cli.main import main as run

            run()
        finally:
            ignore_interrupts()
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        sys.exit(STOPPED)


def ignore_interrupts() -> None:
    """Let Python end in peace: what was asked for is done, or was stopped."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    main()
