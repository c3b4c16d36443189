"""Judges: programs and language models that vote like people, within a budget of calls."""
