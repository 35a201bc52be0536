"""What users hold: values with what is needed to trust them."""
