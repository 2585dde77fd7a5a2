"""Getting in: factors, providers, limits, proofs that it is still you, and what is refused at the door."""
