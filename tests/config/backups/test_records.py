"""The copies that these tests restore into can be made whatever an earlier test left open."""

import psycopg
import pytest

from tests.config.backups import records


@pytest.mark.django_db(transaction=True)
def test_a_copy_does_not_wait_for_who_still_uses_the_original() -> None:
    with (
        psycopg.connect(records.test_database()),
        records.database("kedge_copied") as copy,
        psycopg.connect(copy) as connection,
    ):
        assert connection.execute("SELECT current_database()").fetchone() == ("kedge_copied",)
