"""Tables from files and from memory: one reader for votes, duels, clicks and outputs.

The reader of a table decides what its columns mean; see `duelist.votes.formats`.
"""

from duelist.tables.files import read_lines, read_table
from duelist.tables.table import Column, Notes, Table

__all__ = ["Column", "Notes", "Table", "read_lines", "read_table"]
