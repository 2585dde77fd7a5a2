"""PostgreSQL's own `sha256(bytea)`: needs no extension. Migrations import it: keep its home."""

from django.db.models import BinaryField, Func


class Sha256(Func):
    """SHA-256 of bytes, as bytes."""

    function = "sha256"
    arity = 1
    output_field = BinaryField()


class CodePart(Func):
    """What of a combo the worker itself must be (`migrations/0012_combo_parts.sql`), as a digest."""

    function = "kedge_code_part"
    arity = 1
    output_field = BinaryField()
