"""Any service that speaks HTTP and JSON, as a declaration says: no code of its own."""
