"""Published figures and tables, reproduced at the papers' own scale, with one folder per paper."""
