"""Arenas: from a file of outputs to the best of them, by votes of people and judges."""
