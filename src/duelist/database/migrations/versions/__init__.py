"""Versions of the tables, by number."""
