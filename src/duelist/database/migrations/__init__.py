"""The history of the tables: one module a version, each with the way up and the way down."""
