"""One file per model family that the generic hooks do not serve."""
