"""Answers that were generated: what others found of their nuggets and citations, as numbers."""
