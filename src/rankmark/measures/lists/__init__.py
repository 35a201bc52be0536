"""Measures of the judged items of lists: one value a query."""
