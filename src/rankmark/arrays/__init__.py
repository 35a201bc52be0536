"""Scores of all items as arrays, from whichever library, and models that give them."""
