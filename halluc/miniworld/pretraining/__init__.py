"""How the small model is made: architecture, tokenizer, and the two stages of its pretraining."""
