"""The pages of the world: the inbox, cases with their desk, actions and what became of them."""
