"""From answers to scores: clusters of images, intervals, what benchmarks of one kind share."""
