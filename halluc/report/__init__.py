"""What a run looks like to a person: tables on the screen and comparisons of runs."""
