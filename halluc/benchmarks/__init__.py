"""Benchmarks: read the published files, ask, and score."""
