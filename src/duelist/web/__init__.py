"""Pages: results as HTML that needs nothing else."""
