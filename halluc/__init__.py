"""Train vision-language models to stop saying yes to what is not in the picture."""

__version__ = "0.1.0"
