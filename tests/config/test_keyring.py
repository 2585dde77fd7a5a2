"""The key ring is read as meant; production refuses to start without one."""

import stat
from pathlib import Path

import pytest

from config.errors import GroundError
from config.keyring import key_ring
from tenants.keys import ring
from tests.tenants.keys.rings import NEW, OLD, entry


def test_development_makes_one_ring_and_keeps_it_private(tmp_path: Path) -> None:
    first = key_ring({}, tmp_path, production=False)
    assert ring.parsed(first).newest == "development"
    assert key_ring({}, tmp_path, production=False) == first
    assert stat.S_IMODE((tmp_path / "keys").stat().st_mode) == 0o600


@pytest.mark.parametrize("given", ["", "  "])
def test_production_refuses_a_missing_ring(tmp_path: Path, given: str) -> None:
    with pytest.raises(GroundError, match="KEDGE_KEYS is not set"):
        key_ring({"KEDGE_KEYS": given}, tmp_path, production=True)
    assert not list(tmp_path.iterdir())


def test_production_uses_the_ring_it_was_told(tmp_path: Path) -> None:
    told = f"{entry('b', NEW)},{entry('a', OLD)}"
    assert key_ring({"KEDGE_KEYS": told}, tmp_path, production=True) == told


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ("a:c2hvcnQ=", "'a' in KEDGE_KEYS is not 32 random bytes"),
        (f"a:{'A' * 43}=", "'a' in KEDGE_KEYS is not 32 random bytes"),
        ("a:no base64", "'a' in KEDGE_KEYS is not 32 random bytes"),
        ("swordfish", "'swordfish'"),
        (f"{entry('a', NEW)},{entry('a', OLD)}", "Entry 2"),
        (f"{entry('a', NEW)},,", "Entry 2"),
        (f"not an id:{entry('a', NEW)}", "Entry 1"),
    ],
)
def test_a_ring_that_cannot_be_right_is_refused(tmp_path: Path, told: str, why: str) -> None:
    with pytest.raises(GroundError, match=why):
        key_ring({"KEDGE_KEYS": told}, tmp_path, production=False)


def test_no_refusal_quotes_a_key(tmp_path: Path) -> None:
    for told in (f"{entry('a', NEW)[:-4]}", f"{entry('a', NEW)},{entry('a', OLD)}"):
        with pytest.raises(GroundError) as refusal:
            key_ring({"KEDGE_KEYS": told}, tmp_path, production=False)
        assert told[2:20] not in str(refusal.value)
