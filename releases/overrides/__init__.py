"""Business keys that people send to one arm of a canary by hand, whatever the shares say."""
