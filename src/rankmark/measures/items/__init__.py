"""Measures of the items that lists recommend: one value a query, or one of the whole run."""
