"""The doors: each reads, plans, runs an engine and builds a result."""
