"""One file per format of training data."""
