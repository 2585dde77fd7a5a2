"""What people are shown of a request, whole and in parts, and what of it they opened."""
