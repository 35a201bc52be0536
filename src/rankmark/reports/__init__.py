"""Reports: a page each that people read, of what was evaluated, compared and checked."""
