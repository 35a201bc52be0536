"""How anything is shown: words, numbers, tables, and a file for each format."""
