"""From what was observed to values: states that merge, means, ratios, counts, bounds and intervals."""
