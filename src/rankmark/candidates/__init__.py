"""Sampled candidates: drawn for each user, and what values among them say of all items."""
