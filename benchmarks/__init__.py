"""rankmark timed beside its peers; see README.md."""
