"""Yue, Joachims (2009), Dueling Bandit Gradient Descent: Tables 1 to 3, Figures 2 and 3."""
