"""What was shown and clicked: what others would have earned, where users look, whose items they take."""
