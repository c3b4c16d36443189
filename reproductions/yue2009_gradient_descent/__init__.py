"""Yue, Joachims (2009), Dueling Bandit Gradient Descent: Table 1 and Figure 2."""
