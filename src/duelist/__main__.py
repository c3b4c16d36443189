"""The program `duelist`: starts the command line, and ends with a word on Ctrl-C, also while it starts."""

import sys

STOPPED = 130  # the exit code that shells know for Ctrl-C


def main() -> None:
    """Import and run the command line."""
    try:
        # imported here, because imports take long enough to be interrupted
        from duelist.cli.main import main as run

        run()
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        sys.exit(STOPPED)


if __name__ == "__main__":
    main()
