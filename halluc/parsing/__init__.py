"""Readers of response text, one file per profile: text in, outcome out."""
