"""The commands of ``python -m halluc``, one file each."""
