"""Labelled scores: from one table to values, intervals, curves and comparisons."""
