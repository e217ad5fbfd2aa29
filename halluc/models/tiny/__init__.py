"""Random checkpoints of a few hundred thousand parameters, one for each supported family."""
