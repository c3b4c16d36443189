"""The tables of a database of studies, alike in SQLite and PostgreSQL."""

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
)

METADATA = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
    }
)

STUDIES = Table(
    "studies",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", String(100), nullable=False, unique=True),
    # the number of the last event: who appends locks this row, so that numbers become visible in their order
    Column("last", BigInteger, nullable=False),
    sqlite_autoincrement=True,  # the number of a study that was removed is not given to another
)


def column_of_study() -> "Column[int]":
    """Return the column that says which study a row belongs to, and goes with it."""
    return Column("study", Integer, ForeignKey("studies.id", ondelete="CASCADE"), nullable=False)


EVENTS = Table(
    "events",
    METADATA,
    column_of_study(),
    Column("seq", BigInteger, nullable=False),
    Column("key", String(200)),
    Column("event", Text, nullable=False),  # as a line of JSON
    PrimaryKeyConstraint("study", "seq"),
    UniqueConstraint("key", "study"),
    sqlite_with_rowid=False,
)

SNAPSHOTS = Table(
    "snapshots",
    METADATA,
    column_of_study(),
    Column("seq", BigInteger, nullable=False),
    Column("body", LargeBinary, nullable=False),
    PrimaryKeyConstraint("study"),
)

TICKET_KEYS = Table(
    "ticket_keys",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("key", Text, nullable=False),
)

API_KEYS = Table(
    "api_keys",
    METADATA,
    Column("id", String(16), primary_key=True),
    Column("name", String(200), nullable=False),
    Column("role", String(10), nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("created", Double, nullable=False),
    Column("revoked", Double),
)
