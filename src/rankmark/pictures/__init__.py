"""Pictures of results, a page each: a function from a result to a described figure.

A page shows what a result holds, and computes no statistics of its own. ``result.plot(name)`` draws it.
"""
