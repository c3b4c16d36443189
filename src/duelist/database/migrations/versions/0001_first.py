"""The first tables: studies, their events and snapshots, keys of tickets and of the API."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "studies",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(100), nullable=False, unique=True),
        sa.Column("last", sa.BigInteger, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "events",
        sa.Column("study", sa.Integer, sa.ForeignKey("studies.id", ondelete="CASCADE"), nullable=False),
        sa.Column("seq", sa.BigInteger, nullable=False),
        sa.Column("key", sa.String(200)),
        sa.Column("event", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("study", "seq"),
        sa.UniqueConstraint("key", "study"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "snapshots",
        sa.Column("study", sa.Integer, sa.ForeignKey("studies.id", ondelete="CASCADE"), nullable=False),
        sa.Column("seq", sa.BigInteger, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("study"),
    )
    op.create_table(
        "ticket_keys",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("key", sa.Text, nullable=False),
    )
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("role", sa.String(10), nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("revoked", sa.Double),
    )
    if op.get_bind().dialect.name == "postgresql":
        # what several workers have asked; a crash may forget it, so that it costs no log, as long as it does
        # not refer to studies: to look whether there is one would be logged
        op.create_table(
            "open_duels",
            sa.Column("study", sa.Integer, nullable=False),
            sa.Column("voter", sa.Text, nullable=False),
            sa.Column("ticket", sa.Text, nullable=False),
            sa.Column("time", sa.Double, nullable=False),
            sa.PrimaryKeyConstraint("study", "voter"),
            prefixes=["UNLOGGED"],
        )


def downgrade() -> None:
    """Remove the tables."""
    if op.get_bind().dialect.name == "postgresql":
        op.drop_table("open_duels")
    for table in ("api_keys", "ticket_keys", "snapshots", "events", "studies"):
        op.drop_table(table)
