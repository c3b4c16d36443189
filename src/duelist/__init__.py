"""Learn from pairwise preferences."""
