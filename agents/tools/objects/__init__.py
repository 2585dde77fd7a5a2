"""Documents in a store that speaks S3, each under a name made of its action."""
