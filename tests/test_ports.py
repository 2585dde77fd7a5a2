"""A server of the tests gets ports that no connection can have."""

import socket

import pytest

from tests import ports


def test_they_lie_outside_what_connections_get() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as client,
    ):
        given = {server.getsockname()[1], client.getsockname()[1]}
    below, above = ports._outside()
    assert not given & {*below, *above}
    for found in (ports.free_ports(9) for _ in range(20)):
        assert set(found) <= {*below} or set(found) <= {*above}


@pytest.mark.parametrize("taken", [0, 4, 8])
def test_one_in_use_rules_out_its_row(taken: int) -> None:
    row = ports.free_ports(9)
    assert ports._are_free(row)
    with socket.create_server(("127.0.0.1", row[taken])):
        assert not ports._are_free(row)
