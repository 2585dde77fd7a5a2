"""What moves while a request waits: looking again, telling it, asking anew."""
