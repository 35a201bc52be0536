"""One table of labelled scores: its columns, its labels, its classes; whole, in batches, of systems."""
