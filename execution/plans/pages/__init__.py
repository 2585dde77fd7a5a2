"""The pages of saved plans: the list, a new one, its review, its progress, its items."""
