"""Every role finds its database, with its own user and its own limits."""

from pathlib import Path

import pytest
from psycopg import IsolationLevel

from config.database import LIMITS, ROLES, database, urls, user_of
from config.embedded.places import Places
from config.errors import GroundError

HERE = Places(Path("/v"), Path("/v"), Path("/v/run"), Path("/v/c"), None)
COMMON = "postgresql://kedge:s%40fe@db.example:5433/kedge?sslmode=require"


def test_without_an_address_each_role_is_a_user_of_the_embedded_server() -> None:
    found = {role: database(urls({}, HERE), role, test_name="t") for role in ROLES}
    assert {entry["USER"] for entry in found.values()} == {
        "kedge_owner",
        "kedge_web",
        "kedge_worker",
    }
    assert {(entry["HOST"], entry["PORT"]) for entry in found.values()} == {("/v/run", "5432")}
    assert all("options" not in entry["OPTIONS"] for entry in found.values())


def test_an_address_is_read_whole() -> None:
    entry = database(urls({"DATABASE_URL": COMMON}, HERE), "owner", test_name="t")
    assert (entry["USER"], entry["PASSWORD"], entry["HOST"]) == ("kedge", "s@fe", "db.example")
    assert (entry["PORT"], entry["NAME"]) == ("5433", "kedge")
    assert entry["OPTIONS"]["sslmode"] == "require"
    assert entry["OPTIONS"]["isolation_level"] is IsolationLevel.READ_COMMITTED


def test_a_peer_that_vanished_is_noticed_before_a_kernel_would() -> None:
    addresses = urls({"DATABASE_URL": COMMON + "&tcp_user_timeout=9000"}, HERE)
    options = database(addresses, "worker", test_name="t")["OPTIONS"]
    assert (options["keepalives_idle"], options["tcp_user_timeout"]) == ("10", "9000")


def test_a_role_that_shares_the_owners_user_carries_its_limits_itself() -> None:
    entry = database(urls({"DATABASE_URL": COMMON}, HERE), "worker", test_name="t")
    for name, value in LIMITS["worker"].items():
        assert f"-c {name}={value}" in entry["OPTIONS"]["options"]


def test_options_of_the_address_are_kept_beside_the_limits() -> None:
    env = {"DATABASE_URL": COMMON + "&options=-c%20search_path%3Dkedge"}
    options = database(urls(env, HERE), "web", test_name="t")["OPTIONS"]["options"]
    assert options.startswith("-c search_path=kedge -c statement_timeout=")


def test_a_role_with_a_user_of_its_own_does_not() -> None:
    env = {"DATABASE_URL": COMMON, "DATABASE_URL_WORKER": "postgresql://w@db.example/kedge"}
    addresses = urls(env, HERE)
    assert user_of(addresses["worker"]) == "w"
    assert addresses["web"] == COMMON
    assert "options" not in database(addresses, "worker", test_name="t")["OPTIONS"]


@pytest.mark.parametrize("address", ["mysql://a@b/c", "postgresql://a@b", "kedge"])
def test_an_address_of_another_form_is_refused(address: str) -> None:
    with pytest.raises(GroundError, match="DATABASE_URL"):
        database(urls({"DATABASE_URL": address}, HERE), "owner", test_name="t")
