"""Databases of studies: journals in SQLite or PostgreSQL, for many processes and machines."""

from duelist.database.database import Database
from duelist.database.journal import DatabaseJournal
from duelist.database.keys import ApiKey, ApiKeys
from duelist.database.open_duels import SharedOpenDuels

__all__ = ["ApiKey", "ApiKeys", "Database", "DatabaseJournal", "SharedOpenDuels"]
