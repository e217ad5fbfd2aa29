"""Where numbers go: CSV always, Weights & Biases where wanted, both through Lightning's loggers."""
