"""Measures of labelled scores: of numbers, of classes, of users."""
