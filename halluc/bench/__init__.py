"""Measure what token trees are worth: the same work, the same weights, every way side by side."""
