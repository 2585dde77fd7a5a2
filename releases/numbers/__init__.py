"""What the gates are fed: numbers of one arm, read from the facts in PostgreSQL and never from logs."""
