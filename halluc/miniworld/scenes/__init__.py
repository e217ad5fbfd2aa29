"""MiniWorld's scenes: what stands where, what is true of it, and how it is drawn."""
