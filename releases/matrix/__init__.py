"""Problems by combo: which problem came with which change, and the plan for the runs that have it."""
