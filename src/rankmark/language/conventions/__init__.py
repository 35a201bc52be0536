"""What other tools do otherwise, and what they call it."""
