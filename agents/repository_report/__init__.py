"""Repository report: who changed how much, worked out by walking a history commit by commit."""
