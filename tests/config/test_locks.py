"""What is installed is pinned by digest, comes from no address of its own, and agrees."""

import re

import pytest

from tests import ground

LOCKS = sorted(path.name for path in ground.ROOT.glob("requirements*.lock"))


def pinned(lock: str) -> dict[str, str]:
    text = (ground.ROOT / lock).read_text()
    return dict(re.findall(r"^([a-z0-9._\[\]-]+)==(\S+)", text, re.MULTILINE))


def test_there_is_a_lock_for_each_way_to_install() -> None:
    assert LOCKS == [
        "requirements-bench.lock",
        "requirements-desk.lock",
        "requirements-dev.lock",
        "requirements-otel.lock",
        "requirements-uv.lock",
        "requirements.lock",
    ]


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_address_and_every_digest(lock: str) -> None:
    text = (ground.ROOT / lock).read_text()
    assert "://" not in text
    entries = re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)
    assert all("--hash=sha256:" in entry for entry in entries if "==" in entry.split("\n")[0])
    assert pinned(lock)


@pytest.mark.parametrize("extra", ["requirements-desk.lock", "requirements-otel.lock"])
def test_what_is_installed_beside_it_is_what_is_tested(extra: str) -> None:
    tested, beside = pinned("requirements-dev.lock"), pinned(extra)
    assert {name: tested.get(name) for name in beside} == beside


@pytest.mark.parametrize("wider", ["requirements-dev.lock", "requirements-bench.lock"])
def test_tests_and_bench_run_on_what_the_product_runs_on(wider: str) -> None:
    runtime, more = pinned("requirements.lock"), pinned(wider)
    assert {name: more.get(name) for name in runtime} == runtime
