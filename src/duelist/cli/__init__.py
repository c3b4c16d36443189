"""The command line: `duelist COMMAND`."""
