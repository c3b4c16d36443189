"""Multileaving: several rankings shown as one list, and clicks on it turned into credits."""
