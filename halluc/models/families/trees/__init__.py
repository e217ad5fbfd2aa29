"""How the families' forwards take a token tree; one file per family that the generic hooks do not serve."""
