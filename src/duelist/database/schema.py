"""The schema, the same in SQLite and PostgreSQL: creation and upgrades, by version."""

from duelist.database.connections import Connection, Connections, missing
from duelist.errors import FileError

FIRST = """
CREATE TABLE studies (
    id {number},
    name varchar(100) NOT NULL CONSTRAINT uq_studies_name UNIQUE,
    -- number of the last event: writers lock this row, so numbers become visible in order
    last bigint NOT NULL
);
CREATE TABLE events (
    study integer NOT NULL CONSTRAINT fk_events_study REFERENCES studies (id) ON DELETE CASCADE,
    seq bigint NOT NULL,
    key varchar(200),
    event text NOT NULL,  -- as a line of JSON
    CONSTRAINT pk_events PRIMARY KEY (study, seq),
    CONSTRAINT uq_events_key UNIQUE (key, study)
) {clustered};
CREATE TABLE snapshots (
    study integer NOT NULL CONSTRAINT pk_snapshots PRIMARY KEY
        CONSTRAINT fk_snapshots_study REFERENCES studies (id) ON DELETE CASCADE,
    seq bigint NOT NULL,
    body {bytes} NOT NULL
);
CREATE TABLE ticket_keys (number integer NOT NULL CONSTRAINT pk_ticket_keys PRIMARY KEY, key text NOT NULL);
CREATE TABLE api_keys (
    id varchar(16) NOT NULL CONSTRAINT pk_api_keys PRIMARY KEY,
    name varchar(200) NOT NULL,
    role varchar(10) NOT NULL,
    digest {bytes} NOT NULL,
    created double precision NOT NULL,
    revoked double precision
)
"""
# Duels that several workers have asked. A crash may lose them: unlogged, and without a foreign key to
# studies, whose check would be logged.
OPEN_DUELS = """
CREATE UNLOGGED TABLE open_duels (
    study integer NOT NULL,
    voter text NOT NULL,
    ticket text NOT NULL,
    time double precision NOT NULL,
    CONSTRAINT pk_open_duels PRIMARY KEY (study, voter)
)
"""
OWN_NUMBER = """
DROP TABLE IF EXISTS alembic_version;
CREATE TABLE schema_version (number integer NOT NULL);
INSERT INTO schema_version (number) VALUES (2)
"""
STEPS = [(FIRST, OPEN_DUELS), (OWN_NUMBER, "")]
"""Upgrade to each version: statements for every database, and additional ones for a shared database."""


def version_of(connections: Connections, connection: Connection) -> int:
    """Return the schema version of a database; 0 if it is empty."""
    tables = connections.tables(connection)
    if not tables:
        return 0
    for name, column in (("schema_version", "number"), ("alembic_version", "version_num")):
        if {name, "studies", "events"} <= tables:
            row = connection.execute(f"SELECT {column} FROM {name}").fetchone()
            if row is not None:
                return int(row[0])
    raise FileError(
        f"{connections.location} contains other tables and no studies; give a database that is empty or "
        "was created by duelist."
    )


def prepare(connections: Connections, create: bool) -> tuple[int, int]:
    """Create the tables of an empty database, or upgrade existing ones, all or nothing.

    Of several processes, one upgrades and the others wait. Return the versions before and after.
    """
    with connections.reading() as connection:
        before = version_of(connections, connection)
    if before == 0 and not create:
        raise missing(connections.location)
    if before > len(STEPS):
        raise FileError(
            f"{connections.location} has schema version {before}, and this duelist supports versions up to "
            f"{len(STEPS)}; install the newer version of duelist."
        )
    if before < len(STEPS):
        with connections.writing() as connection:
            connections.lock_tables(connection)
            for number in range(version_of(connections, connection), len(STEPS)):
                take(connections, connection, number)
    with connections.plain_errors():
        connections.configure()  # permanent, therefore not before the file is known to be one of duelist
    return before, len(STEPS)


def take(connections: Connections, connection: Connection, number: int) -> None:
    """Upgrade the tables by one version."""
    steps = STEPS[number] if connections.is_shared else STEPS[number][:1]
    for step in filter(None, steps):
        for statement in step.format(**connections.words).split(";\n"):
            connection.execute(statement)
    if number > 1:
        connection.execute("UPDATE schema_version SET number = :number", {"number": number + 1})
