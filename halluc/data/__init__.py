"""Records, readers of user files, pictures, and how samples reach the training loop."""
