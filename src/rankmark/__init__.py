"""rankmark: how good rankings and predictions are."""
