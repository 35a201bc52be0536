"""Several systems: which is better, and how alike their rankings are."""
