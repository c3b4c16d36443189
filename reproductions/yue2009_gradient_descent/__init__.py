"""Yue, Joachims (2009): Interactively Optimizing Information Retrieval Systems as a Dueling Bandits Problem."""
