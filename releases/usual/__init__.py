"""What a tenant demands of its releases and what they do by themselves, as its people said: its policies."""
