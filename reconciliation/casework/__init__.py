"""How people work on a case together: who is at it, their notes, its age, the queue by these."""
