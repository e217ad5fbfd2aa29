"""What pretraining asks about scenes, in which words, and what a careless eye answers."""
