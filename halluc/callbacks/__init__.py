"""Lightning callbacks, one file each, named by their effect."""
