"""Every safety check that is taken out once, floor by floor."""

from tests.mutants import (
    of_journal,
    of_ladder,
    of_leases,
    of_moves,
    of_overrides,
    of_people,
    of_permission,
    of_record,
    of_rollbacks,
    of_traffic,
    of_world,
)

MUTANTS = (
    *of_record.MUTANTS,
    *of_leases.MUTANTS,
    *of_world.MUTANTS,
    *of_journal.MUTANTS,
    *of_permission.MUTANTS,
    *of_people.MUTANTS,
    *of_traffic.MUTANTS,
    *of_rollbacks.MUTANTS,
    *of_moves.MUTANTS,
    *of_overrides.MUTANTS,
    *of_ladder.MUTANTS,
)
