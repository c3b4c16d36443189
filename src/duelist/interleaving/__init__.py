"""Interleaving: two or more rankings shown as one list, and clicks on it turned into a preference."""
