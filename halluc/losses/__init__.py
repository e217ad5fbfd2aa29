"""Pure losses: tensors in, tensors out."""
