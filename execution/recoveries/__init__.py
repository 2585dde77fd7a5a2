"""The three numbers over time, with the recoveries behind each point."""
