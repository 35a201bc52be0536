"""Arrays of any library, and what is judged in them."""
