"""From annotations of any origin to questions, preference pairs and benchmark files."""
