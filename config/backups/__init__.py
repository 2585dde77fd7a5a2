"""Backups: a copy of the record that says what it is, and the way back that leaves nothing half-done."""
