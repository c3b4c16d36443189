"""Published figures and tables, computed again on the papers' own scale: a folder a paper."""
