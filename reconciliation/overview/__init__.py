"""All effects across runs: found, summed, taken along, and chosen for a plan."""
