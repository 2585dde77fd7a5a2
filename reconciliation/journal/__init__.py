"""The journal outside PostgreSQL: before every effect one synced line (rule 13).

A restored or failed-over database can be older than the world. What the record then lacks stands
here.
"""

from reconciliation.journal.port import Line, Mark, Room
from reconciliation.journal.rooms import room
from reconciliation.journal.writing import lines, path, write

__all__ = ["Line", "Mark", "Room", "lines", "path", "room", "write"]
