"""Rows of another PostgreSQL database, changed by declared statements in one transaction."""
