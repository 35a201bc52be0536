"""What measures see, lists, rows and classes, and what several pages are made of."""
