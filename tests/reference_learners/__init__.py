"""Reference implementations of the learners: plain Python, line by line from the papers.

Where a paper leaves a free choice, the randomness of that choice is used up in the order in which the package
uses it, so that two generators with the same seed make the same choices.
"""
