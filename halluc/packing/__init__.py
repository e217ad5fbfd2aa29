"""From questions with answers to log-probabilities: the seam, and the ways to compute it."""
