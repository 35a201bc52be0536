"""Other tools: what they compute, and under which names."""
