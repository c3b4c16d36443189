"""Benchmarks: `python -m benchmarks` measures everything, each figure beside its baseline."""
