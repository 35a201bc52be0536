"""What people or models prefer of two or several: strengths of systems."""
