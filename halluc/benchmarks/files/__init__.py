"""Published question files and anybody's answer files, brought to rows."""
