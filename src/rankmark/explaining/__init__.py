"""The arithmetic behind one value."""
