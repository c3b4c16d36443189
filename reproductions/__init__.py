"""Published figures and tables, computed again: `python -m reproductions.<paper>`."""
