"""Arenas: find the best outputs in a file by votes of people and judges."""
