"""One request to one server: where a tool may connect to, and what really left."""
