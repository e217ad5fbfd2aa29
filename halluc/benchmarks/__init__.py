"""Benchmarks: read the published files (``files``), ask, and score (``scoring``)."""
