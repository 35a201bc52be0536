"""The checks: what can be odd in judgements and results, a module a kind of trouble."""
