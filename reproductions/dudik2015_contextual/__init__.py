"""Dudik, Hofmann, Schapire, Slivkins, Zoghi (2015), Contextual Dueling Bandits."""
