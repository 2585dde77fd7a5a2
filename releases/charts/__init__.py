"""The gates of a release as people see them: charts, verdicts in words, looks, shares over time."""
