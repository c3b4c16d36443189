"""Run by alembic: brings the tables of an open connection to another version."""

from alembic import context

from duelist.database.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,
    compare_type=True,
)
context.run_migrations()
