"""From questions to predictions: likelihood over the answer space, or greedy text."""
