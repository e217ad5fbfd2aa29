"""Pure metrics: no files, no model."""
