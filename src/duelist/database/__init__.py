"""Databases of studies: journals in SQLite or PostgreSQL, for many processes and machines."""

from duelist.database.database import Database
from duelist.database.journal import DatabaseJournal

__all__ = ["Database", "DatabaseJournal"]
