"""Each variable is read as meant, and production refuses what it must not start with."""

import stat
from pathlib import Path
from threading import Barrier, Thread

import pytest

from config import environment
from config.errors import GroundError

SECRET = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVW"


def test_development_makes_one_secret_key_and_keeps_it_private(tmp_path: Path) -> None:
    first = environment.secret_key({}, tmp_path / "var", production=False)
    assert len(first) >= environment.SHORTEST_SECRET
    assert environment.secret_key({}, tmp_path / "var", production=False) == first
    kept = tmp_path / "var" / "secret_key"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert [path.name for path in kept.parent.iterdir()] == ["secret_key"]


def test_processes_that_start_at_once_agree_on_the_key(tmp_path: Path) -> None:
    start, keys = Barrier(8), list[str]()

    def one() -> None:
        start.wait()
        keys.append(environment.secret_key({}, tmp_path, production=False))

    threads = [Thread(target=one) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(keys) == 8
    assert len(set(keys)) == 1


@pytest.mark.parametrize(
    ("given", "why"), [("", "not set"), ("short", "too short"), ("a" * 60, "too short")]
)
def test_production_refuses_a_missing_or_short_secret_key(
    tmp_path: Path, given: str, why: str
) -> None:
    with pytest.raises(GroundError, match=why):
        environment.secret_key({"KEDGE_SECRET_KEY": given}, tmp_path, production=True)
    assert not list(tmp_path.iterdir())


def test_production_uses_the_key_it_was_told(tmp_path: Path) -> None:
    told = {"KEDGE_SECRET_KEY": SECRET}
    assert environment.secret_key(told, tmp_path, production=True) == SECRET


@pytest.mark.parametrize("hosts", ["", "*", "*.kedge.example", ".kedge.example", "a.example, *"])
def test_production_refuses_no_host_and_wildcards(hosts: str) -> None:
    with pytest.raises(GroundError, match="KEDGE_HOSTS"):
        environment.hosts({"KEDGE_HOSTS": hosts}, production=True)


def test_production_answers_to_the_hosts_named_and_no_other() -> None:
    named = environment.hosts({"KEDGE_HOSTS": "a.example, b.example"}, production=True)
    assert named == ["a.example", "b.example"]


@pytest.mark.parametrize("name", ["KEDGE_DEBUG", "KEDGE_DEMO"])
def test_what_only_development_may_have_on_is_refused_in_production(name: str) -> None:
    read = environment.only_in_development
    assert read({name: "1"}, name, "is open", production=False) is True
    assert read({}, name, "is open", production=True) is False
    with pytest.raises(GroundError, match=f"{name}=1 is open"):
        read({name: "1"}, name, "is open", production=True)


def test_a_switch_that_is_neither_on_nor_off_is_refused() -> None:
    with pytest.raises(GroundError, match="it can be 1"):
        environment.switch({"KEDGE_DEBUG": "yes"}, "KEDGE_DEBUG")


@pytest.mark.parametrize("port", ["0", "65536", "-1", "http", "8700.5"])
def test_a_port_that_is_none_is_refused(port: str) -> None:
    with pytest.raises(GroundError, match="from 1 to 65535"):
        environment.number({"KEDGE_PORT": port}, "KEDGE_PORT", 8700, most=65535)


def test_an_unknown_choice_is_refused() -> None:
    assert environment.choice({}, "KEDGE_ENV", ("development", "production")) == "development"
    with pytest.raises(GroundError, match="development or production"):
        environment.choice({"KEDGE_ENV": "prod"}, "KEDGE_ENV", ("development", "production"))
