"""The tables, alike in SQLite and PostgreSQL, by versions: made, and brought up to date."""

from duelist.database.connections import Connection, Connections, missing
from duelist.errors import FileError

FIRST = """
CREATE TABLE studies (
    id {number},
    name varchar(100) NOT NULL CONSTRAINT uq_studies_name UNIQUE,
    -- the number of the last event: who appends locks this row, so that numbers become visible in their order
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
# What several workers have asked; a crash may forget it, so that it costs no log, as long as it does not
# refer to studies: to look whether there is one would be logged.
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
"""For each version, how it comes from the one before: in every database, and besides in a shared one."""


def version_of(connections: Connections, connection: Connection) -> int:
    """Return the version of a database's tables; 0 for an empty database."""
    tables = connections.tables(connection)
    if not tables:
        return 0
    for name, column in (("schema_version", "number"), ("alembic_version", "version_num")):
        if {name, "studies", "events"} <= tables:
            row = connection.execute(f"SELECT {column} FROM {name}").fetchone()
            if row is not None:
                return int(row[0])
    raise FileError(
        f"{connections.place} holds other tables and no studies; name a database that is empty or was made "
        "by duelist."
    )


def prepare(connections: Connections, create: bool) -> tuple[int, int]:
    """Make the tables of an empty database, or bring those that are there up to date, all or nothing.

    Of several processes, one does it and others wait. Returned are the versions before and now.
    """
    with connections.reading() as connection:
        before = version_of(connections, connection)
    if before == 0 and not create:
        raise missing(connections.place)
    if before > len(STEPS):
        raise FileError(
            f"{connections.place} has tables of version {before}, and this duelist knows {len(STEPS)} and "
            "earlier; install the newer version that made them."
        )
    if before < len(STEPS):
        with connections.writing() as connection:
            connections.lock_tables(connection)
            for number in range(version_of(connections, connection), len(STEPS)):
                take(connections, connection, number)
    with connections.plain_errors():
        connections.settle()  # not before it is known whose file it is, for it stays so
    return before, len(STEPS)


def take(connections: Connections, connection: Connection, number: int) -> None:
    """Bring the tables from one version to the next."""
    steps = STEPS[number] if connections.is_shared else STEPS[number][:1]
    for step in filter(None, steps):
        for statement in step.format(**connections.words).split(";\n"):
            connection.execute(statement)
    if number > 1:
        connection.execute("UPDATE schema_version SET number = :number", {"number": number + 1})
