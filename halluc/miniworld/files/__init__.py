"""What MiniWorld writes: benchmark files in the published layouts, and training rows."""
