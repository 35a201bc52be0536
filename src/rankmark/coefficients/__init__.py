"""The coefficients of agreement, a page each: every module here is one definition, the folder the registry.

A page is a function of `pairs` (`rankmark.kinds.pairs.Pairs`, two lists for each of some queries) that gives
one float64 value a query, NaN where there is none. All keyword arguments are the coefficient's parameters;
the lists are cut before the page sees them.
"""
